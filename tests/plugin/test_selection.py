"""Task files are collected, named, ordered and selected like any tests."""

from __future__ import annotations

from typing import Any

import pytest

TEXT = "t1[confaide-text/rule/x]"
ALL = ["t1[confaide-text/rule/x]", "t1[confaide-image/rule/x]", "t2[confaide-text/rule/x]"]
NODE = f"benchmarks/privacy/{TEXT.replace('t1[', 't1.yaml::t1[')}"


def collected(bench: Any, *args: str, **kwargs: Any) -> list[str]:
    result = bench.run("--collect-only", "-q", *args, **kwargs)
    return [line for line in result.outlines if "::" in line]


def two_tasks(bench: Any) -> None:
    bench.task("t1", datasets="[confaide-text, confaide-image]")
    bench.task("t2", aspect="safety", more="title: Another")


def test_ids_name_task_dataset_sequence_and_model(bench: Any) -> None:
    two_tasks(bench)
    assert collected(bench) == [
        "benchmarks/privacy/t1.yaml::t1[confaide-text/rule/x]",
        "benchmarks/privacy/t1.yaml::t1[confaide-image/rule/x]",
        "benchmarks/safety/t2.yaml::t2[confaide-text/rule/x]",
    ]


@pytest.mark.parametrize(
    ("args", "cases"),
    [
        (["-k", "privacy"], ["t1[confaide-text/rule/x]", "t1[confaide-image/rule/x]"]),
        (["-k", "confaide-image"], ["t1[confaide-image/rule/x]"]),
        (["-k", "rule/x and text"], ["t1[confaide-text/rule/x]", "t2[confaide-text/rule/x]"]),
        (["-m", "privacy"], ["t1[confaide-text/rule/x]", "t1[confaide-image/rule/x]"]),
        (["-m", "safety"], ["t2[confaide-text/rule/x]"]),
        (["-m", "task(evaluator='rule')"], ALL),
        (["-m", "task(dataset='confaide-text') and privacy"], ["t1[confaide-text/rule/x]"]),
        (["-m", "task(model='other')"], []),
        (["benchmarks/safety/t2.yaml"], ["t2[confaide-text/rule/x]"]),
        (["benchmarks/privacy"], ["t1[confaide-text/rule/x]", "t1[confaide-image/rule/x]"]),
        ([NODE], ["t1[confaide-text/rule/x]"]),
    ],
)  # fmt: skip
def test_selected_as_pytest_selects(bench: Any, args: list[str], cases: list[str]) -> None:
    two_tasks(bench)
    assert [line.partition("::")[2] for line in collected(bench, "--strict-markers", *args)] == cases


def test_model_names_select(bench: Any) -> None:
    bench.task()
    found = collected(bench, "--model=qwen=scripted:50", "-k", "rule/qwen")
    assert found == ["benchmarks/privacy/t1.yaml::t1[confaide-text/rule/qwen]"]


def test_yaml_without_our_first_line_is_not_ours(bench: Any) -> None:
    bench.task()
    (bench.path / "benchmarks" / "config.yaml").write_text("aspect: privacy\n# mmte.task/1\n")
    (bench.path / "benchmarks" / "broken.yaml").write_text("{: not even yaml")
    (bench.path / "benchmarks" / "binary.yml").write_bytes(b"\xff\xfe\x00")
    assert collected(bench) == [NODE]
    result = bench.run("benchmarks/config.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *config.yaml*"])


def test_a_mark_after_a_byte_order_mark_and_yml_count(bench: Any) -> None:
    path = bench.task()
    text = path.read_text()
    path.unlink()
    path.with_suffix(".yml").write_text("\ufeff" + text, "utf-8")
    assert collected(bench) == [NODE.replace(".yaml", ".yml")]


@pytest.mark.parametrize("how", ["benchmarks", "mmte"])
def test_shipped_benchmarks_by_package_name(bench: Any, how: str) -> None:
    package = {"benchmarks": "mmte.benchmarks", "mmte": "mmte.benchmarks.privacy"}[how]
    cases = [line.partition("::")[2] for line in collected(bench, "--pyargs", package, "-k", "p3-infoflow")]
    assert "p3-infoflow[confaide-text/rule/x]" in cases
    assert len(cases) == 5


def test_shipped_benchmarks_run_by_package_name(bench: Any, workers: list[str]) -> None:
    args = ["--pyargs", "mmte.benchmarks", "-k", "p3-infoflow and confaide-text"]
    assert bench.run(*args, *workers).ret == 0
    assert list(bench.results()) == ["p3-infoflow[confaide-text/rule/x]"]


