"""What was written for MMTrustEval works with its imports changed: one class of each kind, used together."""

import json
import os
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union  # noqa: UP035 - as the originals are written

import pytest

from mmte import ImageTxtSample, TxtSample
from mmte.datasets.base import BaseDataset, collate_fn
from mmte.errors import MmteError, ModelGone
from mmte.evaluators.base import BaseEvaluator, SequentialEvaluator
from mmte.evaluators.metrics import _supported_metrics
from mmte.methods.base import BaseMethod
from mmte.models.base import BaseChat, Generation, Request, Response
from mmte.tasks.base import BaseTask
from mmte.utils.registry import registry

# ruff: noqa: UP006, UP007, UP045, PTH110, PTH118, PTH123, B905
CAPITALS = [("France", "Paris"), ("Italy", "Rome"), ("Spain", "Madrid"), ("Peru", "Lima"), ("Chad", "N'Djamena")]


@registry.register_dataset()
class CapitalsDataset(BaseDataset):
    dataset_ids: Sequence[str] = ["port-capitals", "port-capitals-plain"]
    dataset_config: Optional[str] = "mmte/configs/datasets/capitals.yaml"

    def __init__(self, dataset_id: str, method_hook: Optional[BaseMethod] = None, **kwargs) -> None:
        super().__init__(dataset_id=dataset_id, method_hook=method_hook)
        self.dataset_id = dataset_id
        rows = CAPITALS * kwargs.get("copies", 1)
        dataset: List[TxtSample] = []
        for number, (country, capital) in enumerate(rows):
            text = f"{number}: What is the capital of {country}?"
            extra = {"subset": "long" if "'" in capital else "short"}
            dataset.append(TxtSample(text=text, target=capital, extra=extra))
        self.dataset = dataset

    def __getitem__(self, index: int) -> Union[TxtSample, ImageTxtSample]:
        if self.method_hook:
            return self.method_hook.run(self.dataset[index])
        return self.dataset[index]

    def __len__(self) -> int:
        return len(self.dataset)


@registry.register_method()
class TextPicture(BaseMethod):
    method_ids: List[str] = ["port-text-picture"]

    def __init__(self, method_id: str, img_dir: str, suffix: str = ".pgm", lazy_mode: bool = True) -> None:
        super().__init__(method_id=method_id, img_dir=img_dir, lazy_mode=lazy_mode)
        self.suffix = suffix

    def run(self, data: TxtSample, **kwargs) -> ImageTxtSample:
        image_path = os.path.join(self.img_dir, self.hash(data.text) + self.suffix)
        if not self.lazy_mode or not os.path.exists(image_path):
            with open(image_path, "w") as f:
                f.write(f"P2 1 1 255 {len(data.text)}")
        return ImageTxtSample(image_path=image_path, text=data.text, target=data.target, extra=data.extra)

    def hash(self, to_hash_str: str, **kwargs) -> str:
        return super().hash(to_hash_str)[:16]


@registry.register_evaluator()
class WordEvaluator(BaseEvaluator):
    evaluator_ids: Sequence[str] = ["port-word"]

    def __init__(self, evaluator_id: str, metrics_cfg: Dict[str, Any], lower: bool = False) -> None:
        super().__init__(evaluator_id, metrics_cfg)
        self.lower = lower

    def process(
        self, preds: Sequence[Any], labels: Sequence[Any], extras: Sequence[Any], **kwargs
    ) -> Tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        words = [pred.strip().rstrip(".").split(" ")[-1] for pred in preds]
        return [w.lower() if self.lower else w for w in words], labels, extras


@registry.register_evaluator()
class RightEvaluator(BaseEvaluator):
    evaluator_ids: Sequence[str] = ["port-right"]

    def process(self, preds, labels, extras=None, **kwargs):
        return [1 if pred == label else 0 for pred, label in zip(preds, labels)], [1] * len(preds)


def share_of_ones(labels, preds, minus=0.0):
    return sum(p == 1 for p in preds) / len(preds) - minus


_supported_metrics["port_share"] = share_of_ones


