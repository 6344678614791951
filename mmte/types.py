"""The contracts that everything else hangs on: plain, immutable records without behaviour of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final, Literal, Self

from mmte.errors import MmteError, near

Status = Literal["ok", "empty", "filtered", "error"]
Reason = Literal["scored", "unparsed", "empty", "filtered", "cut", "error", "judge"]
Kind = Literal["chat", "raw", "loglikelihood", "classify"]
Direction = Literal["up", "down", "none"]
"""Which way of a metric is better; "none": neither, as of a difference between two ways to ask."""
Message = Mapping[str, Any]
Messages = tuple[Message, ...]

REASONS: Final[tuple[Reason, ...]] = ("scored", "unparsed", "empty", "filtered", "cut", "error", "judge")
KINDS: Final[tuple[Kind, ...]] = ("chat", "raw", "loglikelihood", "classify")
ASPECTS: Final = ("truthfulness", "safety", "robustness", "fairness", "privacy")


class _Unparsed:
    """The type of `UNPARSED`; a singleton that survives pickling."""

    def __repr__(self) -> str:
        return "UNPARSED"

    def __reduce__(self) -> str:
        return "UNPARSED"


UNPARSED: Final = _Unparsed()
"""What an evaluator returns for an answer that it cannot read; NaN and None are read the same."""


class Record:
    """What a record of named fields can do for MMTrustEval's users."""

    __slots__ = ()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Build one from a mapping; keys that are no field are left out."""
        return cls(**{f.name: data[f.name] for f in fields(cls) if f.name in data})  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dict."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


@dataclass(slots=True)
class TxtSample(Record):
    """A question in words, as a dataset yields it.

    `target` is whatever the evaluator compares with; `extra` carries fields for prompts of judges.
    `id`, `subset`, `cluster` and `group` are optional and filled from the content when empty.
    """

    text: str
    target: Any = None
    extra: Any = None
    id: str = ""
    subset: str = ""
    cluster: str = ""
    group: str = ""


@dataclass(slots=True)
class ImageTxtSample(Record):
    """A question about one image; fields as in `TxtSample`, `image_path` names a file."""

    image_path: str
    text: str
    target: Any = None
    extra: Any = None
    id: str = ""
    subset: str = ""
    cluster: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """One question on its way through the engine.

    `id` is stable (content-derived where the data has none), `cluster` the unit of independence
    (e.g. the image that several questions share), `group` a counterfactual set, `subset` a named part.
    """

    id: str
    messages: Messages
    target: Any = None
    extra: Any = None
    subset: str = ""
    cluster: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Generation:
    """How an answer is produced; canonical, hence part of the cache key.

    Greedy decoding (`do_sample=False`) ignores temperature and seed, so both are zeroed.
    `repeat` numbers the repetitions of `--mmte-repeats`.
    """

    max_new_tokens: int = 50
    do_sample: bool = False
    temperature: float = 0.0
    num_beams: int = 1
    stop_sequences: tuple[str, ...] = ()
    output_scores: bool = False
    seed: int = 0
    repeat: int = 0

    @classmethod
    def from_kwargs(cls, kwargs: Mapping[str, Any], where: str = "generation_kwargs") -> Generation:
        """Read the generation settings of a task file or a `chat()` call.

        Raises:
            MmteError: an unknown setting, or a value of the wrong type or range.
        """
        known = {f.name: f for f in fields(cls) if f.name != "repeat"}
        values: dict[str, Any] = {}
        for name, value in kwargs.items():
            if name not in known:
                raise MmteError(f"{where}: unknown setting '{name}'.{near(name, known)}")
            values[name] = _checked(name, value, where)
        if not values.get("do_sample", False):
            values.update(temperature=0.0, seed=0)
        elif "temperature" not in values:
            values["temperature"] = 1.0
        return cls(**values)

    def changed(self) -> dict[str, Any]:
        """The settings that differ from their defaults (`max_new_tokens` and `repeat` left out); the
        temperature of sampling always."""
        found = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        if self.do_sample:
            found["temperature"] = self.temperature
        return {name: value for name, value in found.items() if name not in ("max_new_tokens", "repeat")}

    def with_repeat(self, repeat: int) -> Generation:
        """The same settings for another repetition."""
        return replace(self, repeat=repeat)


def _checked(name: str, value: Any, where: str) -> Any:
    def wrong(expected: str) -> MmteError:
        return MmteError(f"{where}: {name} must be {expected}, not {value!r}")

    if name in ("do_sample", "output_scores"):
        if not isinstance(value, bool):
            raise wrong("true or false")
        return value
    if name == "stop_sequences":
        items = [value] if isinstance(value, str) else value or []
        if not isinstance(items, (list, tuple)) or not all(isinstance(s, str) and s for s in items):
            raise wrong("a text or a list of texts")
        return tuple(items)
    if name == "temperature":
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
            raise wrong("a number >= 0")
        return float(value)
    least = 0 if name == "seed" else 1
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise wrong(f"a whole number >= {least}")
    return value


@dataclass(frozen=True, slots=True)
class Request:
    """All that a model may see: no dataset, no sample id.

    `kind` is chat (messages), raw (the text of the messages, no template), loglikelihood (of
    `continuation` after the messages; the response's `logprobs` holds the sum) or classify.
    """

    messages: Messages
    generation: Generation = Generation()
    kind: Kind = "chat"
    continuation: str = ""


@dataclass(frozen=True, slots=True)
class Response(Record):
    """What came back. The first four fields are those of MMTrustEval's `Response`, in its order.

    `cut` marks an answer that stopped at max_new_tokens: still an answer. `usage` is
    (prompt tokens, completion tokens). `error` is set when `status` is error; such a response is
    never an answer. `retryable` says whether asking again may help.
    """

    model_id: str = ""
    content: str = ""
    logprobs: Any = None
    finish_reason: str | None = None
    status: Status = "ok"
    cut: bool = False
    reasoning: str = ""
    usage: tuple[int, int] = (0, 0)
    error: str = ""
    retryable: bool = False

    @classmethod
    def failed(cls, error: str, *, retryable: bool = False, model_id: str = "") -> Response:
        """A response that is no answer, with what went wrong."""
        return cls(model_id=model_id, status="error", error=error, retryable=retryable)


@dataclass(slots=True)
class Trial:
    """One sample on its way through a chain of evaluators.

    `value` starts as the answer's text and ends as a number; `steps` keeps what each earlier stage
    of a longer chain returned, by its cumulative key (`a:pred_no_op`).
    """

    sample: Sample
    response: Response
    value: Any = None
    reason: Reason = "scored"
    target: Any = None
    extra: Any = None
    steps: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric's value with what is needed to trust it.

    `low`/`high` is a 95 % interval by `method`; `n` answers of `expected` went into `value`; `bounds`
    are the worst and best value that the answers without a score could have led to.
    """

    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    expected: int
    bounds: tuple[float, float] | None
    method: str
    direction: Direction
    subset: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One parametrised item: a dataset x an evaluator sequence x a model of a task file.

    `config` is plain JSON data: everything that the item was configured with.
    """

    id: str
    task: str
    aspect: str
    dataset: str
    sequence: str
    model: str
    config: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)


@dataclass(frozen=True, slots=True)
class Result:
    """What an item measured; goes on the test report: < 2 KB, plain JSON types.

    `counts` has expected, answered and one entry for each reason; `effort` (asked and cached of the model,
    judge_asked and judge_cached of the other models of a judged item, seconds) is all that may differ between two runs
    that measured the same. `cards` are those of exactly its evaluators, as `mmte.evaluators.card.shown` makes them.
    `metric_options` has the options of each metric that was given some, `value_range` the range of what the evaluators
    may say of a sample, where it is known.
    """

    case: str
    identities: Mapping[str, str]
    counts: Mapping[str, int]
    coverage: float
    estimates: tuple[Estimate, ...]
    samples_file: str = ""
    effort: Mapping[str, float] = field(default_factory=dict)
    problem: str = ""
    notes: tuple[str, ...] = ()
    cards: tuple[Mapping[str, Any], ...] = ()
    metric_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    value_range: tuple[float, float] | None = None