def test_two_models_one_after_the_other_each_loaded_once(bench: Any, workers: list[str]) -> None:
    two_tasks(bench)
    models = [f"--model={name}=scripted:{answer}?log={bench.log}" for name, answer in (("b", "0|50"), ("a", "50|100"))]
    assert collected(bench, *models, model=None) == [
        f"benchmarks/{file}.yaml::{file[-2:]}[confaide-{data}/rule/{model}]"
        for model in "ba"
        for file, data in (("privacy/t1", "text"), ("privacy/t1", "image"), ("safety/t2", "text"))
    ]
    assert bench.asked() == []
    assert bench.run(*models, *workers, model=None).ret == 0
    loads = [line for line in bench.asked() if line.startswith("LOAD")]
    assert len(loads) == len(set(loads))
    assert {line.split()[2] for line in loads} == {"a", "b"}
    questions = [line.split()[0] + line.split()[2] for line in bench.asked() if not line.startswith("LOAD")]
    assert len(questions) == len(set(questions)) == 2 * (28 + 28)  # t1 and t2 share the answers to confaide-text


def test_last_failed_runs_what_failed_and_nothing_else(bench: Any, workers: list[str]) -> None:
    bench.task("t1", datasets="[confaide-text, confaide-image]", more="")
    gates = bench.path / "gates.toml"
    gates.write_text('[[gate]]\ncase = "*image*"\nmetric = "failure"\nrequire = "> 0.5"\n')
    assert bench.run(f"--mmte-gates={gates}", *workers).ret == 10
    result = bench.run("--lf", f"--mmte-gates={gates}", *workers)
    assert result.ret == 10
    assert list(bench.results()) == ["t1[confaide-image/rule/x]"]
    gates.write_text("")
    assert bench.run("--lf", *workers).ret == 0
    assert list(bench.results()) == ["t1[confaide-image/rule/x]"]
    assert bench.run("--lf", *workers).ret == 0
    assert len(bench.results()) == 2  # nothing failed last time, so everything runs


def test_preview_says_what_would_be_asked_and_asks_nothing(bench: Any) -> None:
    bench.task("t1", datasets="[confaide-text, confaide-image]")
    model = f"x=scripted:50|100?modalities=text&log={bench.log}"
    result = bench.run("--collect-only", "-v", model=model)
    result.stdout.fnmatch_lines([
        "t1?confaide-text/rule/x?: n=28 cached=0 to ask=28",
        "t1?confaide-image/rule/x?: skip: model 'x' reads text only, and confaide-image shows images",
        "2 items, 28 answers, 28 to ask*",
    ])  # fmt: skip
    assert result.ret == 0
    assert bench.asked() == []
    assert not (bench.path / "reports").exists()
    bench.run("--mmte-limit=5", model=model)
    bench.run("--collect-only", "-v", model=model).stdout.fnmatch_lines(["*confaide-text*n=28 cached=5 to ask=23"])
    bench.run(model=model)
    bench.run("--collect-only", "-v", model=model).stdout.fnmatch_lines(
        ["*confaide-text*n=28 cached=28 to ask=0", "2 items, 28 answers, 0*"]
    )
    assert len([line for line in bench.asked() if not line.startswith("LOAD")]) == 28


def test_preview_names_what_would_fail_and_goes_on(bench: Any) -> None:
    bench.pytester.makeconftest(
        """
        from mmte.datasets.base import BaseDataset
        from mmte.registry import registry

        @registry.register_dataset()
        class Cracked(BaseDataset):
            dataset_ids = ("cracked",)
            def __init__(self, dataset_id, method_hook=None):
                raise ValueError("no such column")
        """
    )
    bench.task(datasets="[cracked, confaide-text]")
    result = bench.run("--collect-only", "-v")
    result.stdout.fnmatch_lines(
        ["t1?cracked/rule/x?: would fail: ValueError: no such column", "t1?confaide-text/rule/x?: n=28*"]
    )
    assert result.ret == 0


def test_setup_plan_asks_nothing_and_writes_nothing(bench: Any) -> None:
    bench.task()
    result = bench.run("--setup-plan", model=f"x=scripted:50?log={bench.log}")
    result.stdout.fnmatch_lines(["*SETUP    S mmte_runtime*", "*t1?confaide-text/rule/x?*fixtures used:*"])
    assert result.ret == 0
    assert bench.asked() == []
    assert not (bench.path / "reports").exists()


def test_a_broken_task_file_is_one_failing_item(bench: Any, workers: list[str]) -> None:
    bench.task("t1")
    bad = bench.task("t2", rule="{rule_match_and_score_eval: {metrics_cfg: {pearson_cor: {}}}}")
    result = bench.run(*workers)
    assert result.ret == 1
    line = "*t2.yaml:5: evaluators.rule.*.metrics_cfg.pearson_cor: *Did you mean 'pearson_corr'*"
    result.stdout.fnmatch_lines([line])
    result.stdout.no_fnmatch_line("*Traceback*")
    rows = bench.results()
    assert {case: row["outcome"] for case, row in rows.items()} == {TEXT: "recorded", "t2": "error"}
    assert rows["t2"]["reason"].startswith(f"{bad}:5: ")
    assert rows["t2"]["aspect"] == "privacy"


