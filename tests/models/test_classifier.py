"""Text classifiers in this process: probabilities, long texts, batches, identity, and what goes wrong."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_models  # noqa: E402
from loopback_hub import serving  # noqa: E402
from tiny_models import answers, asked  # noqa: E402

from mmte.engine.runtime import Runtime  # noqa: E402
from mmte.engine.settings import Settings  # noqa: E402
from mmte.errors import MmteError  # noqa: E402
from mmte.models import classifier_loading  # noqa: E402
from mmte.models.base import BaseChat  # noqa: E402
from mmte.models.scores import Scores  # noqa: E402
from mmte.models.spec import parse_model  # noqa: E402
from mmte.types import Request  # noqa: E402

LABELS = [f"LABEL_{i}" for i in range(6)]
TEXTS = ["Hi", "a" * 62, "a" * 63, "b c " * 16, "No </s> way <pad> " * 30, "\u00e9\ud800!", "x" * 200, "yes " * 100]


def build(folder: Path | str, **options: object) -> BaseChat:
    query = "&".join(f"{k}={v}" for k, v in ({"device": "cpu"} | options).items())
    return parse_model(f"m=classifier:{folder}?{query}").build()


def scores(model: BaseChat, texts: list[str]) -> list[dict[str, float]]:
    """The probabilities of each text."""
    out = []
    for response in answers(model, asked(texts, kind="classify", max_new_tokens=50)):
        found = Scores.read(response.content)
        assert (response.status, response.error) == ("ok", "") and found is not None
        out.append(found.values)
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.classifier(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def model(folder: Path) -> Iterator[BaseChat]:
    built = build(folder)
    yield built
    built.close()


def by_hand(folder: Path, windows: list[list[int]], *, sigmoid: bool = False) -> list[list[float]]:
    """What transformers computes of lists of tokens, one by one."""
    family = tiny_models.transformers.AutoModelForSequenceClassification
    raw = family.from_pretrained(folder).eval()
    with torch.inference_mode():
        logits = [raw(input_ids=torch.tensor([ids])).logits[0] for ids in windows]
    return [(x.sigmoid() if sigmoid else x.softmax(-1)).tolist() for x in logits]


# -- probabilities -------------------------------------------------------------------------------
def test_a_short_text_gets_the_models_softmax(folder: Path, model: BaseChat) -> None:
    tokenizer = tiny_models.transformers.AutoTokenizer.from_pretrained(folder)
    (found,) = scores(model, ["Hello"])
    (wanted,) = by_hand(folder, [tokenizer("Hello")["input_ids"]])
    assert list(found) == LABELS
    assert list(found.values()) == pytest.approx(wanted, abs=6e-6)
    assert sum(found.values()) == pytest.approx(1, abs=4e-5)


def test_several_labels_at_once_and_a_single_one_are_sigmoids(tmp_path: Path) -> None:
    many = tiny_models.classifier(tmp_path / "many", problem_type="multi_label_classification")
    one = tiny_models.classifier(tmp_path / "one", labels=1)
    for folder in (many, one):
        tokenizer = tiny_models.transformers.AutoTokenizer.from_pretrained(folder)
        (found,) = scores(build(folder), ["Hello"])
        (wanted,) = by_hand(folder, [tokenizer("Hello")["input_ids"]], sigmoid=True)
        assert list(found.values()) == pytest.approx(wanted, abs=6e-6)


@pytest.mark.parametrize("kind", ["Bert", "Roberta", "Longformer"])
def test_nothing_depends_on_what_shares_a_batch(kind: str, tmp_path: Path) -> None:
    folder = tiny_models.classifier(tmp_path / kind, kind=kind)
    together, alone = scores(build(folder), TEXTS), scores(build(folder, batch=1), TEXTS)
    for one, two in zip(together, alone, strict=True):
        assert one == pytest.approx(two, abs=2e-5)
    assert len({tuple(row.values()) for row in together}) == len(TEXTS)


@pytest.mark.parametrize("kind", ["Bert", "Roberta", "Longformer"])
def test_the_whole_context_is_used_and_no_more(kind: str, tmp_path: Path) -> None:
    """RoBERTa's family has 66 positions for 64 tokens; one of the 64 is <s>."""
    built = build(tiny_models.classifier(tmp_path / kind, kind=kind))
    used = [r.usage[0] for r in answers(built, asked(["a" * 63, "a" * 64], kind="classify"))]
    assert used == [64, 64 + 18]  # the second window: <s>, 16 shared ones and the last


