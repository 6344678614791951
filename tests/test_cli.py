"""The command `mmte`: lists, samples of a run, and mistakes told in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mmte.cli import main
from mmte.registry import registry

CASE, FILE = "t1[d/rule/x]", "t1[d~rule~x].jsonl"
HOSTILE = "\x1b[2J\x00\u202e\ud800\n::error::boom\n##[error]boom"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sample(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"s{number}",
        "subset": "",
        "cluster": f"s{number}",
        "group": "",
        "messages": [{"role": "user", "content": f"Question {number}?"}],
        "target": 1.0,
        "status": "ok",
        "content": f"Answer {number}",
        "cut": False,
        "value": 1.0,
        "reason": "scored",
        **changes,
    }


def write_run(folder: Path, samples: list[dict[str, Any]], **changes: Any) -> None:
    """A report with one case that has samples, and one that was skipped."""
    rows = [
        {
            "case": CASE,
            "outcome": "recorded",
            "node": "a",
            "samples_file": FILE,
            "counts": {"scored": 2},
        },
        {"case": "t1[pictures/rule/x]", "outcome": "skipped", "node": "b", "reason": "reads text only"},
    ]
    rows[0] |= changes
    (folder / "samples").mkdir(parents=True)
    (folder / "report.json").write_text(json.dumps({"results": rows}))
    (folder / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = "".join(json.dumps(s) + "\n" for s in samples)
    (folder / "samples" / FILE).write_text(lines, "ascii")


def out(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """What a command that succeeds writes."""
    assert main(args) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


def error(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """The one line that a command writes about a mistake."""
    assert main(args) == 4
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    return line


# -- list --------------------------------------------------------------------------------------


def test_list_shows_the_shipped_tasks(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = out(capsys, "list").splitlines()
    at = lines.index("p3-infoflow  privacy  InfoFlow expectation")
    assert lines[at + 1].startswith("    datasets: confaide-text, confaide-image, ")
    assert lines[at + 2] == "    evaluators: rule"
    assert out(capsys, "list", "tasks").splitlines() == lines


def test_list_prefers_the_tasks_of_this_folder(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = here / "benchmarks" / "safety"
    folder.mkdir(parents=True)
    rule = "evaluators: {rule: {rule_match_and_score_eval: {metrics_cfg: {failure: {}}}}}\n"
    (folder / "mine.yaml").write_text(f"# mmte.task/1\naspect: safety\ndatasets: [confaide-text]\n{rule}")
    (folder / "other.yaml").write_text("not: ours\n")
    expected = ["mine  safety", "    datasets: confaide-text", "    evaluators: rule"]
    assert out(capsys, "list").splitlines() == expected
    assert out(capsys, "list", "tasks", str(folder / "mine.yaml")).splitlines() == expected


def test_list_goes_on_after_a_broken_task(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.yaml").write_text("# mmte.task/1\naspect: privcy\n")
    rule = "evaluators: {rule: {rule_match_and_score_eval: {metrics_cfg: {failure: {}}}}}\n"
    (here / "b.yaml").write_text(f"# mmte.task/1\naspect: safety\ndatasets: [confaide-text]\n{rule}")
    assert main(["list", "tasks", "."]) == 4
    told = capsys.readouterr()
    assert told.out.startswith("b  safety\n")
    assert told.err.startswith("mmte: a.yaml:2: aspect: ")
    assert "Did you mean 'privacy'?" in told.err


def test_list_of_a_folder_without_tasks(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no task file there" in error(capsys, "list", "tasks", str(here))
    assert "no task file there" in error(capsys, "list", "tasks", "nowhere")
    assert "takes no path" in error(capsys, "list", "datasets", "nowhere")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("datasets", "confaide-text"),
        ("evaluators", "rule_match_and_score_eval"),
        ("models", "smollm2-135m"),
        ("backends", "scripted"),
        ("backends", "openai"),
    ],
)
def test_list_names(here: Path, capsys: pytest.CaptureFixture[str], kind: str, name: str) -> None:
    found = {line.split()[0]: line.partition("  ")[2].strip() for line in out(capsys, "list", kind).splitlines()}
    assert name in found
    assert found[name]  # says what it is


def test_list_of_what_there_is_none_of(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "methods"]) == 0


# -- show --------------------------------------------------------------------------------------


def test_show_without_a_case_lists_them(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(here / "reports" / "latest", [sample(1), sample(2)])
    assert out(capsys, "show").splitlines() == [
        "t1[d/rule/x]         recorded  2 scored",
        "t1[pictures/rule/x]  skipped",
    ]


def test_show_prints_question_answer_and_verdict(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictured = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": {"image_path": "/data/p.png", "text": "What\nis it?"}},
    ]
    write_run(
        here / "reports" / "latest",
        [
            sample(1, messages=pictured, subset="part", cut=True, reasoning="Hm.", steps={"a:pred_no_op": "yes"}),
            sample(2, reason="unparsed", value=None, content="no idea"),
            sample(3, reason="error", value=None, status="error", content="", error="timed out"),
        ],
    )
    text = out(capsys, "show", CASE)
    assert text == (
        "t1[d/rule/x]  s1  (part)\n  system:\n    Be brief.\n  user:\n    (image /data/p.png)\n    What\n    is it?\n"
        "  reasoning:\n    Hm.\n  answer (ok, cut):\n    Answer 1\n  target: 1.0\n  verdict: scored 1.0\n"
        "    a:pred_no_op: yes\n\n"
        "t1[d/rule/x]  s2\n  user:\n    Question 2?\n  answer (ok):\n    no idea\n"
        "  target: 1.0\n  verdict: unparsed\n\n"
        "t1[d/rule/x]  s3\n  user:\n    Question 3?\n  answer (error):\n    timed out\n"
        "  target: 1.0\n  verdict: error\n\n"
        "t1[d/rule/x]: 3 of 3 samples shown (1 scored, 1 unparsed, 1 error)\n"
    )


def test_show_says_why_where_the_evaluator_can(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refusal = "I'm sorry, but I can't help with \x1b[2Jthat."
    write_run(
        here / "run",
        [
            sample(1, content=refusal),
            sample(2, content="I won't tell you about [redacted].", redacted=True),
            sample(3, content="", status="empty", reason="empty", value=None),
        ],
    )
    name = "rule_reject_template_eval"
    chain = {"chain": {name: {}}, "identity": [[name, registry.get_evaluator_class(name).version]]}
    (here / "run" / "samples" / FILE.replace(".jsonl", ".evaluators.json")).write_text(json.dumps(chain))
    lines = out(capsys, "show", CASE, "--run=run").splitlines()
    assert [line for line in lines if "why" in line] == [
        f"  why ({name}): refusal: declines in the speaker's own name: "
        '"I\'m sorry, but I can\'t help with \\x1b[2Jthat."'
    ]
    assert lines[lines.index("  verdict: scored 1.0") + 1].startswith("  why ")
    rows = [json.loads(line) for line in out(capsys, "show", CASE, "--run=run", "--json").splitlines()]
    assert [list(row.get("why", ())) for row in rows] == [[name], [], []]


def test_show_selects_by_reason_and_number(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples = [sample(n, **({"reason": "unparsed", "value": None} if n % 3 == 0 else {})) for n in range(30)]
    write_run(here / "run", samples)
    text = out(capsys, "show", CASE, "--run", "run", "--reason", "unparsed", "-n", "2")
    assert [line.split()[1] for line in text.splitlines() if line.startswith(f"{CASE}  ")] == ["s0", "s3"]
    assert text.splitlines()[-1] == f"{CASE}: 2 of 30 samples shown (20 scored, 10 unparsed)"
    rows = [json.loads(line) for line in out(capsys, "show", CASE, "--run=run", "--json", "-n3").splitlines()]
    assert [(row["case"], row["id"]) for row in rows] == [(CASE, "s0"), (CASE, "s1"), (CASE, "s2")]


def test_show_takes_wildcards_and_tells_why_there_are_no_samples(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(here / "reports" / "latest", [sample(1)])
    lines = out(capsys, "show", "t1[*").splitlines()
    assert lines[-1] == "t1[pictures/rule/x]: skipped, no samples: reads text only"
    assert lines[-2] == f"{CASE}: 1 of 1 samples shown (1 scored)"
    assert out(capsys, "show", "*", "--json").count("\n") == 1


def test_show_prints_nothing_raw(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = sample(
        1,
        id=HOSTILE,
        subset=HOSTILE,
        messages=[{"role": HOSTILE, "content": {"image_path": HOSTILE, "text": HOSTILE}}],
        content=HOSTILE,
        target=HOSTILE,
        reasoning=HOSTILE,
        steps={HOSTILE: HOSTILE},
    )
    write_run(
        here / "reports" / "latest", [hostile, sample(2, error=HOSTILE, reason="error", value=None, status="error")]
    )
    for args in ([CASE], [CASE, "--json"], []):
        text = out(capsys, "show", *args)
        assert not set(text) & set("\x1b\x00\u202e\ud800")
        assert not [line for line in text.splitlines() if line.strip().startswith(("::", "##"))]
    assert "\\x1b[2J\\x00\\u202e\\ud800\n    :\\:error" in out(capsys, "show", CASE)


def test_show_of_a_run_that_was_killed_reads_its_journal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(here / "run", [sample(1)])
    (here / "run" / "report.json").unlink()
    assert out(capsys, "show", CASE, "--run=run").endswith("1 of 1 samples shown (1 scored)\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["show"], "reports/latest: no report there; run pytest first, or name its folder with --run DIR"),
        (["show", "--run=nowhere"], "nowhere: no report there"),
        (["show", "--run=run", "t1[d/rule/y]"], f"the run has no case 't1[d/rule/y]'. Did you mean '{CASE}'"),
        (
            ["show", "--run=run", CASE, "--reason=unpared"],
            "--reason=unpared: no verdict is called so. Did you mean 'unparsed'?",
        ),
        (["show", "--run=run", CASE, "-n", "0"], "-n 0: must be at least 1"),
        (["show", "--run=run", CASE, "-n", "many"], "invalid int value: 'many' (mmte show --help)"),
        (["shwo"], "invalid choice: 'shwo'"),
        ([], "the following arguments are required: COMMAND (mmte --help)"),
        (["list", "things"], "invalid choice: 'things'"),
    ],
)
def test_a_mistake_is_one_line(here: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str) -> None:
    write_run(here / "run", [sample(1)])
    line = error(capsys, *args)
    assert line.startswith("mmte: ")
    assert message in line


def test_show_reads_nothing_outside_of_the_report(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "secret.jsonl").write_text(json.dumps(sample(1)) + "\n")
    write_run(here / "run", [sample(1)], samples_file="../../secret.jsonl")
    assert "outside of the report" in error(capsys, "show", CASE, "--run=run")


def test_a_damaged_report_is_one_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(here / "run", [sample(1)])
    (here / "run" / "samples" / FILE).write_text('{"cut')
    assert main(["show", CASE, "--run=run"]) == 4
    assert ".jsonl:1: no valid JSON" in capsys.readouterr().err
    (here / "run" / "report.json").write_text("[]")
    assert "its report cannot be read" in error(capsys, "show", CASE, "--run=run")


# -- models ------------------------------------------------------------------------------------


def test_models_are_listed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert out(capsys, "models", "list").startswith("smollm2-135m  ")


def test_a_mistake_about_models_is_one_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Did you mean 'smollm2-135m'" in error(capsys, "models", "pull", "smollm-135m")
    assert "required: list|pull (mmte models --help)" in error(capsys, "models")


# -- the program -------------------------------------------------------------------------------


def program(*args: str, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import sys; from mmte.cli import main; sys.exit(main())", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **kwargs)


def test_the_program_with_a_closed_pipe_and_a_small_alphabet(here: Path) -> None:
    write_run(here / "reports" / "latest", [sample(n, content="\u4f60\u597d " * 4000) for n in range(50)])
    shown = program("show", CASE, cwd=here, env={"PYTHONIOENCODING": "ascii"})
    assert shown.returncode == 0
    assert "\\u4f60" in shown.stdout
    script = f"import sys; from mmte.cli import main; sys.exit(main(['show', {CASE!r}, '-n', '50']))"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=here
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_help_and_version(here: Path) -> None:
    assert program("--version").stdout.startswith("mmte ")
    told = program("--help")
    assert told.returncode == 0
    assert all(f"    {command} " in told.stdout for command in ("list", "show", "models"))


def test_list_and_show_need_no_torch(here: Path) -> None:
    write_run(here / "reports" / "latest", [sample(1)])
    script = (
        "import sys; from mmte.cli import main; main(['list']); main(['show']);"
        "print(sorted({'torch', 'transformers', 'xllamacpp', 'aiohttp'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True, cwd=here
    )
    assert done.stdout.splitlines()[-1] == "[]"
