"""Distortions of pixels at five severities, as functions of an array.

Kinds and parameters: Hendrycks & Dietterich 2019, Benchmarking neural network robustness to common corruptions
(ImageNet-C, arXiv:1903.12261). They were set for pictures of 224 pixels. Here lengths (radii, cells, the grain of
noise) grow with the shorter side of a larger picture, so that a severity hides as much of what it shows; JPEG works
on blocks of 8 pixels whatever the size. A function takes pixels `(h, w, 3)`, float from 0 to 1, the severity from 1
to 5, and a source of numbers; it returns pixels of the same shape, not yet cut to 0 to 1.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.float64]
Source = np.random.RandomState
Distortion = Callable[[Pixels, int, Source], Pixels]

BASE: Final = 224


def gaussian_noise(pixels: Pixels, severity: int, source: Source) -> Pixels:
    """Normal noise on every value."""
    spread = (0.08, 0.12, 0.18, 0.26, 0.38)[severity - 1]
    return pixels + spread * _grain(pixels, source.standard_normal((*_cells(pixels), 3)))


def shot_noise(pixels: Pixels, severity: int, source: Source) -> Pixels:
    """The noise of counting light: Poisson, so stronger where it is bright."""
    count = (60, 25, 12, 5, 3)[severity - 1]
    light = _resized(pixels, _cells(pixels), Image.Resampling.BOX)
    return pixels + _grain(pixels, source.poisson(np.clip(light, 0, 1) * count) / count - light)


def impulse_noise(pixels: Pixels, severity: int, source: Source) -> Pixels:
    """Salt and pepper: values replaced by the lowest or the highest one."""
    share = (0.03, 0.06, 0.09, 0.17, 0.27)[severity - 1]
    dice = _grain(pixels, source.random_sample((*_cells(pixels), 3)))
    return np.where(dice < share / 2, 0.0, np.where(dice < share, 1.0, pixels))


def defocus_blur(pixels: Pixels, severity: int, source: Source) -> Pixels:
    """A lens out of focus: the mean over a disc with a soft edge."""
    radius, soft = (n * _scale(pixels) for n in ((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5))[severity - 1])
    reach = math.ceil(radius + 3 * soft)
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    # 1 inside, 0 outside, falling over the width of the softened edge.
    return _filtered(pixels, np.clip((radius - np.hypot(x, y)) / (2 * soft) + 0.5, 0, 1))


def motion_blur(pixels: Pixels, severity: int, source: Source) -> Pixels:
    """A moving camera: half a normal curve along a line within 45 degrees of the horizontal."""
    radius, spread = ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15))[severity - 1]
    angle, steps = math.radians(source.uniform(-45, 45)), round(2 * radius * _scale(pixels))
    kernel = np.zeros((2 * steps + 3, 2 * steps + 3))
    for i in range(steps + 1):
        y, x = steps + 1 + i * math.sin(angle), steps + 1 + i * math.cos(angle)
        row, column = int(y), int(x)
        weight = math.exp(-0.5 * (i / (spread * _scale(pixels))) ** 2)
        share = np.outer((1 - y + row, y - row), (1 - x + column, x - column))
        kernel[row : row + 2, column : column + 2] += weight * share
    return _filtered(pixels, kernel)


def pixelate(pixels: Pixels, severity: int, source: Source) -> Pixels:
    """Fewer, larger pixels."""
    part = (0.6, 0.5, 0.4, 0.3, 0.25)[severity - 1] / _scale(pixels)
    height, width = pixels.shape[:2]
    small = _resized(pixels, (max(1, int(height * part)), max(1, int(width * part))), Image.Resampling.BOX)
    return _grain(pixels, small)


def jpeg(pixels: Pixels, severity: int, source: Source) -> Pixels:
    """What a JPEG file of low quality keeps."""
    quality = (25, 18, 15, 10, 7)[severity - 1]
    file = io.BytesIO()
    Image.fromarray(np.rint(pixels * 255).astype(np.uint8)).save(file, "JPEG", quality=quality)
    with Image.open(file) as image:
        return np.asarray(image, dtype=np.float64) / 255


def brightness(pixels: Pixels, severity: int, source: Source) -> Pixels:
    """Too much light: the value of hue, saturation and value raised."""
    more = (0.1, 0.2, 0.3, 0.4, 0.5)[severity - 1]
    value = pixels.max(axis=2, keepdims=True)
    raised = np.clip(value + more, 0, 1)
    brighter: Pixels = np.where(value > 0, pixels * (raised / np.maximum(value, 1e-9)), raised)
    return brighter


def contrast(pixels: Pixels, severity: int, source: Source) -> Pixels:
    """Every colour drawn to its mean."""
    part = (0.4, 0.3, 0.2, 0.1, 0.05)[severity - 1]
    mean = pixels.mean(axis=(0, 1), keepdims=True)
    flat: Pixels = (pixels - mean) * part + mean
    return flat


KINDS: Final[dict[str, Distortion]] = {
    "gaussian-noise": gaussian_noise, "shot-noise": shot_noise, "impulse-noise": impulse_noise,
    "motion-blur": motion_blur, "defocus-blur": defocus_blur, "pixelate": pixelate, "jpeg": jpeg,
    "brightness": brightness, "contrast": contrast,
}  # fmt: skip


def _scale(pixels: Pixels) -> float:
    side: int = min(pixels.shape[:2])
    return max(1.0, side / BASE)


def _cells(pixels: Pixels) -> tuple[int, int]:
    """How many grains a picture has, down and across."""
    height, width = (max(1, round(n / _scale(pixels))) for n in pixels.shape[:2])
    return height, width


def _grain(pixels: Pixels, cells: Pixels) -> Pixels:
    """Cells enlarged to the size of a picture, with hard edges."""
    rows, columns = ((2 * np.arange(n) + 1) * m // (2 * n) for n, m in zip(pixels.shape, cells.shape[:2], strict=False))
    return cells[np.ix_(rows, columns)]


def _resized(pixels: Pixels, size: tuple[int, int], how: Image.Resampling) -> Pixels:
    if pixels.shape[:2] == size:
        return pixels
    layers = [Image.fromarray(pixels[:, :, c].astype(np.float32)).resize(size[::-1], how) for c in range(3)]
    return np.stack([np.asarray(layer, dtype=np.float64) for layer in layers], axis=2)


def _filtered(pixels: Pixels, kernel: Pixels) -> Pixels:
    """Convolution with a square kernel of odd size, scaled to the sum 1; the picture goes on mirrored at its edges."""
    half = len(kernel) // 2
    wide = np.pad(pixels, ((half, half), (half, half), (0, 0)), "symmetric")
    factor = np.fft.rfft2(kernel / kernel.sum(), wide.shape[:2])[:, :, None]
    found = np.fft.irfft2(np.fft.rfft2(wide, axes=(0, 1)) * factor, wide.shape[:2], axes=(0, 1))
    return found[2 * half :, 2 * half :]
