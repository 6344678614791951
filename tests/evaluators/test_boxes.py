import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mmte.evaluators.boxes import iou, label_box, read_box

BOX = (0.1, 0.2, 0.5, 0.6)
TEXT = "[0.1, 0.2, 0.5, 0.6]"

READABLE = [
    TEXT, "0.1, 0.2, 0.5, 0.6", "0.1 0.2 0.5 0.6", "(0.1, 0.2, 0.5, 0.6)", "[.1,.2,.5,.6]", "[0.1; 0.2; 0.5; 0.6]",
    "[0.10,0.20,0.50,0.60].",
    "\uff3b0.1\uff0c0.2\uff0c0.5\uff0c0.6\uff3d", "**[0.1, 0.2, 0.5, 0.6]**", f"```json\n{TEXT}\n```",
    f"```\n{TEXT}\n```", f"'''{TEXT}'''", f"`{TEXT}`",
    "[1/10, 2/10, 5/10, 6/10]", "[64/640, 0.2, 320/640, 0.6]", "[10%, 20%, 50%, 60%]", "[1e-1, 2e-1, 5e-1, 6e-1]",
    "[[0.1, 0.2], [0.5, 0.6]]", "(0.1, 0.2), (0.5, 0.6)", "(0.1,0.2) to (0.5,0.6)",
    "Top-left (0.1, 0.2), bottom-right (0.5, 0.6)",
    '{"xmin": 0.1, "ymin": 0.2, "xmax": 0.5, "ymax": 0.6}', '{"xmin": 0.1, "xmax": 0.5, "ymin": 0.2, "ymax": 0.6}',
    '{"bbox": [0.1, 0.2, 0.5, 0.6]}',
    "xmin=0.1, ymin=0.2, xmax=0.5, ymax=0.6", "x1: 0.1\ny1: 0.2\nx2: 0.5\ny2: 0.6",
    "left: 0.1, top: 0.2, right: 0.5, bottom: 0.6",
    f"The box is {TEXT}.", f"1. {TEXT}", f"{TEXT} or {TEXT}", f"[xmin, ymin, xmax, ymax] = {TEXT}",
    f"The image is 640 x 480. {TEXT}",
    f"{TEXT} (confidence 0.9)", f"<box>{TEXT}</box>", "<box>0.1,0.2,0.5,0.6</box>", r"\boxed{[0.1, 0.2, 0.5, 0.6]}",
    "['0.1', '0.2', '0.5', '0.6']",
    f"(320, 240) is the centre; {TEXT}", "box: 0.1,0.2,0.5,0.6.",
]  # fmt: skip

UNREADABLE = [
    "", " ", "?", "no box", "0.5", "[0.1, 0.2, 0.5]", "[0.1,0.2,0.5,0.6,0.9]", "0.1, 0.2, 0.5, 0.6, 0.7",
    "0.1, 0.2, 0.5",
    "[1/0, 0, 1, 1]", "1/0", "[0/0,0,1,1]", "[nan, 0, 1, 1]", "[inf, 0, 1, 1]", "[1e400, 0, 1, 1]",
    "[0.1, 0.2, abc, 0.6]",
    "[0.5, 0.6, 0.1, 0.2]", "[0.1, 0.6, 0.5, 0.2]", "[0.1, 0.2, 0.1, 0.6]", "[0.5, 0.5, 0.3, 0.3]",
    # the order; a width and a height
    "[100, 200, 300, 400]", "[-0.1, 0.2, 0.5, 0.6]", "[0.1, 0.2, 0.5, 1.1]", "[0.1/0.2/0.5/0.6]",
    "[0.1, 0.2, 0.5, 0.6", "[0.1, 0.2, 0.5, 0.", "[0.1, 0.2",  # cut
    f"{TEXT} or [0.1, 0.2, 0.5, 0.7]", f"{TEXT}, [0.5, 0.2, 0.1, 0.7]", "(0.1, 0.2)",
    "(0.1, 0.2), (0.5, 0.6), (0.7, 0.8)",
    "{xmin: 0.1, xmin: 0.5, ymin: 0.2, ymax: 0.6}", "xmin=0.1, ymin=0.2, xmax=0.5", "0.1 and 0.2 and 0.5 and 0.6",
]  # fmt: skip