@registry.register_chatmodel()
class AtlasChat(BaseChat):
    model_family: List[str] = ["port-atlas-7b", "port-atlas-raises", "port-atlas-full"]
    model_arch: str = "atlas"
    parameters: Dict[str, str] = {}

    def __init__(self, model_id: str, device: str = "cpu") -> None:
        super().__init__(model_id)
        self.known = dict(CAPITALS[:4])

    def chat(self, messages: List, **generation_kwargs):
        for message in messages:
            assert message["role"] in ["system", "user", "assistant"]
            content = message["content"]
            if isinstance(content, dict):
                assert os.path.exists(content["image_path"])
                content = content["text"]
        if generation_kwargs.get("do_sample"):
            content += " roughly"
        country = content.split(" ")[-1].rstrip("?")
        if country == "Peru" and self.model_id == "port-atlas-raises":
            raise ValueError("index out of\n range in self")
        if country == "Peru" and self.model_id == "port-atlas-full":
            raise MemoryError("no room")
        text = f"It is {self.known.get(country, 'unknown')}."
        return Response(self.model_id, text, None, None)


SEQUENCES: List[Dict[str, Any]] = [
    {
        "port-word": {"metrics_cfg": {"pred_no_op": {}}},
        "port-right": {
            "metrics_cfg": {"pred_no_op": {}, "pred_mean": {}, "accuracy_score": {}, "port_share": {"minus": 0.1}},
        },
    },
]


def task(tmp_path: Path, **kwargs) -> BaseTask:
    told = {
        "dataset_id": "port-capitals",
        "model_id": "port-atlas-7b",
        "method_cfg": {"port-text-picture": {"img_dir": str(tmp_path / "images")}},
        "generation_kwargs": {"max_new_tokens": 50, "do_sample": False},
        "evaluator_seq_cfgs": SEQUENCES,
        "log_file": str(tmp_path / "logs" / "capitals.json"),
    }
    return BaseTask(**{**told, **kwargs})


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MMTE_CACHE", str(tmp_path / "cache.sqlite"))


# -- together --------------------------------------------------------------------------------------
def test_they_work_together(tmp_path):
    results = task(tmp_path).pipeline()
    totals = results["total_results"]
    assert totals["port-word->port-right:pred_mean"] == 0.8
    assert totals["port-word->port-right:accuracy_score"] == 0.8
    assert totals["port-word->port-right:port_share"] == pytest.approx(0.7)
    assert totals["port-word->port-right:pred_mean_short"] == 1.0
    assert totals["port-word->port-right:pred_mean_long"] == 0.0
    written = json.loads((tmp_path / "logs" / "capitals.json").read_text())
    assert written["total_results"] == totals
    first = written["per_sample_results"][0]
    assert first["content"] == "It is Paris."
    assert first["steps"] == {"port-word:pred_no_op": "Paris"}
    assert first["messages"][0]["content"]["image_path"].startswith(str(tmp_path / "images"))
    assert len(list((tmp_path / "images").iterdir())) == 5


def test_a_method_and_a_log_file_are_optional(tmp_path):
    plain = task(tmp_path, method_cfg=None, log_file=None, dataset_id="port-capitals-plain", dataset_cfg={"copies": 4})
    assert plain.pipeline()["total_results"]["port-word->port-right:pred_mean"] == 0.8
    assert plain.results[0].counts["scored"] == 20


def test_sampling_reaches_the_model(tmp_path):
    sampled = task(tmp_path, generation_kwargs={"max_new_tokens": 50, "do_sample": True, "temperature": 0.2})
    assert sampled.pipeline()["total_results"]["port-word->port-right:pred_mean"] == 0.0


def test_one_sample_that_raises_costs_that_sample(tmp_path):
    broken = task(tmp_path, model_id="port-atlas-raises", dataset_cfg={"copies": 20})
    broken.pipeline()
    (result,) = broken.results
    assert (result.counts["error"], result.counts["answered"]) == (20, 80)
    assert result.problem.endswith("first error: ValueError: index out of range in self")


def test_a_full_memory_is_no_answer_of_one_sample(tmp_path):
    chat = AtlasChat("port-atlas-full")
    with pytest.raises(MemoryError):
        list(chat.generate([Request(({"role": "user", "content": "Peru"},))]))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), ModelGone("dead"), MmteError("wrong")])
