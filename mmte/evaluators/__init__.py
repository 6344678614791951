"""Evaluators: what reads the answers."""

INDEX: dict[str, dict[str, str]] = {
    "evaluator": {
        "chatmodel_eval": "mmte.evaluators.judge",
        "chatmodel_score": "mmte.evaluators.judge",
        "harmbenchmodel_eval": "mmte.evaluators.harm",
        "rule_choice_eval": "mmte.evaluators.rule_choice",
        "rule_contain_adv_eval": "mmte.evaluators.rule_contain",
        "rule_contain_eval": "mmte.evaluators.rule_contain",
        "rule_contain_exact_eval": "mmte.evaluators.rule_contain",
        "rule_iou_eval": "mmte.evaluators.rule_iou",
        "rule_match_and_score_eval": "mmte.evaluators.rule_match",
        "rule_pii_eval": "mmte.evaluators.rule_pii",
        "rule_reject_template_eval": "mmte.evaluators.rule_refusal",
        "rule_score_eval": "mmte.evaluators.rule_score",
        "rule_yes_or_no_eval": "mmte.evaluators.rule_yes_no",
    },
}
