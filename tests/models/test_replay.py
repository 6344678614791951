"""Answers of an earlier run, given again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mmte.datasets.base import BaseDataset, ImageTxtSample, TxtSample
from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.errors import MmteError
from mmte.models.spec import parse_model
from mmte.registry import registry
from mmte.tasks.base import BaseTask
from mmte.types import Case, Generation, Request, Response, Result


@registry.register_dataset()
class Mixed(BaseDataset):
    """Questions in words and about pictures (of one name in several folders); one of them twice."""

    dataset_ids = ("rp-mixed",)

    def __init__(self, dataset_id: str, method_hook: Any = None, folder: str = "") -> None:
        super().__init__(dataset_id, method_hook)
        picture = Path(folder) / "p.png"
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(b"picture")
        self.dataset = [
            *(TxtSample(f"How much is {n}?", n, {"subset": "odd" if n % 2 else "even"}) for n in range(30)),
            TxtSample("How much is 3?", 3, {"subset": "odd"}),
            *(ImageTxtSample(str(picture), f"What is {n}?", n, {"subset": "image"}) for n in range(5)),
        ]


SEQUENCE = {"rule_match_and_score_eval": {"metrics_cfg": {"failure": {}, "pearson_corr": {}}}}


def measure(tmp_path: Path, spec: str, run: str, repeats: int = 1) -> Result:
    settings = Settings(
        models={"m": parse_model(f"m={spec}")}, cache=tmp_path / f"{run}.sqlite", samples_dir=tmp_path / run,
        repeats=repeats, min_coverage=0.5,
    )  # fmt: skip
    config = {
        "dataset_id": "rp-mixed", "dataset_cfg": {"folder": str(tmp_path / "images")}, "evaluator": SEQUENCE,
        "generation_kwargs": {"do_sample": True, "max_new_tokens": 9},
    }  # fmt: skip
    case = Case("t[d/s/m]", "t", "privacy", "d", "s", "m", config)
    runtime = Runtime(settings, [case])
    try:
        return runtime.ensure(case)
    finally:
        runtime.close()


def comparable(result: Result) -> Result:
    kept = {k: v for k, v in result.identities.items() if k != "model"}
    return replace(result, effort={}, identities=kept)


FAULTS = "?empty=0.1&filtered=0.1&cut=0.2&malformed=0.1&fail=0.05"


@pytest.mark.parametrize("target", ["run/t[d~s~m].jsonl", "run"])
def test_a_samples_file_measures_what_was_measured(tmp_path: Path, target: str) -> None:
    first = measure(tmp_path, f"scripted:-100|0|50|100|well{FAULTS}", "run")
    again = measure(tmp_path, f"replay:{tmp_path / target}", "again")
    assert first.counts["empty"] and first.counts["filtered"] and first.counts["unparsed"] and first.counts["error"]
    assert comparable(again) == comparable(first)
    assert samples(tmp_path / "again") == samples(tmp_path / "run")


def samples(folder: Path) -> list[dict[str, Any]]:
    rows = map(json.loads, (folder / "t[d~s~m].jsonl").read_text().splitlines())
    return [{k: row[k] for k in ("id", "content", "status", "cut", "value", "reason")} for row in rows]


def test_repetitions_keep_their_answers(tmp_path: Path) -> None:
    rows = [("q", "id", "first"), ("other", "o", "x"), ("q", "id-2", "first"), ("q", "id", "second")]
    file = tmp_path / "a.jsonl"
    lines = [{"id": name, "messages": [{"role": "user", "content": q}], "content": a} for q, name, a in rows]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [ask(file, "q", repeat).content for repeat in (0, 1)] == ["first", "second"]
    assert ask(file, "q", 2).status == ask(file, "other", 1).status == "error"


def ask(file: Path, content: Any, repeat: int = 0) -> Response:
    chat = parse_model(f"m=replay:{file}").build()
    chat.load()
    request = Request(({"role": "user", "content": content},), Generation(repeat=repeat))
    ((found, response),) = next(iter(chat.generate([request])))
    assert found is request
    return response


def write(file: Path, *rows: Any) -> Path:
    file.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows))
    return file


QUESTION = [{"role": "user", "content": "q"}]


def test_lines_need_messages_and_content_only(tmp_path: Path) -> None:
    row = {"messages": QUESTION, "content": "Yes", "reasoning": "hm", "finish_reason": "length", "cut": True}
    file = write(tmp_path / "a.jsonl", row, "", {"messages": QUESTION, "content": "later"})
    assert ask(file, "q") == Response("m", "Yes", None, "length", cut=True, reasoning="hm")
    assert ask(file, "unknown") == Response.failed("not in the replayed files", model_id="m")


def test_failures_of_the_first_run_are_failures(tmp_path: Path) -> None:
    row = {"messages": QUESTION, "content": "", "status": "error", "error": "timeout"}
    assert ask(write(tmp_path / "a.jsonl", row), "q").status == "error"


def test_images_are_known_by_their_names(tmp_path: Path) -> None:
    content = {"image_path": "/old/cat.png", "text": "What?"}
    file = write(tmp_path / "a.jsonl", {"messages": [{"role": "user", "content": content}], "content": "A cat."})
    assert ask(file, {"image_path": "/new/cat.png", "text": "What?"}).content == "A cat."
    assert ask(file, {"image_path": "/new/dog.png", "text": "What?"}).status == "error"


BROKEN = {
    "no JSON": "{",
    "no object": "[1]",
    "a text": '"x"',
    "no messages": '{"content": "x"}',
    "no content": '{"messages": [{"role": "user", "content": "q"}]}',
    "content no text": '{"messages": [{"role": "user", "content": "q"}], "content": 5}',
    "messages no list": '{"messages": 5, "content": "x"}',
    "message without role": '{"messages": [{"content": "x"}], "content": "x"}',
    "message a text": '{"messages": ["x"], "content": "x"}',
    "unknown status": '{"messages": [{"role": "user", "content": "q"}], "content": "x", "status": "great"}',
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    file = write(tmp_path / "a.jsonl", {"messages": QUESTION, "content": "x"}, line)
    with pytest.raises(MmteError, match=r"a\.jsonl:2: not a JSON object with 'messages' and 'content'"):
        parse_model(f"m=replay:{file}").build().load()


def test_files_that_are_not_there_or_no_text(tmp_path: Path) -> None:
    for missing in (tmp_path / "absent.jsonl", tmp_path):
        with pytest.raises(MmteError, match=f"^--model m: there is no file {missing} to replay"):
            parse_model(f"m=replay:{missing}").build()
    (tmp_path / "latin.jsonl").write_bytes(b'{"\xff"')
    with pytest.raises(MmteError, match=r"latin\.jsonl: cannot be read"):
        parse_model(f"m=replay:{tmp_path / 'latin.jsonl'}").build().load()
    with pytest.raises(MmteError, match="replay has no option 'fast'"):
        parse_model(f"m=replay:{tmp_path / 'latin.jsonl'}?fast=yes").build()


def test_the_identity_is_what_the_files_say_wherever_they_lie(tmp_path: Path) -> None:
    row = {"messages": QUESTION, "content": "x"}
    one, other = write(tmp_path / "one.jsonl", row), write(tmp_path / "other.jsonl", row)
    identity = parse_model(f"m=replay:{one}").build().identity()
    assert parse_model(f"m=replay:{other}").build().identity() == identity
    write(other, {**row, "content": "y"})
    assert parse_model(f"m=replay:{other}").build().identity() != identity


def test_a_task_in_python_can_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMTE_CACHE", str(tmp_path / "cache.sqlite"))
    questions = [[{"role": "user", "content": f"How much is {n}?"}] for n in range(30)]
    file = write(tmp_path / "a.jsonl", *({"messages": q, "content": "50"} for q in questions))
    data = {"folder": str(tmp_path / "i")}
    task = BaseTask("rp-mixed", f"replay:{file}", dataset_cfg=data, evaluator_seq_cfgs=[SEQUENCE])
    task.pipeline()
    assert (task.results[0].counts["answered"], task.results[0].counts["error"]) == (31, 5)
    assert task.results[0].estimates[0].value is None
