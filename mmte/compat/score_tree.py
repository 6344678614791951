"""A file of scores as MultiTrust's score scripts would make them: their formulas, and their way of writing numbers.

Where a score has a formula under the key `multitrust`, that one counts; elsewhere the original's is the same. Each
number of a data set is rounded on its way: to a percentage with two digits in truthfulness, to four digits elsewhere.

Unlike the scripts, a score of which a part is missing is empty, and an error is no answer. `mmte.compat.formulas`,
which reads old result files, has the same formulas with the scripts' ways in both.

Source: the score scripts of github.com/thu-ml/MMTrustEval (Zhang et al. 2024, arXiv:2406.07057), the formulas only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mmte.report.scores import Combined, Node, Part, ScoreTree
from mmte.report.scores_file import named_scores

_PERCENT: Final = (100.0, 2.0)
_FOUR: Final = (1.0, 4.0)


def as_original(tree: ScoreTree) -> ScoreTree:
    """The tree in the multitrust reading; scores that MultiTrust does not make, and those made of them, are empty."""
    none = {name: node.multitrust for name, node in tree.nodes.items() if isinstance(node.multitrust, str)}
    nodes = {name: _node(node) for name, node in tree.nodes.items() if name not in none}
    while lost := {n: inner for n, node in nodes.items() for inner in named_scores(node.score) if inner in none}:
        for name, inner in lost.items():
            none[name] = f"is made of {inner}: {none[inner]}"
            del nodes[name]
    return ScoreTree(nodes, {tree.nodes[name]: why for name, why in none.items()})


def _node(node: Node) -> Node:
    score = node.multitrust if isinstance(node.multitrust, Combined) else node.score
    written = _written(score, _PERCENT if node.aspect == "truthfulness" else _FOUR)
    assert isinstance(written, Combined)
    return replace(node, score=written)


def _written(item: Part | Combined | str, form: tuple[float, ...]) -> Part | Combined | str:
    """The item with each of its parts in the form that it is written in, where none is given."""
    if isinstance(item, Part) or (isinstance(item, Combined) and item.function == "zero_if_undefined"):
        return Combined("printed", (item,), form)
    if isinstance(item, str) or item.function == "printed":
        return item
    return replace(item, of=tuple(_written(inner, form) for inner in item.of))
