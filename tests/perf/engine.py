"""One engine run in a process of its own: `engine.py N CACHE SAMPLES_DIR`; prints JSON with CPU seconds and memory."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import perfdata  # noqa: F401  registers the dataset and the evaluator

from mmte.engine.runtime import Runtime
from mmte.engine.settings import Settings
from mmte.models.spec import parse_model
from mmte.tasks.base import BaseTask


def main(n: int, cache: str, samples: str) -> dict[str, float]:
    """Measure `n` samples with an instant model."""
    runtime = Runtime(
        Settings(models={"x": parse_model("x=scripted:yes|no?batch=64")}, cache=Path(cache), samples_dir=Path(samples))
    )

    def run(size: int) -> float:
        task = BaseTask("perf-text", "x", dataset_cfg={"n": size}, runtime=runtime,
                        evaluator_seq_cfgs=[{"perf-yes-no": {"metrics_cfg": {"accuracy_score": {}}}}])  # fmt: skip
        start = time.process_time()
        task.pipeline()
        assert task.results[0].counts["scored"] == size
        return time.process_time() - start

    run(1)  # imports
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cpu = run(n)
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return {"cpu": cpu, "ms_per_sample": cpu / n * 1e3, "bytes_per_sample": memory / n}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(int(sys.argv[1]), sys.argv[2], sys.argv[3])) + "\n")
