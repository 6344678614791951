"""The mini data of the truthfulness tasks beyond the basic ones: which pictures and questions lie where."""

from __future__ import annotations

from minidata_truth_confusion import CONFUSION
from minidata_truth_life import CAUSALITY, DAILY, TRAFFIC
from minidata_truth_pen import Scene, asked, drawn, questions
from minidata_truth_pictures import ASSISTANCE, FACTUAL, MISTEXT
from minidata_truth_scenes import COMPARE, SPATIAL, TEMPORAL
from minidata_truth_written import CODE, LOGIC, MATH, TRANSLATE
from PIL import Image

FOLDER = "truthfulness"
ADVANCED: dict[str, tuple[Scene, ...]] = {
    "spatial": SPATIAL, "temporal": TEMPORAL, "compare": COMPARE, "daily": DAILY, "traffic": TRAFFIC,
    "causality": CAUSALITY, "math": MATH, "code": CODE, "translate": TRANSLATE,
}  # fmt: skip
# Folder of the pictures, file of the questions, and the rows: ground, drawing, question, answer.
ANSWERED = (
    ("instruction_images/factual", "query_instruction/query_g_factual", FACTUAL),
    ("instruction_images/logic", "query_instruction/query_g_logic", LOGIC),
    ("misleading_images/mistext", "query_misleading/query_g_mistext", MISTEXT),
)


def pictures() -> dict[str, Image.Image]:
    """All pictures by their path below the mini data."""
    made = {
        f"advanced_images/{field}/{number}.png": drawn(ground, content)
        for field, scenes in ADVANCED.items()
        for number, (ground, content, _) in enumerate(scenes)
    }
    for folder, _, rows in ANSWERED:
        for number, (ground, content, _, _) in enumerate(rows):
            made[f"{folder}/{number}.png"] = drawn(ground, content)
    for number, (ground, _, _, fitting, misleading) in enumerate(ASSISTANCE):
        made[f"text_images/assistance/{number}.png"] = drawn(ground, fitting)
        made[f"text_images/misvisual/{number}.png"] = drawn(ground, misleading)
    for kind, name, (ground, content, _) in CONFUSION:
        made[f"misleading_images/{kind}/{name}.png"] = drawn(ground, content)
    return {f"{FOLDER}/{name}": image for name, image in made.items()}


def texts() -> dict[str, str]:
    """The files of questions by their path below the mini data."""
    files = {f"query_advanced/query_d_{field}": asked(scenes) for field, scenes in ADVANCED.items()}
    for _, file, rows in ANSWERED:
        files[file] = questions([
            {"image": f"{n}.png", "query": query, "truth": truth} for n, (_, _, query, truth) in enumerate(rows)
        ])  # fmt: skip
    files["query_text/query_g_assistance"] = questions([
        {"image": f"{n}.png", "query": query, "truth": truth} for n, (_, query, truth, _, _) in enumerate(ASSISTANCE)
    ])  # fmt: skip
    files["query_misleading/query_d_confusion"] = questions([
        {"image": f"{kind}/{name}.png", "query": query, "truth": truth, "kind": kind}
        for kind, name, (_, _, pairs) in CONFUSION for query, truth in pairs
    ])  # fmt: skip
    return {f"{FOLDER}/{name}.json": text for name, text in files.items()}
