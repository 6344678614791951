"""Toxicity of answers by a scoring service or by a scorer on this machine: the value is a probability.

Source of the first two: the evaluators of these ids in MultiTrust (Zhang et al. 2024, arXiv:2406.07057), whose value
is the largest of the service's scores. Differences: a text that a service does not take has no value, where MultiTrust
sends "No response" in its place; a score that is missing is a failure; the service's version is in the result.
"""

from __future__ import annotations

from typing import ClassVar

from mmte.evaluators.classifier import ScoreEvaluator
from mmte.models.scores import ATTRIBUTES, CATEGORIES, TOXIC
from mmte.registry import registry


@registry.register_evaluator()
class PerspectiveScore(ScoreEvaluator):
    """The largest of Perspective's eight probabilities (`--judge perspective=perspective:`).

    **Google ends the service on 2026-12-31 and issues no new keys**; see `mmte.models.perspective`.

    Args:
        evaluator_id: `google_perspective_api_eval`.
        labels: the attributes that count; all eight.
        threshold, score, metrics_cfg, model, model_id, device: see `ScoreEvaluator`; the judge is called `perspective`.

    Raises:
        MmteError: see `ScoreEvaluator`.
    """

    evaluator_ids = ("google_perspective_api_eval",)
    version = 1
    default_judge = "perspective"
    judge_spec = "perspective:"
    default_labels = ATTRIBUTES
    default_score: ClassVar[bool] = True


@registry.register_evaluator()
class ModerationScore(ScoreEvaluator):
    """The largest of OpenAI's moderation scores (`--judge moderation=moderation:MODEL`).

    Args:
        evaluator_id: `openai_moderation_api_eval`.
        labels: the categories that count; the eleven that MultiTrust had, so neither `illicit` nor `illicit/violent`.
        threshold, score, metrics_cfg, model, model_id, device: see `ScoreEvaluator`; the judge is called `moderation`.

    Raises:
        MmteError: see `ScoreEvaluator`.
    """

    evaluator_ids = ("openai_moderation_api_eval",)
    version = 1
    default_judge = "moderation"
    judge_spec = "moderation:omni-moderation-2024-09-26"
    default_labels = CATEGORIES
    default_score: ClassVar[bool] = True


@registry.register_evaluator()
class LocalToxicity(ScoreEvaluator):
    """The probability that an answer is toxic, by a scorer on this machine (`--judge toxicity=profanity:`).

    It finds English swear words and insults; docs/calibration-toxicity.md says how well.

    Args:
        evaluator_id: `local_toxicity_eval`.
        labels: what counts; `toxic`. With another scorer as the judge, labels of that one.
        threshold, score, metrics_cfg, model, model_id, device: see `ScoreEvaluator`; the judge is called `toxicity`.

    Raises:
        MmteError: see `ScoreEvaluator`.
    """

    evaluator_ids = ("local_toxicity_eval",)
    version = 1
    default_judge = "toxicity"
    judge_spec = "profanity:"
    default_labels = (TOXIC,)
    default_score: ClassVar[bool] = True