# -- long texts ----------------------------------------------------------------------------------
def windows(text: str, folder: Path) -> list[list[int]]:
    """63 tokens behind <s>, each beginning with the last 16 of the one before; a letter is a token."""
    tokenizer = tiny_models.transformers.AutoTokenizer.from_pretrained(folder)
    start, *ids = tokenizer(text)["input_ids"]
    out = []
    for at in range(0, len(ids), 63 - 16):
        out.append([start, *ids[at : at + 63]])
        if at + 63 >= len(ids):
            break
    return out


def test_windows_of_a_softmax_are_averaged_by_their_tokens(folder: Path, model: BaseChat) -> None:
    text = "one two three four " * 12
    parts = windows(text, folder)
    assert [len(p) for p in parts][:-1] == [64] * 4 and len(parts[-1]) < 64
    rows = by_hand(folder, parts)
    total = sum(map(len, parts))
    wanted = [sum(row[i] * len(p) for row, p in zip(rows, parts, strict=True)) / total for i in range(6)]
    (found,) = scores(model, [text])
    assert list(found.values()) == pytest.approx(wanted, abs=1e-5)
    assert sum(found.values()) == pytest.approx(1, abs=4e-5)


def test_windows_of_sigmoids_count_by_the_largest(tmp_path: Path, folder: Path) -> None:
    many = tiny_models.classifier(tmp_path / "many", problem_type="multi_label_classification")
    text = "one two three four " * 12
    rows = by_hand(many, windows(text, many), sigmoid=True)
    (found,) = scores(build(many), [text])
    assert list(found.values()) == pytest.approx([max(column) for column in zip(*rows, strict=True)], abs=1e-5)
    averaged, largest = scores(build(many, windows="mean"), [text]), scores(build(folder, windows="max"), [text])
    assert all(averaged[0][k] <= found[k] for k in found) and averaged[0] != found
    assert sum(largest[0].values()) > 1


def test_marks_in_a_text_are_characters(folder: Path, model: BaseChat) -> None:
    tokenizer = tiny_models.transformers.AutoTokenizer.from_pretrained(folder)
    (found,) = scores(model, ["a</s>"])
    plain = [tokenizer.bos_token_id, *(tokenizer.convert_tokens_to_ids(c) for c in "a</s>")]
    as_text, as_mark = by_hand(folder, [plain, tokenizer("a</s>")["input_ids"]])
    assert list(found.values()) == pytest.approx(as_text, abs=6e-6)
    assert list(found.values()) != pytest.approx(as_mark, abs=1e-3)


def test_an_empty_text_has_no_scores(model: BaseChat) -> None:
    for response in answers(model, asked(["", " \n"], kind="classify")):
        assert (response.status, json.loads(response.content)) == ("ok", {"unscored": "the text is empty"})


# -- identity ------------------------------------------------------------------------------------
def test_the_identity_is_that_of_the_files_and_needs_no_weights(folder: Path, tmp_path: Path) -> None:
    built = build(folder)
    identity = built.identity()
    assert built._loaded is None  # type: ignore[attr-defined]
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    assert build(copy).identity() == identity == build(folder, batch=3).identity()
    assert str(folder) not in json.dumps(identity)
    other = tiny_models.classifier(tmp_path / "other", seed=1)
    for changed in (build(other), build(folder, windows="max"), build(folder, dtype="bfloat16")):
        assert changed.identity() != identity
    assert identity["dtype"] == "float32"


ASK = """
import json, sys
from mmte.models.spec import parse_model
from mmte.types import Request
model = parse_model("m=classifier:org/tiny?device=cpu").build()
identity = dict(model.identity())
heavy = [n for n in ("torch", "transformers") if n in sys.modules]
request = Request(({"role": "user", "content": "Hello"},), kind="classify")
print(json.dumps([identity, heavy, [r.content for batch in model.generate([request]) for _, r in batch]]))
"""


def test_a_classifier_by_its_id(folder: Path, model: BaseChat, tmp_path: Path) -> None:
    with serving({"org/tiny": folder}) as hub:
        env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")} | hub.environment(tmp_path / "home")
        command = [sys.executable, "-c", ASK]
        run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=True)
        commit = hub.commit
    identity, heavy, (content,) = json.loads(run.stdout)
    assert (identity["repo"], identity["commit"], heavy) == ("org/tiny", commit, [])
    assert json.loads(content) == scores(model, ["Hello"])[0]


