"""Controls: the same samples asked again with less to see, so that a run tells what the images contribute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mmte.engine.answers import WINDOW, shows_image
from mmte.engine.measure import Tally, batched, score_all
from mmte.engine.samples import Samples, build_dataset
from mmte.errors import MmteError
from mmte.registry import registry
from mmte.types import Request

if TYPE_CHECKING:
    from mmte.tasks.base import BaseTask


def check_controls(names: Sequence[str]) -> None:
    """Raise MmteError for a control that is no method, or one that needs options.

    Raises:
        MmteError: one line that names `--mmte-control`.
    """
    for name in names:
        try:
            registry.get_method_class(name)
        except MmteError as error:
            raise MmteError(f"--mmte-control: {error}") from None


class Control:
    """One control of a task: its samples behind one more method, the last one.

    The sample ids, clusters and subsets are those of the task itself, so answers pair up one to one.
    """

    def __init__(self, task: BaseTask, name: str) -> None:
        self.task, self.name = task, name
        settings = task.runtime.settings
        methods = {**task.method_cfg, name: {}}
        dataset = build_dataset(task.dataset_id, task.dataset_cfg, methods, settings.data_root)
        self.samples = Samples(dataset, limit=settings.limit, shots=task.samples.shots)

    def requests(self) -> Iterator[Request]:
        """All that the control asks the task's model, in order."""
        for repeat in range(self.task.runtime.settings.repeats):
            generation = self.task.generation.with_repeat(repeat)
            for sample in self.samples:
                yield self.task.request(sample, generation)

    def tallies(self) -> list[Tally]:
        """What each evaluator sequence of the task makes of the control's answers."""
        task = self.task
        tallies = [Tally(sequence, task.samples_file(n, self.name)) for n, sequence in enumerate(task.evaluators)]
        repeats = range(task.runtime.settings.repeats)
        chunks = (chunk for r in repeats for chunk in task.answered(batched(self.samples, WINDOW), r))
        score_all(tallies, chunks, task.runtime.answers)
        return tallies


def controls_of(task: BaseTask) -> list[Control]:
    """The controls that this run asks of a task: none where its samples show no image."""
    names = task.runtime.settings.controls
    first = next(iter(task.samples), None)
    if not names or first is None or not shows_image(task.request(first, task.generation)):
        return []
    return [Control(task, name) for name in names]

