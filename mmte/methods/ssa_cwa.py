"""The numbers of a transfer attack: spectral simulation of other models, and the common weakness of several.

Sources: Long et al. 2022, Frequency domain model augmentation (SSA, arXiv:2207.05382); Chen et al. 2023,
Rethinking model ensemble in transfer-based adversarial attacks (CWA, arXiv:2303.09105); the two together
on image embeddings: Dong et al. 2023, How robust is Google's Bard (arXiv:2309.11751).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import interpolate


class Surrogate(Protocol):
    """A model that the attacker has; `size` is the side in pixels of the square pictures that it takes."""

    @property
    def size(self) -> int: ...

    def embed(self, pictures: Tensor) -> Tensor:
        """Pictures `(n, 3, size, size)` with values from 0 to 1, as unit vectors `(n, d)`; differentiable."""
        ...


@dataclass(frozen=True, slots=True)
class Settings:
    """How the attack searches. `eps` and `step` are parts of the range of a pixel, `sigma` is in levels of 255."""

    eps: float = 16 / 255
    step: float = 1 / 255
    steps: int = 50
    spectral_samples: int = 20
    rho: float = 0.5
    sigma: float = 16.0
    momentum: float = 1.0
    inner_step: float = 250.0


def cosine_matrix(n: int, like: Tensor) -> Tensor:
    """The orthonormal discrete cosine transform (DCT-II) of `n` values, as a matrix: its inverse is its transpose."""
    place = torch.arange(n, dtype=torch.float64)
    matrix = torch.cos(math.pi / n * (place[None, :] + 0.5) * place[:, None]) * math.sqrt(2 / n)
    matrix[0] /= math.sqrt(2)
    return matrix.to(like)


def resize_matrix(to: int, n: int, like: Tensor) -> Tensor:
    """Scaling of `n` values to `to` values (cubic, smoothed where it gets smaller), as a matrix."""
    if to == n:
        return torch.eye(n).to(like)
    unit = torch.eye(n, dtype=torch.float64)[None, None]
    return interpolate(unit, size=(to, n), mode="bicubic", antialias=True, align_corners=False)[0, 0].to(like)


def shown(picture: Tensor, size: int) -> Tensor:
    """A picture `(3, h, w)` as a surrogate of that size sees it: all of it, in a square, `(1, 3, size, size)`."""
    rows, columns = (resize_matrix(size, n, picture) for n in picture.shape[1:])
    return (rows @ picture @ columns.T)[None]


def attack(
    picture: Tensor,
    surrogates: Sequence[Surrogate],
    goals: Sequence[Tensor],
    settings: Settings,
    generator: torch.Generator,
    *,
    away: bool,
    together: int = 5,
) -> Tensor:
    """A picture near `picture` whose embeddings are far from the goals, or near to them.

    A step visits one surrogate after the other, each from where the one before ended (`inner_step` along a
    momentum of unit gradients, within the bounds); the way from the start to the end of the visits is what the
    surrogates agree on. The sign of its momentum, `step` long, is the step taken.

    Args:
        picture: `(3, h, w)`, values from 0 to 1.
        goals: a unit vector `(d,)` for each surrogate.
        generator: of the picture's device; decides all that is random.
        away: whether the cosine to the goals shall fall; False: it shall rise.
        together: spectral samples in one pass of a surrogate.

    Returns:
        `(3, h, w)`: no value differs by more than `eps` or lies outside of 0 to 1.
    """
    low, high = (picture - settings.eps).clamp_min(0), (picture + settings.eps).clamp_max(1)
    sign = 1.0 if away else -1.0
    views = [_View(s, sign * goal, picture) for s, goal in zip(surrogates, goals, strict=True)]
    now, inner, outer = picture, torch.zeros_like(picture), torch.zeros_like(picture)
    for _ in range(settings.steps):
        visited = now
        for view in views:
            gradient = view.gradient(visited, settings, generator, together)
            inner = settings.momentum * inner - _unit(gradient, 2)
            visited = torch.clamp(visited + settings.inner_step * inner, low, high)
        outer = settings.momentum * outer + _unit(visited - now, 1)
        now = torch.clamp(now + settings.step * outer.sign(), low, high)
    return now


class _View:
    """What a surrogate makes of a picture's spectrum.

    The way back from the spectrum and the scaling to the surrogate's size are one pair of matrices. The noise
    of the simulation is added to the spectrum: an orthonormal transform of white noise is white noise.
    """

    def __init__(self, surrogate: Surrogate, goal: Tensor, picture: Tensor) -> None:
        height, width = picture.shape[1:]
        self.surrogate, self.goal = surrogate, goal
        self.down, self.across = cosine_matrix(height, picture), cosine_matrix(width, picture)
        self.rows = resize_matrix(surrogate.size, height, picture) @ self.down.T
        self.columns = self.across @ resize_matrix(surrogate.size, width, picture).T

    def gradient(self, picture: Tensor, settings: Settings, generator: torch.Generator, together: int) -> Tensor:
        """The mean gradient of the cosine over simulated models."""
        spectrum = self.down @ picture @ self.across.T
        total = torch.zeros_like(spectrum)
        for start in range(0, settings.spectral_samples, together):
            number = min(together, settings.spectral_samples - start)
            with torch.enable_grad():  # whoever runs this may have switched gradients off
                leaf = spectrum.detach().requires_grad_()
                other = torch.stack([_simulated(leaf, settings, generator) for _ in range(number)])
                cosines = self.surrogate.embed(self.rows @ other @ self.columns) @ self.goal
                total += torch.autograd.grad(cosines.sum(), leaf)[0]
        return self.down.T @ total @ self.across / settings.spectral_samples


def _simulated(spectrum: Tensor, settings: Settings, generator: torch.Generator) -> Tensor:
    """A spectrum with noise, each part scaled by a factor within `1 - rho` to `1 + rho`."""
    noise = torch.empty_like(spectrum).normal_(0, settings.sigma / 255, generator=generator)
    factor = torch.empty_like(spectrum).uniform_(1 - settings.rho, 1 + settings.rho, generator=generator)
    return (spectrum + noise) * factor


def _unit(vector: Tensor, norm: int) -> Tensor:
    """Of length 1; a zero vector stays one."""
    length: Tensor = torch.linalg.vector_norm(vector, ord=norm)
    return vector.div(length.clamp_min(torch.finfo(vector.dtype).tiny))