def test_a_broken_evaluator_plugin_breaks_its_items_only(bench: Any) -> None:
    bench.task("t1")
    bench.pytester.makeconftest(
        """
        from mmte.evaluators.base import BaseEvaluator
        from mmte.registry import registry

        @registry.register_evaluator()
        class Broken(BaseEvaluator):
            evaluator_ids = ("broken",)
            def __init__(self, *args, **kwargs):
                raise RuntimeError("cannot be built")
        """
    )
    bench.task("t2", rule="{broken: {metrics_cfg: {failure: {}}}}")
    assert bench.run().ret == 1
    assert {case: row["outcome"] for case, row in bench.results().items()} == {TEXT: "recorded", "t2": "error"}
    assert "RuntimeError: cannot be built" in bench.results()["t2"]["reason"]


def test_one_task_name_in_two_files_is_an_error(bench: Any, workers: list[str]) -> None:
    first, second = bench.task("t1"), bench.task("t1", aspect="safety")
    result = bench.run(*workers)
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"{second}: task 't1' is {first}, too: rename a file, or give one a 'task: NAME'"])
    second.write_text(second.read_text() + "task: other\n")
    assert bench.run(*workers).ret == 0
    assert set(bench.results()) == {TEXT, "other[confaide-text/rule/x]"}


def test_two_datasets_of_one_name_are_an_error(bench: Any) -> None:
    bench.task(datasets="[confaide-text, confaide-text]")
    result = bench.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*t1.yaml:3: datasets.1: two datasets are called 'confaide-text': give one a 'name'"])


def test_a_file_named_twice_is_collected_once(bench: Any) -> None:
    bench.task()
    assert collected(bench, "benchmarks/privacy/t1.yaml", "benchmarks") == [NODE]


def test_mmte_set_changes_one_value_and_keeps_its_siblings(bench: Any, workers: list[str]) -> None:
    bench.task("t1", more="generation_kwargs: {max_new_tokens: 50, do_sample: true, temperature: 0.5}")
    bench.task("t2", more="generation_kwargs: {max_new_tokens: 50, do_sample: true, temperature: 0.5}")
    assert bench.run(*workers).ret == 0
    before = {case: row["identities"]["generation"] for case, row in bench.results().items()}
    assert bench.run("--mmte-set=t1:generation_kwargs.max_new_tokens=20", *workers).ret == 0
    after = {case: row["identities"]["generation"] for case, row in bench.results().items()}
    assert after[TEXT] != before[TEXT]
    assert after["t2[confaide-text/rule/x]"] == before["t2[confaide-text/rule/x]"]
    bench.task("t1", more="generation_kwargs: {max_new_tokens: 20, do_sample: true, temperature: 0.5}")
    bench.run("benchmarks/privacy/t1.yaml")
    assert bench.results()[TEXT]["identities"]["generation"] == after[TEXT]


def test_mmte_set_reaches_items_of_lists_and_adds_datasets(bench: Any) -> None:
    bench.task(datasets="[{dataset_id: confaide-text, name: words}]")
    assert collected(bench, "--mmte-set=datasets.0.name=text") == ["benchmarks/privacy/t1.yaml::t1[text/rule/x]"]
    assert collected(bench, "--mmte-set=datasets.words.name=text") == ["benchmarks/privacy/t1.yaml::t1[text/rule/x]"]


def test_mmte_set_for_a_task_that_is_not_there_is_told(bench: Any, workers: list[str]) -> None:
    bench.task()
    bench.task("t9")
    result = bench.run("--mmte-set=t9:generation_kwargs.max_new_tokens=20", "-k", "t1", *workers)
    result.stdout.fnmatch_lines(["--mmte-set t9:generation_kwargs.*=20: no item of this run is of task 't9'"])


@pytest.mark.parametrize("select", [(), ("-k", "text")], ids=["all", "selected"])
def test_set_that_breaks_a_good_file_is_a_mistake_in_the_option(
    bench: Any, workers: list[str], select: tuple[str, ...]
) -> None:
    bench.task("t1")
    result = bench.run("--mmte-set=generation_kwargs.max_new_token=20", *select, *workers)
    assert result.ret == 4
    lines = result.errlines + result.outlines
    (line,) = [line for line in lines if "max_new_token" in line]
    assert "--mmte-set" in line
    assert "Did you mean 'max_new_tokens'?" in line
    assert "Traceback" not in "".join(lines)


def test_what_set_changed_is_said_beside_the_numbers(bench: Any, workers: list[str]) -> None:
    bench.task("t1")
    bench.task("other")
    assert bench.run("--mmte-set=t1:generation_kwargs.max_new_tokens=20", "-k", "t1", *workers).ret == 0
    (row,) = bench.report["results"]
    assert "--mmte-set=t1:generation_kwargs.max_new_tokens=20" in row["notes"]
    assert bench.run("--mmte-set=other:generation_kwargs.max_new_tokens=20", "-k", "t1", *workers).ret == 0
    (row,) = bench.report["results"]
    assert not any("--mmte-set" in note for note in row["notes"])