def test_what_is_no_fault_of_a_sample_passes_through(error):
    class Raises(BaseChat):
        def chat(self, messages, **generation_kwargs):
            raise error

    with pytest.raises(type(error)):
        list(Raises("m").generate([Request(())]))


def test_an_exhausted_device_passes_through():
    class OutOfMemoryError(RuntimeError):
        """As torch calls it."""

    class Raises(BaseChat):
        def chat(self, messages, **generation_kwargs):
            raise OutOfMemoryError("CUDA out of memory")

    with pytest.raises(OutOfMemoryError):
        list(Raises("m").generate([Request(())]))


@pytest.mark.parametrize(
    ("result", "error", "retryable"),
    [
        ("Paris", "TypeError: chat() returned a str, not a Response", False),
        (None, "TypeError: chat() returned a NoneType, not a Response", False),
        (ConnectionResetError("peer"), "ConnectionResetError: peer", True),
        (KeyError("x" * 1000), f"KeyError: '{'x' * 1000}'"[:300], False),
    ],
)
def test_what_a_failed_response_says(result, error, retryable):
    class Odd(BaseChat):
        def chat(self, messages, **generation_kwargs):
            if isinstance(result, Exception):
                raise result
            return result

    (((_, response),),) = Odd("m").generate([Request(())])
    assert response == Response.failed(error, retryable=retryable, model_id="m")


def test_a_model_needs_a_chat_or_a_generate():
    class Neither(BaseChat):
        pass

    with pytest.raises(NotImplementedError, match="Neither implements neither"):
        list(Neither("m").generate([Request(())]))
    with pytest.raises(NotImplementedError, match="Neither implements neither"):
        Neither("m").chat([])


def test_settings_reach_chat_as_they_are_written():
    seen = []

    class Keeps(BaseChat):
        def chat(self, messages, **generation_kwargs):
            seen.append(generation_kwargs)
            return Response(self.model_id, "x", None, None)

    sampled = {"do_sample": True, "temperature": 0.0, "max_new_tokens": 7}
    kwargs = [{}, sampled, {"stop_sequences": ["."], "num_beams": 2}]
    list(Keeps("m").generate([Request((), Generation.from_kwargs(k)) for k in kwargs]))
    assert seen == [
        {"max_new_tokens": 50, "do_sample": False},
        {"max_new_tokens": 7, "do_sample": True, "temperature": 0.0},
        {"max_new_tokens": 50, "do_sample": False, "num_beams": 2, "stop_sequences": (".",)},
    ]
    assert [Generation.from_kwargs(k) for k in seen] == [Generation.from_kwargs(k) for k in kwargs]


def test_chat_models_see_images_unless_they_say_otherwise():
    class Blind(AtlasChat):
        modalities = frozenset({"text"})

    class Words(Blind):
        def chat(self, messages, **generation_kwargs):
            return Response(self.model_id, "x", None, None)

    assert AtlasChat.modalities == {"text", "image"}
    assert Words.modalities == BaseChat.modalities == {"text"}


# -- one by one ------------------------------------------------------------------------------------
def test_the_dataset_alone(tmp_path):
    hook = TextPicture("port-text-picture", img_dir=str(tmp_path / "new" / "folder"))
    dataset = registry.get_dataset_class("port-capitals")(dataset_id="port-capitals", method_hook=hook)
    assert len(dataset) == len(list(dataset)) == 5
    (item,) = collate_fn([dataset[0]])
    assert item["target"] == "Paris"
    assert item["extra"] == {"subset": "short"}
    content = {"image_path": dataset[0].image_path, "text": dataset[0].text}
    assert item["message"] == [{"role": "user", "content": content}]
    assert collate_fn([TxtSample("q", 1, 2)]) == [
        {"message": [{"role": "user", "content": "q"}], "target": 1, "extra": 2}
    ]
    with pytest.raises(TypeError, match="must yield TxtSample or ImageTxtSample, not dict"):
        collate_fn([{"text": "q"}])
    with pytest.raises(MmteError, match="has no dataset 'port-capital'. Did you mean 'port-capitals'"):
        CapitalsDataset("port-capital")


