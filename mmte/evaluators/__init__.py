"""Evaluators: what reads the answers."""

INDEX: dict[str, dict[str, str]] = {
    "evaluator": {
        "chatmodel_eval": "mmte.evaluators.judge",
        "chatmodel_score": "mmte.evaluators.judge",
        "classifer_follow_instruction_eval": "mmte.evaluators.classifier",
        "classifer_reject_eval": "mmte.evaluators.classifier",
        "classifier_follow_instruction_eval": "mmte.evaluators.classifier",
        "classifier_reject_eval": "mmte.evaluators.classifier",
        "google_perspective_api_eval": "mmte.evaluators.services",
        "harmbenchmodel_eval": "mmte.evaluators.harm",
        "hf_classifier_eval": "mmte.evaluators.classifier",
        "local_toxicity_eval": "mmte.evaluators.services",
        "openai_moderation_api_eval": "mmte.evaluators.services",
        "rule_attribute_eval": "mmte.evaluators.rule_attribute",
        "rule_choice_eval": "mmte.evaluators.rule_choice",
        "rule_contact_eval": "mmte.evaluators.rule_contact",
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