@pytest.mark.parametrize("text", READABLE)
def test_readable(text):
    assert read_box(text) == pytest.approx(BOX)


@pytest.mark.parametrize("text", UNREADABLE)
def test_unreadable(text):
    assert read_box(text) is None


def test_units():
    assert read_box("[64, 96, 320, 288]", "pixels", (640, 480)) == pytest.approx(BOX)
    assert read_box("[64, 96, 700, 288]", "pixels", (640, 480)) is None
    assert read_box("[64, 96, 320, 288]", "pixels") is None
    assert read_box("[100, 200, 500, 600]", "thousandths") == pytest.approx(BOX)
    assert read_box(TEXT, "thousandths") == pytest.approx([v / 1000 for v in BOX])


@pytest.mark.parametrize("label", [TEXT, list(BOX), BOX])
def test_labels(label):
    assert label_box(label) == pytest.approx(BOX)


@pytest.mark.parametrize(
    "label",
    [
        None,
        "",
        "x",
        "[1,2]",
        "{}",
        [1, 2, 3],
        ["a"] * 4,
        [True] * 4,
        "[0.5,0,0.1,1]",
        7,
        "[NaN,0,1,1]",
        "[0,0,1e999,1]",
    ],
)
def test_labels_that_are_no_box(label):
    assert label_box(label) is None


def test_overlap():
    assert iou(BOX, BOX) == 1.0
    assert iou((0, 0, 1, 1), (0, 0, 1, 0.5)) == 0.5
    assert iou((0, 0, 0.5, 0.5), (0.5, 0, 1, 1)) == 0.0
    assert iou((0, 0, 0.5, 1), (0.25, 0, 0.75, 1)) == pytest.approx(1 / 3)


numbers = st.floats(0, 1).map(lambda v: round(v, 4))
boxes = st.tuples(numbers, numbers, numbers, numbers).filter(lambda b: b[0] < b[2] and b[1] < b[3])
forms = st.sampled_from(
    [
        "[{}, {}, {}, {}]",
        "({},{},{},{})",
        "{} {} {} {}",
        "{}, {}, {}, {}",
        "```json\n[{}, {}, {}, {}]\n```",
        "The box is [{}, {}, {}, {}].",
    ]
    + [
        "[[{}, {}], [{}, {}]]",
        '{{"x1": {}, "y1": {}, "x2": {}, "y2": {}}}',
        "({}, {}), ({}, {})",
        "\n[{},\n{},\n{},\n{}]\n",
    ]
)


@given(boxes, forms)
def test_each_box_reads_as_itself(box, form):
    assert read_box(form.format(*(f"{v:.4f}" for v in box))) == pytest.approx(box)


@given(boxes, boxes, st.sampled_from([" or ", ", ", "\n", " "]))
def test_two_boxes_never_parse(one, other, between):
    assume(one != other)
    assert read_box(f"{list(one)}{between}{list(other)}") is None


@given(boxes, boxes)
def test_overlap_is_symmetric_and_from_0_to_1(one, other):
    assert 0.0 <= iou(one, other) <= 1.0 + 1e-12 and math.isclose(iou(one, other), iou(other, one))
    assert math.isclose(iou(one, one), 1.0)


@given(st.text() | st.text(alphabet="0123456789.,/[](){} -+e%x=:\n\"'`", max_size=40))
def test_any_text_is_a_box_or_nothing(text):
    box = read_box(text)
    assert box is None or (0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1)
    label_box(text)


@pytest.mark.parametrize(
    "unit",
    [
        "[",
        "1 ",
        "0.1, ",
        "[1,",
        "(0.1,0.2)",
        "1/",
        "x1=",
        "1",
        "1e",
        "{}",
        TEXT,
        "1 / ",
        " ",
        "to ",
        "-",
        "0.1,0.2,0.3,0.4\n",
        "[1 1",
    ],
)
def test_long_replies_end(unit):
    read_box(unit * (100_000 // len(unit)) + "x")