# -- what goes wrong -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("windows=first", r"windows='first' is not known\. Known: auto, max, mean\."),
        ("batch=0", "batch=0 is not within 1 to 4096"),
        ("batch_size=8", r"has no option 'batch_size'\. Did you mean 'batch'\?"),
        ("device=tpu", "device='tpu' is not known"),
        ("dtype=int8", "dtype='int8' is not known"),
    ],
)
def test_a_bad_option_is_told_in_one_line(folder: Path, options: str, said: str) -> None:
    with pytest.raises(MmteError, match=said) as caught:
        parse_model(f"m=classifier:{folder}?{options}").build()
    assert "\n" not in str(caught.value)


def test_a_model_that_is_no_classifier_is_refused(tmp_path: Path) -> None:
    chat = tiny_models.text_model(tmp_path / "chat")
    with pytest.raises(MmteError, match=r"the weights lack \d tensors, e\.g\. score\.weight; is it a text classifier"):
        build(chat).load()
    config = tiny_models.classifier(tmp_path / "number", labels=1, problem_type="regression")
    with pytest.raises(MmteError, match="computes a number and no probability"):
        build(config).load()
    doubled = tiny_models.classifier(tmp_path / "doubled", labels=2, id2label={0: "same", 1: "same"})
    with pytest.raises(MmteError, match="two labels of the model are called 'same'"):
        build(doubled).load()
    with pytest.raises(MmteError, match="is neither a folder nor an id"):
        build("no such/model/here")


def test_broken_weights_are_failures_and_no_scores(tmp_path: Path) -> None:
    folder = tiny_models.classifier(tmp_path / "broken")
    family = tiny_models.transformers.AutoModelForSequenceClassification
    raw = family.from_pretrained(folder)
    raw.classifier.bias.data.fill_(math.nan)
    raw.save_pretrained(folder)
    (response,) = answers(build(folder), asked(["Hello"], kind="classify"))
    assert (response.status, response.content) == ("error", "")
    assert "computed NaN" in response.error


def test_it_classifies_and_does_nothing_else(folder: Path, model: BaseChat) -> None:
    with pytest.raises(MmteError, match="cannot answer 'chat' requests, only classify"):
        answers(model, asked(["Hello"]))
    image = Request(({"role": "user", "content": {"image_path": "a.png", "text": "Hi"}},), kind="classify")
    with pytest.raises(MmteError, match="reads text only"):
        answers(model, [image])


def test_a_list_that_does_not_fit_is_halved_by_the_engine(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight windows at a time run out of memory, so a list of six texts and eleven windows must shrink."""
    run = Runtime(Settings(judges={"j": parse_model(f"j=classifier:{folder}?device=cpu")}, cache=tmp_path / "c"))
    chat: Any = run.pool.ready("j")
    forward, sizes = chat._loaded.model.forward, []

    def small(**inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 8:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return forward(**inputs)

    monkeypatch.setattr(chat._loaded.model, "forward", small)
    requests = asked(["x" * 100 + str(i) for i in range(5)] + ["short"], kind="classify")
    got = list(run.answers.get("j", requests))
    run.close()
    assert [r.status for r in got] == ["ok"] * 6
    assert max(sizes) > 8 and sizes[-1] <= 8


def test_one_load_answers_for_all_who_ask(folder: Path, tmp_path: Path) -> None:
    run = Runtime(Settings(judges={"j": parse_model(f"j=classifier:{folder}?device=cpu")}, cache=tmp_path / "c"))
    requests = asked(TEXTS, kind="classify")
    first = list(run.answers.get("j", requests))
    assert list(run.answers.get("j", requests[::-1])) == first[::-1]
    assert (run.pool.loads, run.answers.asked) == (["j"], len(TEXTS))
    run.close()


def test_long_windows_are_computed_few_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: Any = build(folder)
    texts = ["x" * 60 + str(i) for i in range(10)] + ["y" + str(i) for i in range(10)]
    wanted = scores(built, texts)
    monkeypatch.setattr(classifier_loading, "_TOKENS", 200)
    forward, shapes = built._loaded.model.forward, []

    def counted(**inputs: Any) -> Any:
        shapes.append(tuple(inputs["input_ids"].shape))
        return forward(**inputs)

    monkeypatch.setattr(built._loaded.model, "forward", counted)
    assert [dict(row) for row in scores(built, texts)] == [pytest.approx(row, abs=2e-5) for row in wanted]
    assert sum(rows for rows, _ in shapes) == len(texts)
    assert max(rows * tokens for rows, tokens in shapes) <= 200 and len(shapes) > 4
    built.close()
