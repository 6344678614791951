"""One process's share of a run: its models, its answers, and the plan of what is asked when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mmte.engine.answers import Answers
from mmte.engine.cache import AnswerCache
from mmte.engine.pool import Pool
from mmte.engine.progress import Progress
from mmte.engine.settings import Settings, default_cache
from mmte.engine.shared import RunState
from mmte.errors import MmteError, Unavailable
from mmte.evaluators.panel import Panels
from mmte.evaluators.scoring import scoring_for
from mmte.evaluators.sequence import SequentialEvaluator
from mmte.models.spec import parse_model
from mmte.types import Case, Result

if TYPE_CHECKING:
    from mmte.tasks.base import BaseTask


@dataclass(frozen=True, slots=True)
class Preview:
    """What an item would ask: `n` answers, `cached` of them there; or why it would be skipped."""

    n: int = 0
    cached: int = 0
    skip: str = ""

    @property
    def to_ask(self) -> int:
        """How many answers the model would have to give."""
        return self.n - self.cached


class Runtime:
    """Models, cache and run state of this process, and the phases of the run.

    An item that needs only its own model answers its own dataset when it is measured. Where other
    models read the answers (judges, classifiers), all that they must read is made first; then each
    of them is loaded once, for all items, in a phase of its own.
    """

    def __init__(self, settings: Settings, cases: Iterable[Case] = ()) -> None:
        self.settings = settings
        self.scoring = scoring_for(settings.scoring, settings.literals)
        self.panels = Panels(settings.panels, settings.judge_repeats)
        state = settings.state_dir
        self.pool = Pool({**settings.models, **settings.judges}, state if settings.worker else None)
        self.state = RunState(state, settings.worker)
        cache = AnswerCache(settings.cache, state / "overlay.sqlite" if state else None, refresh=settings.refresh)
        self.answers = Answers(self.pool, cache, self.state, offline=settings.offline)
        self.progress = Progress()
        self.answers.heard = lambda model, n: self.progress.advance(model, n)
        self.early: dict[str, Counter[str]] = {}  # by case, what its phases asked of each model
        self._cases = list(cases)
        self._judged_by: dict[str, dict[str, str]] = {}
        self._answered: set[str] = set()  # models whose answers for all judged items are made
        self._judges_done = False
        self._model = ""

    @classmethod
    def for_model(cls, model_id: str) -> Runtime:
        """A runtime for one model, outside pytest."""
        return cls(Settings(models={model_id: parse_model(model_id)}, cache=default_cache()))

    def plan(self, cases: Sequence[Case]) -> None:
        """The items that this run selected; phases are planned from them."""
        self._cases = list(cases)

    def ensure(self, case: Case) -> Result:
        """Measure one item, after the phases that it needs.

        Raises:
            Unavailable: it cannot run here; its message is the reason to skip it.
            ModelGone: a model cannot be asked any more.
            MmteError: the item is configured wrongly, or its data cannot be read.
        """
        if self._model and self._model != case.model:
            self._answer_judged(self._model)  # while it is loaded
        self._model = case.model
        judges = self.judges(case)
        self._check_judges(case, judges)
        if judges:
            self._judge_phases()
        task = self._task(case)
        task.pipeline()
        return task.results[0]

    def preview(self, case: Case) -> Preview:
        """What `ensure` would ask; asks nothing and loads nothing."""
        try:
            self._check_judges(case, self.judges(case))
            task = self._task(case)
            task.get_handlers()
            task.check_possible()
            return Preview(task.expected, self.answers.known(case.model, task.requests()))
        except Unavailable as error:
            return Preview(skip=str(error))

    def judges(self, case: Case) -> list[str]:
        """The other models that an item's evaluators ask."""
        return list(self._judge_specs(case))

    def _judge_specs(self, case: Case) -> dict[str, str]:
        """The judges of an item, each with an example of its SPEC."""
        if case.id not in self._judged_by:
            chain = SequentialEvaluator(case.config["evaluator"], self.scoring, self.panels)
            self._judged_by[case.id] = chain.judge_specs
        return self._judged_by[case.id]

    def close(self) -> None:
        """Free models and files."""
        self.pool.close()
        self.answers.cache.close()
        self.state.close()

    # -- phases --------------------------------------------------------------------------------
    def _judge_phases(self) -> None:
        """Make all answers of judged items, then let each judge read all that waits for it."""
        if self._judges_done:
            return
        judged = [c for c in self._cases if self._judgeable(c)]
        for model in dict.fromkeys(c.model for c in judged):
            self._answer_judged(model)
        done = {c.model for c in judged}
        todo = list(dict.fromkeys(j for c in judged for j in self.judges(c)))
        for judge in todo:
            self.answers.allowed = done = {*done, judge}
            for case in self._from_here([c for c in judged if judge in self.judges(c)]):
                self._try(case, lambda task: task.eval(task.generate(task.get_dataloader())))
        self.answers.allowed = None
        self._judges_done = True

    def _answer_judged(self, model: str) -> None:
        """All answers of one model that judges will read."""
        if model in self._answered:
            return
        self._answered.add(model)
        for case in self._from_here([c for c in self._cases if c.model == model and self._judgeable(c)]):
            self._try(case, _answer)

    def _try(self, case: Case, step: Callable[[BaseTask], object]) -> None:
        """A step of a phase, without side files; what fails here fails again, and is told, when its item runs."""
        quiet = copy(self)
        quiet.settings = replace(self.settings, samples_dir=None)
        task = self._task(case, quiet)
        before = Counter(self.answers.asked_of)
        try:
            task.get_handlers()
            task.check_possible()
            self.progress.start(case.id, task.expected * (1 + len(task.controls)))
            step(task)
        except MmteError:
            return
        finally:
            self.early.setdefault(case.id, Counter()).update(self.answers.asked_of - before)

    def _judgeable(self, case: Case) -> bool:
        try:
            judges = self.judges(case)
        except MmteError:  # told when its own item runs
            return False
        return bool(judges) and all(j in self.settings.judges or j in self.settings.models for j in judges)

    def _check_judges(self, case: Case, judges: Sequence[str]) -> None:
        for judge in judges:
            if judge not in self.settings.judges and judge not in self.settings.models:
                spec = self._judge_specs(case)[judge]
                raise Unavailable(f"{case.task}/{case.sequence} needs the judge '{judge}': --judge {judge}={spec}")

    def _from_here(self, cases: list[Case]) -> list[Case]:
        """The items in an order that starts elsewhere in each worker, so that they share the work."""
        number = int("".join(filter(str.isdigit, self.settings.worker or "0")) or 0)
        start = number * len(cases) // 2 % len(cases) if cases else 0
        return cases[start:] + cases[:start]

    def _task(self, case: Case, runtime: Runtime | None = None) -> BaseTask:
        from mmte.tasks.base import BaseTask

        return BaseTask.from_case(case, runtime or self)


def _answer(task: BaseTask) -> None:
    for _ in task.runtime.answers.get(task.model_id, task.requests()):
        pass
