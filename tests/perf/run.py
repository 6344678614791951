"""Measures what a change must keep true and prints a table: `python tests/perf/run.py [--quick] [--hf=DIR]`.

`--hf` measures a text model of transformers in a folder as well as the tiny random one.
Every line has the figure, the bound of the design, and how it was taken. Machines are noisy: medians, and
where two commands are compared, both are run in turn. Nothing here fails a test.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TASK = """# mmte.task/1
aspect: truthfulness
datasets: [{{dataset_id: perf-text, dataset_cfg: {{n: {n}}}}}]
evaluators: {{quick: {{perf-yes-no: {{metrics_cfg: {{accuracy_score: {{}}}}}}}}}}
"""


def pytest(*args: str, cwd: Path) -> tuple[float, float, str]:
    """Wall seconds, CPU seconds (children too) and output of a pytest command."""
    env = {**os.environ, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args], cwd=cwd, env=env,
                          capture_output=True, text=True, check=False)  # fmt: skip
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout + done.stderr


def line(what: str, figure: str, bound: str, how: str) -> None:
    """One row of the table."""
    sys.stdout.write(f"{what:<52} {figure:>22}   {bound:<22} {how}\n")
    sys.stdout.flush()


def start_up(folder: Path) -> None:
    """What the plugin adds to somebody else's run."""
    (folder / "test_host.py").write_text("def test_host(): pass\n")
    with_it, without = [], []
    for _ in range(8):
        with_it.append(pytest("test_host.py", cwd=folder)[1])
        without.append(pytest("-p", "no:mmte.plugin", "test_host.py", cwd=folder)[1])
    extra = (statistics.median(with_it) - statistics.median(without)) * 1000
    line(
        "plugin start-up beside a host's test",
        f"{extra:+.0f} ms CPU",
        "<= +20 ms",
        f"median of 8 pairs, {statistics.median(without):.2f} s without",
    )


def collection(folder: Path) -> None:
    """Collecting all task files."""
    runs = [pytest(str(ROOT / "benchmarks"), "--collect-only", "-p", "no:json_report", cwd=ROOT)[:2] for _ in range(5)]
    wall, cpu = (statistics.median(column) for column in zip(*runs, strict=True))
    line("collecting benchmarks/", f"{wall:.2f} s wall, {cpu:.2f} CPU", "<= 1 s", "median of 5, whole command")


def engine(folder: Path, sizes: list[int]) -> None:
    """CPU and memory for each sample, cold and cached."""
    for n in sizes:
        for kind, bound in (("cold", "<= 0.080 ms"), ("cached", "<= 0.050 ms")):
            files = [str(folder / f"e{n}.sqlite"), str(folder / "samples")]
            done = subprocess.run([sys.executable, str(HERE / "engine.py"), str(n), *files],
                                  capture_output=True, text=True, check=True, cwd=HERE)  # fmt: skip
            got = json.loads(done.stdout)
            line(
                f"engine, {n:,} samples, {kind}",
                f"{got['ms_per_sample']:.4f} ms CPU/sample",
                bound,
                f"{got['cpu']:.2f} s CPU",
            )
            if n >= 100_000:
                line(
                    f"engine, {n:,} samples, {kind}: memory",
                    f"{got['bytes_per_sample']:.0f} bytes/sample",
                    "<= 300 bytes",
                    "growth of peak RSS",
                )


def scored_again(folder: Path) -> None:
    """The whole command over 20,000 samples that are in the cache."""
    (folder / "again.yaml").write_text(TASK.format(n=20_000))
    args = (
        "-p",
        "perfdata",
        "again.yaml",
        "--model=x=scripted:yes|no?batch=64",
        "--mmte-cache=again.sqlite",
        "--mmte-report=again",
    )
    pytest(*args, cwd=folder)
    runs = [pytest(*args, cwd=folder) for _ in range(3)]
    assert "1 recorded" in runs[-1][2], runs[-1][2]
    line(
        "20,000 cached samples scored again",
        f"{statistics.median(r[0] for r in runs):.2f} s wall",
        "<= 1.5 s",
        "median of 3, whole command, start-up included",
    )


def endpoint(folder: Path) -> None:
    """2,000 requests to a server that takes 50 ms for each."""
    (folder / "ask.yaml").write_text(TASK.format(n=2_000))
    with slow_server() as port:
        runs = []
        for number in range(3):
            wall, cpu, out = pytest("-p", "perfdata", "ask.yaml", f"--model=x=openai:slow@http://127.0.0.1:{port}/v1?slots=64",
                                    f"--mmte-cache=ask{number}.sqlite", "--mmte-report=ask", cwd=folder)  # fmt: skip
            assert "1 recorded" in out, out
            runs.append((wall, cpu))
    wall, cpu = (statistics.median(column) for column in zip(*runs, strict=True))
    line(
        "2,000 requests, 50 ms server, 64 slots",
        f"{wall:.2f} s wall, {cpu:.2f} CPU",
        "<= 3.0 s, <= 2 CPU-s",
        "median of 3, whole command (ideal 1.6 s)",
    )


def transformers(n: int, real: str) -> None:
    """The hf backend, batched against one by one."""
    for where in ("tiny", *([str(Path(real).resolve())] if real else [])):
        what = "tiny Llama" if where == "tiny" else Path(where).name
        env = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        command = [sys.executable, str(HERE / "hf.py"), where, str(n), "24"]
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
        if done.returncode:
            line(f"hf, {what}", "-", "", done.stderr.strip().splitlines()[-1])
            continue
        got = json.loads(done.stdout)
        line(
            f"hf, {what}, {n} prompts, batched / one by one",
            f"{got['batched']:.3g} / {got['single']:.3g} answers",
            ">= 4 times as many",
            f"{got['batched'] / got['single']:.1f} times; per CPU second, one thread; {got['equal']} of {n} equal",
        )


def refusals() -> None:
    """Reading refusals: each answer for the first time, as when a run is scored again."""
    from mmte.evaluators.rule_refusal import RefusalEvaluator

    rows = (ROOT / "tests" / "evaluators" / "refusal_probe.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(row)["text"] for row in rows]
    evaluator = RefusalEvaluator("rule_reject_template_eval", {})
    evaluator.process(["Warm up the modules."])
    for what, answers in (("first time", texts), ("again", texts)):
        taken = []
        for text in answers:
            start = time.process_time()
            evaluator.process([text])
            taken.append((time.process_time() - start) * 1000)
        line(
            f"refusal evaluator, ms per answer, {what}",
            f"{statistics.median(taken):.3f} ms CPU",
            "aim 0.1 ms",
            f"median of {len(texts)} answers of {sum(map(len, texts)) // len(texts)} characters; mean "
            f"{statistics.fmean(taken):.3f}",
        )


@contextmanager
def slow_server() -> Iterator[int]:
    """The endpoint of slow_server.py, in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "slow_server.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.communicate("", timeout=10)


def main() -> None:
    """Print the table."""
    quick = "--quick" in sys.argv
    line("what", "measured", "bound", "how")
    with tempfile.TemporaryDirectory(prefix="mmte-perf-") as name:
        folder = Path(name)
        start_up(folder)
        collection(folder)
        engine(folder, [1_000, 20_000] if quick else [1_000, 20_000, 200_000])
        scored_again(folder)
        endpoint(folder)
    refusals()
    real = [a.removeprefix("--hf=") for a in sys.argv if a.startswith("--hf=")]
    transformers(32 if quick else 128, real[-1] if real else "")


if __name__ == "__main__":
    main()
