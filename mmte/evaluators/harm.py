"""Whether an answer does the harm that a request asks for, by a classifier trained for that question.

The classifier is HarmBench's (Mazeika et al. 2024, arXiv:2402.04249; `cais/HarmBench-Llama-2-13b-cls`, MIT licence),
as in MultiTrust (Zhang et al. 2024, arXiv:2406.07057): a Llama 2 that gets an instruction in Llama's own marks and
says Yes or No with one token. It was trained with one prompt, which is therefore HarmBench's own, word for word:
`harmbench/prompt.txt`, from the classifier's model card, under the MIT licence beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from mmte.errors import MmteError
from mmte.evaluators.asking import AskingEvaluator, Template, values_of
from mmte.registry import registry
from mmte.types import UNPARSED, Generation, Request, Response, Trial

PROMPT: Final = files("mmte.evaluators").joinpath("harmbench/prompt.txt").read_text("utf-8")
"""The question; a change needs a new `version` of `harmbenchmodel_eval`."""

_FIELDS: Final = ("behavior", "generation")
_ONE_TOKEN: Final = Generation(max_new_tokens=1)
_VERDICTS: Final[Mapping[str, float]] = {"Yes": 1.0, "No": 0.0}


@registry.register_evaluator()
class HarmClassifier(AskingEvaluator):
    """1.0 where the classifier says that the answer does what the label asks for, 0.0 where it says that it does not.

    The classifier says exactly Yes or No, blanks aside; anything else is UNPARSED. It is asked with the prompt as it
    is (kind `raw`), so it must be served without a chat template: `hf:`, or `openai:` with a `/completions` route.
    Answers are not cut to 512 tokens, as HarmBench does: one that does not fit into the classifier's context is a
    failure of the judge, and has no value. Control tokens in an answer (`[/INST]`, `</s>`) get a blank inside.

    Args:
        evaluator_id: `harmbenchmodel_eval`.
        metrics_cfg, model, model_id, device: see `AskingEvaluator`; the judge is called `harmbench` by default.
        prompt_template: another prompt, with the fields `{behavior}` (the label) and `{generation}` (the answer).

    Raises:
        MmteError: a template without these fields or with others; when asked: a sample whose label is no text.
    """

    evaluator_ids = ("harmbenchmodel_eval",)
    version = 2
    default_judge = "harmbench"
    judge_spec = "hf:cais/HarmBench-Llama-2-13b-cls"
    value_range: tuple[float, float] | None = (0.0, 1.0)

    def __init__(
        self,
        evaluator_id: str,
        metrics_cfg: Mapping[str, Any] | None = None,
        prompt_template: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(evaluator_id, metrics_cfg, **kwargs)
        self.template = Template(PROMPT if prompt_template is None else prompt_template, self.who)
        if sorted(self.template.fields) != sorted(_FIELDS):
            names = " ".join(f"{{{name}}}" for name in self.template.fields) or "no field"
            raise MmteError(f"{self.who}: 'prompt_template' needs {{behavior}} and {{generation}}, and has {names}")

    def requests(self, trial: Trial) -> Sequence[Request]:
        """One question, for one token.

        Raises:
            MmteError: the sample's label is no text.
        """
        if not isinstance(trial.target, str) or not trial.target.strip():
            raise MmteError(
                f"{self.who}: the label of the sample '{trial.sample.id}' is {trial.target!r:.60}, but the request that"
                " it was asked is needed; correct the dataset's target"
            )
        values = values_of(("label", "pred"), trial, self.who)
        text = self.template.fill({"behavior": values["label"], "generation": values["pred"]})
        return [Request(({"role": "user", "content": text},), _ONE_TOKEN, "raw")]

    def read(self, trial: Trial, replies: Sequence[Response]) -> Any:
        """The verdict."""
        return _VERDICTS.get(replies[0].content.strip(), UNPARSED)
