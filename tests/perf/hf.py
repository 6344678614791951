"""The hf backend, batched and one by one: `hf.py DIR N TOKENS`; prints JSON: answers per CPU second, equal ones.

One thread and CPU seconds, since threads of torch that wait for each other on a busy machine measure the machine.
DIR has a text model as `save_pretrained` writes it; `tiny` is a tiny random Llama.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from mmte.models.base import BaseChat
from mmte.models.spec import parse_model
from mmte.types import Generation, Request

TOPICS = ("a cat", "the weather in Lisbon", "prime numbers below one hundred", "how bread is made", "tides", "chess")


def questions(n: int, tokens: int) -> list[Request]:
    """`n` questions of several lengths, answered with at most so many tokens."""
    texts = [f"Question {i}: say something about {', '.join(TOPICS[: 1 + i % len(TOPICS)])}." for i in range(n)]
    return [Request(({"role": "user", "content": text},), Generation(max_new_tokens=tokens)) for text in texts]


def timed(model: BaseChat, requests: list[Request]) -> tuple[float, list[str]]:
    """Answers per CPU second, and the answers in the order of the requests."""
    for _ in model.generate(requests[:2]):  # loads
        pass
    start = time.process_time()
    found = {id(q): r.content for batch in model.generate(requests) for q, r in batch}
    return len(requests) / (time.process_time() - start), [found[id(q)] for q in requests]


def tiny(folder: Path) -> Path:
    """The tests' random Llama, saved to a folder."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "models"))
    import tiny_models

    return tiny_models.text_model(folder)


def main(folder: Path, n: int, tokens: int) -> dict[str, float]:
    """Measure one model."""
    requests = questions(n, tokens)
    batched, answers = timed(parse_model(f"m=hf:{folder}?device=cpu").build(), requests)
    single, alone = timed(parse_model(f"m=hf:{folder}?device=cpu&batch=1").build(), requests)
    return {"batched": batched, "single": single, "equal": sum(a == b for a, b in zip(answers, alone, strict=True))}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="mmte-perf-") as name:
        model = tiny(Path(name)) if sys.argv[1] == "tiny" else Path(sys.argv[1])
        sys.stdout.write(json.dumps(main(model, int(sys.argv[2]), int(sys.argv[3]))) + "\n")
