"""Evaluators: what reads the answers."""

INDEX: dict[str, dict[str, str]] = {
    "evaluator": {
        "rule_match_and_score_eval": "mmte.evaluators.rule_match",
        "rule_reject_template_eval": "mmte.evaluators.rule_refusal",
    },
}
