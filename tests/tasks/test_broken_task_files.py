"""Every mistake in a task file is one line: file, line, key, what is wrong, and a near name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mmte.errors import MmteError
from mmte.evaluators.base import BaseEvaluator
from mmte.evaluators.metrics import known_metrics, metric_for
from mmte.methods.base import BaseMethod
from mmte.registry import registry
from mmte.tasks.config import load_task
from mmte.tasks.sequences import OF_NUMBERS


@registry.register_evaluator()
class Rated(BaseEvaluator):
    evaluator_ids = ("tf-rated",)

    def __init__(self, evaluator_id: str, scale: int = 1, model: str = "", **kwargs: object) -> None:
        super().__init__(evaluator_id, **kwargs)  # type: ignore[arg-type]
        self.model = model or None


@registry.register_method()
class Blurred(BaseMethod):
    method_ids = ("tf-blur",)


HEAD = "# mmte.task/1\naspect: privacy\n"
DATA = "dataset_id: confaide-text\n"
RULE = "evaluators: {rule: {tf-rated: {metrics_cfg: {pred_mean: {}}}}}\n"
GOOD = HEAD + DATA + RULE
EVALS = HEAD + DATA + "evaluators:\n"

# What the file is made of, with #! on the line that the message must name; then the key and what is said of it.
TOP = {
    "unknown key": (GOOD + "dataset_confg: {} #!", "dataset_confg: unknown key", "'dataset_cfg'"),
    "no aspect": (
        "# mmte.task/1\n#\ndataset_id: confaide-text #!\n" + RULE, "aspect: is missing: one of truth", "privacy",
    ),
    "wrong aspect": ("# mmte.task/1\naspect: privcy #!\n" + DATA + RULE, "aspect: cannot be 'privcy'", "'privacy'"),
    "title": (GOOD + "title: [a] #!", "title: must be a text", "['a']"),
    "sub-aspect": (GOOD + "sub_aspect: 5 #!", "sub_aspect: must be a text", "5"),
    "description": (GOOD + "description: {a: b} #!", "description: must be a text", "{'a': 'b'}"),
    "task name": (GOOD + "task: my task #!", "task: 'my task' is no name", "letters"),
    "kind": (GOOD + "kind: chatt #!", "kind: cannot be 'chatt'", "Did you mean 'chat'?"),
    "log file": (GOOD + "log_file: [x] #!", "log_file: must be a text", "['x']"),
    "metadata": (GOOD + "metadata: 1 #!", "metadata: must be a mapping", "1"),
    "metadata key": (
        GOOD + "metadata:\n  version: 1\n  license: MIT #!",
        "metadata.license: unknown key", "'licence'",
    ),
    "version": (GOOD + "metadata: {version: [1]} #!", "metadata.version: must be a number", "[1]"),
    "changes": (GOOD + "metadata: {changes: [a]} #!", "metadata.changes: must be a mapping", "['a']"),
    "change": (GOOD + "metadata:\n  changes:\n    2: [a] #!", "metadata.changes.2: must be a text", "['a']"),
    "sources": (
        GOOD + "metadata:\n  sources:\n  - fine\n  - no: text #!",
        "metadata.sources.1: must be a text", "{False: 'text'}",
    ),
    "endpoint": (GOOD + "model_id: openai:m@http://evil.example #!", "model_id: a task file may name", "--model"),
    "renamed endpoint": (GOOD + "model_id: m=gguf #!", "model_id: a task file may name", "--model"),
    "model": (GOOD + "model_id: [a] #!", "model_id: a task file may name", "--model"),
    "not a mapping": ("# mmte.task/1\n- aspect #!", "a task file is a mapping", "keys"),
    "empty": ("# mmte.task/1 #!\n", "a task file is a mapping", "keys"),
}  # fmt: skip

DATASETS = {
    "no data": ("# mmte.task/1\naspect: privacy #!\n" + RULE, "either 'datasets' (a list) or 'dataset_id'", ""),
    "two kinds of data": (
        "# mmte.task/1\naspect: privacy #!\ndatasets: [confaide-text]\n" + DATA + RULE,
        "either 'datasets' (a list) or 'dataset_id'", "",
    ),
    "unknown dataset": (HEAD + RULE + "dataset_id: confaide-txt #!", "dataset_id: unknown dataset", "'confaide-text'"),
    "dataset of the wrong type": (HEAD + RULE + "dataset_id: [confaide-text] #!", "dataset_id: must be a text", ""),
    "unknown dataset in a list": (
        HEAD + RULE + "datasets:\n- confaide-text\n- confaide-imag #!",
        "datasets.1.dataset_id: unknown dataset 'confaide-imag'", "'confaide-image'",
    ),
    "dataset without id": (HEAD + RULE + "datasets:\n- name: x #!", "datasets.0.dataset_id: is missing", "which"),
    "dataset key": (
        HEAD + RULE + "datasets:\n- dataset_id: confaide-text\n  varaints: {} #!",
        "datasets.0.varaints: unknown key", "'variants'",
    ),
    "dataset name": (
        HEAD + RULE + "datasets:\n- dataset_id: confaide-text\n  name: a/b #!", "datasets.0.name: 'a/b' is no name", "",
    ),
    "no datasets": (HEAD + RULE + "datasets: [] #!", "datasets: must be a list with at least one dataset", ""),
    "datasets no list": (HEAD + RULE + "datasets: confaide-text #!", "datasets: must be a list", ""),
    "dataset a number": (HEAD + RULE + "datasets:\n- 5 #!", "datasets.0: a dataset is an id or a mapping", "5"),
    "same dataset twice": (
        HEAD + RULE + "datasets:\n- confaide-text\n- confaide-text #!",
        "datasets.1: two datasets are called 'confaide-text'", "'name'",
    ),
    "options": (GOOD + "dataset_cfg: [a] #!", "dataset_cfg: must be a mapping", ""),
    "data root": (
        GOOD + "dataset_cfg:\n  data_root: / #!", "dataset_cfg.data_root: a task file does not", "--mmte-data",
    ),
    "data root of a variant": (
        GOOD + "variants:\n  a: {}\n  b:\n    data_root: / #!",
        "variants.b.data_root: a task file does not", "--mmte-data",
    ),
    "unknown method": (GOOD + "method_cfg:\n  tf-blurr: {} #!", "method_cfg.tf-blurr: unknown method", "'tf-blur'"),
    "method options": (GOOD + "method_cfg: {tf-blur: 5} #!", "method_cfg.tf-blur: must be a mapping", "5"),
    "pictures elsewhere": (
        GOOD + "method_cfg:\n  tf-blur:\n    img_dir: ../up #!", "method_cfg.tf-blur.img_dir: must be a path below", "",
    ),
    "pictures anywhere": (
        GOOD + "method_cfg:\n  tf-blur:\n    img_dir: /etc #!", "method_cfg.tf-blur.img_dir: must be a path below", "",
    ),
    "variants": (GOOD + "variants: [a] #!", "variants: must be a mapping of names", ""),
    "variant options": (GOOD + "variants:\n  a: 5 #!", "variants.a: must be a mapping of dataset options", ""),
    "variant name": (GOOD + "variants:\n  a b: {} #!", "variants.a b: 'a b' is no name", ""),
    "norwegian": (GOOD + "languages:\n  en: {}\n  no: {} #!", "languages.False: False is no name", "quote"),
    "option name": (GOOD + "dataset_cfg:\n  5: x #!", "dataset_cfg.5: the name of an option", ""),
    "few-shot key": (GOOD + "fewshot:\n  n: 2\n  dataset: x #!", "fewshot.dataset: unknown key", "'dataset_id'"),
    "few-shot number": (GOOD + "fewshot:\n  n: many #!", "fewshot.n: must be the number", "'many'"),
    "few-shot true": (GOOD + "fewshot:\n  n: true #!", "fewshot.n: must be the number", "True"),
    "few-shot without number": (GOOD + "fewshot: {answer: x} #!", "fewshot.n: must be the number", "None"),
    "few-shot data": (
        GOOD + "fewshot:\n  n: 2\n  dataset_id: confaide-txt #!",
        "fewshot.dataset_id: unknown dataset", "'confaide-text'",
    ),
    "few-shot answer": (GOOD + "fewshot:\n  n: 2\n  answer: 5 #!", "fewshot.answer: must be a text", "5"),
    "few-shot no mapping": (GOOD + "fewshot: 5 #!", "fewshot: must be a mapping", "5"),
    "generation": (
        GOOD + "generation_kwargs:\n  do_sample: false\n  max_tokens: 5 #!",
        "generation_kwargs.max_tokens: generation: unknown setting", "'max_new_tokens'",
    ),
    "generation value": (
        GOOD + "generation_kwargs:\n  temperature: hot #!",
        "generation_kwargs.temperature: generation: temperature must be a number", "'hot'",
    ),
    "generation of a dataset": (
        HEAD + RULE + "generation_kwargs: {max_new_tokens: 5}\ndatasets:\n- dataset_id: confaide-text\n"
        "  generation_kwargs:\n    max_new_tokens: 0 #!",
        "datasets.0.generation_kwargs.max_new_tokens: generation: max_new_tokens must be", "0",
    ),
    "generation no mapping": (GOOD + "generation_kwargs: 5 #!", "generation_kwargs: must be a mapping", "5"),
}  # fmt: skip

EVALUATORS = {
    "no evaluators": ("# mmte.task/1\naspect: privacy #!\n" + DATA, "either 'evaluators' (name -> sequence)", ""),
    "two kinds of evaluators": (
        "# mmte.task/1\naspect: privacy #!\n" + DATA + RULE + "evaluator_seq_cfgs: []\n", "either 'evaluators'", "",
    ),
    "evaluators no mapping": (HEAD + DATA + "evaluators: [tf-rated] #!", "evaluators: must be a mapping of names", ""),
    "evaluators empty": (HEAD + DATA + "evaluators: {} #!", "evaluators: must name at least one", ""),
    "sequences no list": (HEAD + DATA + "evaluator_seq_cfgs: {a: {}} #!", "evaluator_seq_cfgs: must be a list", ""),
    "sequences empty": (HEAD + DATA + "evaluator_seq_cfgs: [] #!", "evaluator_seq_cfgs: must be a list", ""),
    "sequence a text": (EVALS + "  rule: tf-rated #!", "evaluators.rule: an evaluator sequence is", ""),
    "sequence empty": (EVALS + "  rule: {} #!", "evaluators.rule: an evaluator sequence needs", ""),
    "sequence empty list": (EVALS + "  rule: [] #!", "evaluators.rule: must be a list", ""),
    "sequence name": (
        EVALS + "  a b: {tf-rated: {metrics_cfg: {pred_mean: {}}}} #!", "evaluators.a b: 'a b' is no name", "",
    ),
    "sequence named twice": (
        EVALS + "  a:\n    tf-rated: {metrics_cfg: {pred_mean: {}}}\n    name: b #!",
        "evaluators.a.name: the sequence is called 'a' already", "",
    ),
    "same sequence twice": (
        HEAD + DATA + "evaluator_seq_cfgs:\n- tf-rated: {metrics_cfg: {pred_mean: {}}}\n"
        "- tf-rated: {metrics_cfg: {pred_mean: {}}} #!",
        "evaluator_seq_cfgs.1: two evaluator sequences are called 'tf-rated'", "'name'",
    ),
    "unknown evaluator": (
        EVALS + "  rule:\n    tf-ratd: {} #!", "evaluators.rule.tf-ratd: unknown evaluator", "'tf-rated'",
    ),
    "nearly a join": (
        EVALS + "  rule:\n    unles: [] #!", "evaluators.rule.unles: must be a mapping", "",
    ),
    "evaluator options": (
        EVALS + "  rule:\n    tf-rated: [1] #!", "evaluators.rule.tf-rated: must be a mapping", "",
    ),
    "evaluator option": (
        EVALS + "  rule:\n    tf-rated:\n      metrics_cfg: {pred_mean: {}}\n      scal: 2 #!",
        "evaluators.rule.tf-rated.scal: evaluator 'tf-rated' has no option 'scal'", "'scale'",
    ),
    "mean of a judge's texts": (
        EVALS + "  judge:\n    chatmodel_eval:\n      prompt_template: '{pred}'\n      metrics_cfg:\n"
        "        pred_no_op: {}\n        pred_mean: {} #!",
        "evaluators.judge.chatmodel_eval.metrics_cfg.pred_mean: metric 'pred_mean' needs numbers",
        "put a rule behind it that reads them, such as rule_yes_or_no_eval",
    ),
    "mean of a scorer's texts, in a list": (
        EVALS + "  judge:\n  - tf-rated: {}\n  - chatmodel_score:\n      prompt_template: '{pred}'\n"
        "      metrics_cfg: {pearson_corr: {}} #!",
        "evaluators.judge.1.chatmodel_score.metrics_cfg.pearson_corr: metric 'pearson_corr' needs numbers", "",
    ),
    "join of a judge's texts": (
        EVALS + "  judge:\n    metrics_cfg: {pred_mean: {}}\n    any:\n    - tf-rated: {}\n"
        "    - chatmodel_eval: {prompt_template: '{pred}'} #!",
        "evaluators.judge.any.1.chatmodel_eval: a join 'any' needs 0 or 1, and the values of chatmodel_eval are texts",
        "rule_yes_or_no_eval",
    ),
    "no metrics": (EVALS + "  rule: {tf-rated: {}} #!", "evaluators.rule: the last evaluator has no", ""),
    "metrics in the wrong place": (
        EVALS + "  rule:\n    tf-rated: {}\n    metrics_cfg: {pred_mean: {}} #!",
        "evaluators.rule.metrics_cfg: belongs to the options", "",
    ),
    "unknown metric": (
        EVALS + "  rule:\n    tf-rated:\n      metrics_cfg:\n        pred_men: {} #!",
        "evaluators.rule.tf-rated.metrics_cfg.pred_men: unknown metric", "'pred_mean'",
    ),
    "metrics no mapping": (
        EVALS + "  rule: {tf-rated: {metrics_cfg: [pred_mean]}} #!",
        "evaluators.rule.tf-rated.metrics_cfg: must be a mapping", "",
    ),
    "metric options": (
        EVALS + "  rule: {tf-rated: {metrics_cfg: {pred_mean: 5}}} #!",
        "evaluators.rule.tf-rated.metrics_cfg.pred_mean: must be a mapping", "",
    ),
    "metric option": (
        EVALS + "  rule:\n    tf-rated:\n      metrics_cfg:\n        failure:\n          fail_num: 0 #!",
        "metrics_cfg.failure.fail_num: metric 'failure' has no option 'fail_num'", "'fails_num'",
    ),
    "join of one": (
        EVALS + "  rule:\n    any: [{tf-rated: {}}] #!\n    metrics_cfg: {pred_mean: {}}",
        "evaluators.rule.any: a join needs a list of at least two", "",
    ),
    "broken part of a join": (
        EVALS + "  rule:\n    metrics_cfg: {pred_mean: {}}\n    all:\n    - tf-rated: {}\n    - tf-rate: {} #!",
        "evaluators.rule.all.1.tf-rate: unknown evaluator", "'tf-rated'",
    ),
    "limit within a join": (
        EVALS + "  rule:\n    metrics_cfg: {pred_mean: {}}\n    any:\n    - tf-rated: {}\n"
        "    - tf-rated: {}\n      thresholds: {pred_mean: '> 1'} #!",
        "evaluators.rule.any.1.thresholds: belongs to the whole sequence", "",
    ),
    "judge's endpoint": (
        EVALS + "  rule:\n    tf-rated:\n      metrics_cfg: {pred_mean: {}}\n      model: openai:m@http://x #!",
        "evaluators.rule.tf-rated.model: a task file names a judge", "--judge",
    ),
    "direction": (GOOD + "direction: {pred_mean: upp} #!", "direction.pred_mean: cannot be 'upp'", "'up'"),
    "direction of nothing": (
        GOOD + "direction:\n  pred_men: up #!", "direction.pred_men: no evaluator sequence has a metric", "'pred_mean'",
    ),
    "direction no mapping": (GOOD + "direction: up #!", "direction: must be a mapping", ""),
    "threshold of nothing": (
        GOOD + "thresholds:\n  pred_men: '>= 0.5' #!",
        "thresholds.pred_men: no evaluator sequence has a metric 'pred_men'", "'pred_mean'",
    ),
    "threshold": (
        GOOD + "thresholds:\n  pred_mean/a: 0.5 #!", "thresholds.pred_mean/a: 0.5 is no limit", "'>= 0.8'",
    ),
    "thresholds no mapping": (GOOD + "thresholds: ['> 1'] #!", "thresholds: must be a mapping", ""),
    "threshold of a sequence": (
        EVALS + "  rule:\n    tf-rated: {metrics_cfg: {pred_mean: {}}}\n    thresholds:\n      failure: '< 1' #!",
        "evaluators.rule.thresholds.failure: the sequence has no metric 'failure'", "pred_mean",
    ),
    "direction in a list": (
        EVALS + "  rule:\n  - tf-rated: {}\n  - tf-rated: {metrics_cfg: {pred_mean: {}}}\n"
        "    direction: {failure: down} #!",
        "evaluators.rule.1.direction.failure: the sequence has no metric 'failure'", "",
    ),
}  # fmt: skip

YAML = {
    "key twice": (GOOD + "aspect: safety #!", "'aspect' stands here a second time (first in line 2)", ""),
    "nested key twice": (
        EVALS + "  rule: {tf-rated: {}}\n  other: {tf-rated: {}}\n  rule: {tf-rated: {}} #!",
        "'rule' stands here a second time (first in line 5)", "",
    ),
    "tab": (EVALS + "\trule: {} #!", "no valid YAML", "a tab"),
    "unclosed": (HEAD + DATA + "evaluators: {rule: [a}} #!\nkind: chat\n", "no valid YAML", ""),
    "unquoted limit": (
        GOOD + "thresholds:\n  pred_mean: >= 0.5 #!", "no valid YAML", "quote a text that begins with >",
    ),
    "control character": (GOOD + "title: \x01 #!", "no valid YAML: a control character", ""),
    "tag": (GOOD + "title: !!python/name:os.system x #!", "the tag '!!python/name:os.system'", ""),
    "list as key": (GOOD + "? [a] #!\n: b", "a key must be a name", ""),
    "two documents": (GOOD + "--- #!\naspect: safety", "no valid YAML", "another document"),
    "alias of nothing": (GOOD + "title: *there #!", "no valid YAML: found undefined alias", ""),
}

TABLE = TOP | DATASETS | EVALUATORS | YAML


@pytest.mark.parametrize(("text", "fragment", "hint"), TABLE.values(), ids=TABLE.keys())
def test_a_mistake_is_one_line_with_file_line_and_key(tmp_path: Path, text: str, fragment: str, hint: str) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text(text, encoding="utf-8")
    line = next(n for n, content in enumerate(text.split("\n"), 1) if "#!" in content)
    with pytest.raises(MmteError) as caught:
        load_task(file)
    message = str(caught.value)
    assert message.startswith(f"{file}:{line}: "), message
    assert fragment in message
    assert hint in message
    assert "\n" not in message


@pytest.mark.parametrize("missing", ["encoding", "loop", "absent", "folder"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, missing: str) -> None:
    file = tmp_path / "task.yaml"
    if missing == "encoding":
        file.write_bytes(b"# mmte.task/1\naspect: \xff\xfe")
    elif missing == "folder":
        file.mkdir()
    elif missing == "loop":
        file.symlink_to(file)
    with pytest.raises(MmteError, match=f"^{re.escape(str(file))}: cannot be read: "):
        load_task(file)


@pytest.mark.parametrize("metric", ["pred_no_op", "iou_judge", "accuracy_score", "failure"])
def test_a_judges_texts_may_be_listed_or_compared(tmp_path: Path, metric: str) -> None:
    file = tmp_path / "judged.yaml"
    options = f"{{prompt_template: '{{pred}}', metrics_cfg: {{{metric}: {{}}}}}}"
    file.write_text(EVALS + f"  judge: {{chatmodel_eval: {options}}}")
    assert list(load_task(file).sequences) == ["judge"]


def test_a_rule_reads_a_judges_texts(tmp_path: Path) -> None:
    file = tmp_path / "judged.yaml"
    chain = "chatmodel_eval: {prompt_template: '{pred}', metrics_cfg: {pred_mean: {}}}"  # not measured there
    file.write_text(EVALS + f"  judge: {{{chain}, rule_yes_or_no_eval: {{metrics_cfg: {{pred_mean: {{}}}}}}}}")
    assert list(load_task(file).sequences) == ["judge"]


def test_the_metrics_of_numbers_are_those_that_take_no_texts() -> None:
    """`iou_judge` reads boxes in texts; what users add is theirs to check."""

    def takes_texts(name: str) -> bool:
        try:
            metric_for(name)(["[0, 0, 1, 1]", "[0, 0, 1, 1]"], ["[0, 0, 1, 1]", "a text"])
        except MmteError:
            return False
        return True

    assert {name for name in known_metrics() if not takes_texts(name)} == OF_NUMBERS


def test_a_good_file_is_none_of_these(tmp_path: Path) -> None:
    file = tmp_path / "good.yaml"
    file.write_text(GOOD + "thresholds: {pred_mean: '>= 0.5', pred_mean/a: '> 0 (interval)'}\n")
    spec = load_task(file)
    assert spec.sequences["rule"]["thresholds"] == {"pred_mean": ">= 0.5", "pred_mean/a": "> 0 (interval)"}