def test_the_method_alone(tmp_path):
    method = TextPicture(method_id="port-text-picture", img_dir=str(tmp_path), lazy_mode=True)
    one = method(TxtSample("q", "t", {"a": 1}))
    assert (one.text, one.target, one.extra) == ("q", "t", {"a": 1})
    Path(one.image_path).write_text("kept")
    assert Path(method.run(TxtSample("q")).image_path).read_text() == "kept"
    fresh = TextPicture("port-text-picture", str(tmp_path), lazy_mode=False)
    assert Path(fresh.run(TxtSample("q")).image_path).read_text() != "kept"
    assert method.hash("a") != method.hash("b")
    with pytest.raises(MmteError, match="has no method 'port-text'. Did you mean 'port-text-picture'"):
        TextPicture("port-text", str(tmp_path))


def test_the_evaluators_alone():
    cls = registry.get_evaluator_class("port-word")
    word = cls(evaluator_id="port-word", metrics_cfg={"pred_no_op": {}}, lower=True)
    assert word(["It is Paris."], ["Paris"], [None]) == {"pred_no_op": ["paris"]}
    right = RightEvaluator("port-right", {"accuracy_score": {}, "port_share": {}})
    assert right.eval(["a", "b"], ["a", "c"]) == {"accuracy_score": 0.5, "port_share": 0.5}
    sequence = SequentialEvaluator(SEQUENCES[0])
    results = sequence(["It is Paris.", "Rome"], ["Paris", "Lima"], [None, None])
    assert results == {
        "port-word:pred_no_op": ["Paris", "Rome"],
        "port-word->port-right:pred_no_op": [1, 0],
        "port-word->port-right:pred_mean": 0.5,
        "port-word->port-right:accuracy_score": 0.5,
        "port-word->port-right:port_share": 0.4,
    }


def test_the_model_alone():
    model = registry.get_chatmodel_class("port-atlas-7b")("port-atlas-7b")
    response = model.chat(messages=[{"role": "user", "content": "Capital of Italy?"}], max_new_tokens=5)
    assert (response.content, response.status, response.model_id) == ("It is Rome.", "ok", "port-atlas-7b")
    assert model.identity() == {"class": f"{__name__}.AtlasChat", "model_id": "port-atlas-7b"}
    with pytest.raises(MmteError, match="has no model 'port-atlas'. Did you mean 'port-atlas-7b'"):
        AtlasChat("port-atlas")


# -- as a task file --------------------------------------------------------------------------------
TASK = """# mmte.task/1
dataset_id: "port-capitals"
model_id: "port-atlas-7b"
log_file: "./logs/capitals.json"
aspect: truthfulness
method_cfg: {port-text-picture: {img_dir: images}}
generation_kwargs: {
    'max_new_tokens': 50,
    'do_sample': False,
}
evaluator_seq_cfgs:
  [
    {
      "port-word": { metrics_cfg: { pred_no_op: {} } },
      "port-right": { metrics_cfg: { pred_mean: {}, port_share: { minus: 0.1 } } },
    },
  ]
"""


@pytest.mark.parametrize("options", [[], ["--model=port-atlas-7b"], ["--model=atlas=port-atlas-7b"]], ids=len)
def test_as_a_task_file(pytester, options):
    pytester.makefile(".yaml", **{"t9-capitals": TASK})
    pytester.makeconftest(f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\nimport test_ports\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-v", "t9-capitals.yaml", *options)
    name = "atlas" if "atlas=" in "".join(options) else "port-atlas-7b"
    result.stdout.fnmatch_lines([f"*t9-capitals[[]port-capitals/port-word+port-right/{name}] RECORDED*pred_mean=0.8*"])
    assert result.ret == 0
    (report,) = pytester.path.glob("reports/2*/report.json")
    (row,) = json.loads(report.read_text())["results"]
    values = {(e["metric"], e["subset"]): e["value"] for e in row["estimates"]}
    assert values["pred_mean", ""] == 0.8
    assert values["port_share", "short"] == pytest.approx(0.9)
    assert not pytester.path.joinpath("logs").exists()


def test_imports_that_the_ports_need_are_there():
    assert sys.modules["mmte"].TxtSample is TxtSample
    assert sys.modules["mmte.utils.registry"].registry is registry
