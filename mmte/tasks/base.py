"""The pipeline of one task: get_handlers, get_dataloader, generate, eval, save_results."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from mmte.engine.answers import WINDOW, shows_image
from mmte.engine.control import Control, controls_of
from mmte.engine.effort import Effort
from mmte.engine.identities import note_identity
from mmte.engine.keys import digest
from mmte.engine.measure import Tally, batched, score_all
from mmte.engine.runtime import Runtime
from mmte.engine.samples import Samples, build_dataset, few_shot, method_identity
from mmte.errors import MmteError, Unavailable
from mmte.evaluators.card import cards_for, shown
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.models.base import BaseChat
from mmte.types import Case, Generation, Kind, Request, Result, Sample, Trial

_SHOWN = 80  # characters of a change that are shown


class BaseTask:
    """Asks a model the questions of a dataset and has evaluator sequences read the answers.

    The steps are methods to override; each hands an iterator to the next, so that texts live for one
    chunk only. Outside pytest, `BaseTask(...).pipeline()` runs with a `Runtime` of its own.

    Args:
        dataset_id, model_id: registered ids; `model_id` may be anything that `--model` takes.
        log_file: where `save_results` writes totals and samples as JSON; None: nowhere.
        method_cfg: `{method_id: options}` applied to every sample.
        dataset_cfg: options of the dataset.
        generation_kwargs: fields of `Generation`.
        evaluator_seq_cfgs: evaluator sequences, see `SequentialEvaluator`.
        runtime: models, cache and settings; one for all tasks of a run.
        case: the item this is, when it comes from a task file; `config` then holds all of the above.

    Raises:
        MmteError: an unknown id or a wrong setting, at `get_handlers`.
    """

    def __init__(
        self,
        dataset_id: str,
        model_id: str,
        log_file: str | Path | None = None,
        method_cfg: Mapping[str, Any] | None = None,
        dataset_cfg: Mapping[str, Any] | None = None,
        generation_kwargs: Mapping[str, Any] | None = None,
        evaluator_seq_cfgs: Sequence[Any] = (),
        *,
        runtime: Runtime | None = None,
        case: Case | None = None,
    ) -> None:
        self.dataset_id, self.model_id, self.log_file = dataset_id, model_id, log_file
        self.method_cfg, self.dataset_cfg = dict(method_cfg or {}), dict(dataset_cfg or {})
        self.generation_kwargs = dict(generation_kwargs or {})
        self.evaluator_seq_cfgs = list(evaluator_seq_cfgs)
        self.case = case or Case(f"{dataset_id}/{model_id}", dataset_id, "", dataset_id, "", model_id)
        self._own_runtime = runtime is None
        self.runtime = runtime or Runtime.for_model(model_id)
        self.results: list[Result] = []

    @classmethod
    def from_case(cls, case: Case, runtime: Runtime) -> BaseTask:
        """The task of one parametrised item."""
        c = case.config
        return cls(
            c["dataset_id"], case.model, method_cfg=c.get("method_cfg"), dataset_cfg=c.get("dataset_cfg"),
            generation_kwargs=c.get("generation_kwargs"), evaluator_seq_cfgs=[c["evaluator"]],
            runtime=runtime, case=case,
        )  # fmt: skip

    # -- the steps -----------------------------------------------------------------------------
    def get_handlers(self) -> None:
        """Build evaluators, dataset (with its method) and model; nothing is asked or loaded yet."""
        self.generation = Generation.from_kwargs(self.generation_kwargs, f"{self.case.task}: generation_kwargs")
        scoring, panels = self.runtime.scoring, self.runtime.panels
        self.evaluators = [SequentialEvaluator(cfg, scoring, panels) for cfg in self.evaluator_seq_cfgs]
        settings = self.runtime.settings
        self.dataset = build_dataset(self.dataset_id, self.dataset_cfg, self.method_cfg, settings.data_root)
        self.samples = Samples(
            self.dataset, limit=settings.limit, shots=few_shot(self.case.config.get("fewshot"), settings.data_root)
        )
        self.model: BaseChat = self.runtime.pool.model(self.model_id)

    def get_dataloader(self) -> Iterable[list[Sample]]:
        """The selected samples in lists."""
        return batched(self.samples, WINDOW)

    def generate(self, dataloader: Iterable[list[Sample]]) -> Iterator[list[Trial]]:
        """Lists of trials with their responses, in the order of the samples, repeat by repeat."""
        for repeat in range(self.runtime.settings.repeats):
            yield from self.answered(dataloader if repeat == 0 else self.get_dataloader(), repeat)

    def answered(self, chunks: Iterable[list[Sample]], repeat: int) -> Iterator[list[Trial]]:
        """Lists of trials: each chunk of samples with its responses."""
        generation = self.generation.with_repeat(repeat)
        for chunk in chunks:
            requests = [self.request(sample, generation) for sample in chunk]
            responses = self.runtime.answers.get(self.model_id, requests)
            read_empty = self.runtime.scoring.reads_all
            yield [_trial(s, r, read_empty) for s, r in zip(chunk, responses, strict=True)]

    def request(self, sample: Sample, generation: Generation) -> Request:
        """What the model is asked about a sample."""
        kind: Kind = self.case.config.get("kind", "chat")
        return Request(sample.messages, generation, kind)

    def eval(self, responses: Iterable[list[Trial]]) -> dict[str, Any]:
        """Score every chunk with every evaluator sequence: `{"total_results": {key: value}}`; fills `self.results`."""
        answers, started = self.runtime.answers, time.monotonic()
        effort = Effort(answers, self.runtime.early.get(self.case.id, {}))
        tallies = [Tally(sequence, self.samples_file(n)) for n, sequence in enumerate(self.evaluators)]
        seen = hashlib.sha256()
        score_all(tallies, _noted(responses, seen), answers)
        controlled = [(c.name, c.tallies()) for c in self.controls]
        self.complete = all(t.complete for t in (*tallies, *(t for _, others in controlled for t in others)))
        judged = any(judge != self.model_id for sequence in self.evaluators for judge in sequence.judges)
        spent = {**effort.counts(self.model_id, judged), "seconds": round(time.monotonic() - started, 3)}
        self.results = [self._result(t, seen.hexdigest()[:16], spent, n) for n, t in enumerate(tallies)]
        for name, others in controlled:
            self.results = [self._compared(*three, name) for three in zip(self.results, tallies, others, strict=True)]
        pairs = zip(tallies, self.results, strict=True)
        return {"total_results": {key: value for tally, result in pairs for key, value in _totals(tally, result)}}

    def save_results(self, results: Mapping[str, Any]) -> None:
        """Write `log_file`, when there is one, atomically: totals and every sample."""
        if self.log_file is None:
            return
        from mmte.report.files import read_jsonl, write_atomic

        samples = [list(read_jsonl(f)) for n, _ in enumerate(self.evaluators) if (f := self.samples_file(n))]
        body = {**results, "per_sample_results": samples[0] if len(samples) == 1 else samples}
        write_atomic(Path(self.log_file), json.dumps(body, indent=1))

    def pipeline(self) -> dict[str, Any]:
        """Run all steps; returns what `eval` returned."""
        try:
            self.get_handlers()
            self.check_possible()
            self.runtime.progress.start(self.case.id, self.expected * (1 + len(self.controls)))
            results = self.eval(self.generate(self.get_dataloader()))
            self.save_results(results)
            return results
        finally:
            if self._own_runtime:
                self.runtime.close()

    # -- beside the steps ----------------------------------------------------------------------
    def check_possible(self) -> None:
        """Raise `Unavailable` when this model cannot be asked this dataset."""
        if self.runtime.settings.offline:
            return
        first = next(iter(self.samples), None)
        if first is None:
            raise MmteError(f"dataset '{self.dataset_id}' is empty")
        if "image" not in self.model.modalities and shows_image(self.request(first, self.generation)):
            raise Unavailable(f"model '{self.model_id}' reads text only, and {self.dataset_id} shows images")

    def requests(self) -> Iterator[Request]:
        """All that this task asks its model, in order."""
        for repeat in range(self.runtime.settings.repeats):
            generation = self.generation.with_repeat(repeat)
            for sample in self.samples:
                yield self.request(sample, generation)
        for control in self.controls:
            yield from control.requests()

    @property
    def expected(self) -> int:
        """How many answers this task expects."""
        return len(self.samples) * self.runtime.settings.repeats

    @cached_property
    def controls(self) -> list[Control]:
        """What `--mmte-control` asks of this task's samples besides."""
        return controls_of(self)

    @property
    def _changed(self) -> Sequence[str]:
        """What `--mmte-set` changed of the task file: its numbers are not those of the task as it is published."""
        changed: Sequence[str] = self.case.config.get("changed", ())
        return changed

    @property
    def _direction(self) -> Mapping[str, Any]:
        return self.case.config.get("direction") or {}

    def samples_file(self, number: int, control: str = "") -> Path | None:
        """Where the samples of a sequence are written, those of a control beside them."""
        folder = self.runtime.settings.samples_dir
        if folder is None:
            if self.log_file is None:
                return None
            folder = Path(self.log_file).parent
        suffix = (f".vs.{control}" if control else "") + (f".{number}" if number else "")
        return folder / f"{self.case.id.replace('/', '~')}{suffix}.jsonl"

    def _result(self, tally: Tally, seen: str, effort: Mapping[str, float], number: int) -> Result:
        expected, counts = self.expected, tally.counts
        coverage = counts["answered"] / expected if expected else 0.0
        problem = ""
        if coverage < self.runtime.settings.min_coverage:
            problem = (
                f"{counts['answered']} of {expected} answered: coverage {coverage:.3g} is under --mmte-min-coverage="
                f"{self.runtime.settings.min_coverage:g}, so there is no score; first error: {tally.first_error}"
            )
        estimates = tally.estimates(expected, self.case.id, self._direction)
        if problem:
            estimates = [_withheld(e) for e in estimates]
        file = self.samples_file(number)
        known = (self.runtime.answers.cache.problem, _data_note(self.dataset), self.runtime.scoring.note)
        notes = [note for note in known if note]
        notes += tally.notes
        notes += [f"--mmte-set={t if len(t) <= _SHOWN else t[:_SHOWN] + '...'}" for t in self._changed]
        return Result(
            self.case.id, self._identities(seen), {"expected": expected, **counts}, round(coverage, 6),
            tuple(estimates), file.name if file else "", effort, problem, tuple(notes), self._cards(tally.sequence),
            tally.metric_options, tally.sequence.value_range,
        )  # fmt: skip

    def _cards(self, sequence: SequentialEvaluator) -> tuple[dict[str, Any], ...]:
        """How well exactly these evaluators agree with people, where that is known."""
        judges = {name: self.runtime.pool.model(name).identity() for name in sequence.judges}
        return tuple(shown(card) for card in cards_for(sequence, judges))

    def _compared(self, result: Result, own: Tally, other: Tally, control: str) -> Result:
        """The result with what a control says beside it: differences, withheld where either side lacks answers."""
        found = own.contrasts(other, control, self.expected, f"{self.case.id}:{control}")
        answered = min(own.counts["answered"], other.counts["answered"])
        if answered < self.runtime.settings.min_coverage * self.expected:
            found = [_withheld(e) for e in found]
        return replace(result, estimates=(*result.estimates, *found))

    def _identities(self, seen: str) -> dict[str, str]:
        """Digests of all that decides the numbers: two results are comparable when these agree."""
        c, settings = self.case.config, self.runtime.settings
        method = method_identity(getattr(self.dataset, "method_hook", None), self.method_cfg)
        files = self.dataset.digest() if hasattr(self.dataset, "digest") else ""
        judges = {name: self.runtime.pool.model(name) for e in self.evaluators for name in e.judges}
        sequences = [[e.identity(), e.cfg, *(judges[name].identity() for name in e.judges)] for e in self.evaluators]
        for name, model in {**judges, self.model_id: self.model}.items():
            note_identity(settings.samples_dir, name, model.identity())
        return {
            "model": digest(self.model.identity()),
            "generation": digest([getattr(self.generation, f) for f in Generation.__slots__]),
            "data": digest([self.dataset_id, self.dataset_cfg, method, c.get("fewshot"), files]),
            "samples": seen,
            "evaluators": digest(sequences),
            "task_version": str(c.get("version", "")),
        }  # fmt: skip


def _trial(sample: Sample, response: Any, read_empty: bool) -> Trial:
    if response.status == "ok" or (read_empty and response.status == "empty"):
        return Trial(sample, response, response.content, "scored", sample.target, sample.extra)
    return Trial(sample, response, None, response.status, sample.target, sample.extra)


def _noted(chunks: Iterable[list[Trial]], seen: Any) -> Iterator[list[Trial]]:
    """The chunks, with the ids of their samples going into a digest."""
    for trials in chunks:
        seen.update("\n".join(t.sample.id for t in trials).encode("utf-8", "surrogatepass"))
        yield trials


def _withheld(e: Any) -> Any:
    """An estimate without its value: what is known of too few answers is no score."""
    return replace(e, value=None, low=None, high=None)


def _totals(tally: Tally, result: Result) -> Iterator[tuple[str, Any]]:
    for e in result.estimates:
        yield f"{tally.sequence.key}:{e.metric}" + (f"_{e.subset}" if e.subset else ""), e.value


def _data_note(dataset: Any) -> str:
    found, expected = len(dataset), getattr(dataset, "expected", None)
    if getattr(dataset, "is_mini", False):
        return "mini data"
    return f"{found} samples of {expected} published" if expected not in (None, found) else ""
