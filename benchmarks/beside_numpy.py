#!/usr/bin/env python3
"""Functions of the standard beside NumPy's: medians of several runs in turns, and the ratio, as a table.

usage: HEDDLE_LIBRARY=build/release/lib/libheddle.so benchmarks/beside_numpy.py [--count N] [--rounds N]

The expressions are evaluated through the binding of tests/array_api, of arrays that lie ready; below 1, Heddle is faster.
"""
import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests" / "array_api"))
import numpy as np
from heddle_array_api.array import from_numpy
from heddle_array_api.library import declared, library

CASES = [
    ("sort(x)", lambda v: np.sort(v["x"])),
    ("argsort(x)", lambda v: np.argsort(v["x"])),
    ("cumsum(x)", lambda v: np.cumsum(v["x"])),
    ("unique_values(x)", lambda v: np.unique(v["x"])),
    ("unique_values(small)", lambda v: np.unique(v["small"])),
    ("sum(x)", lambda v: np.sum(v["x"])),
    ("sum(a, axis=0)", lambda v: np.sum(v["a"], axis=0)),
    ("sum(a, axis=1)", lambda v: np.sum(v["a"], axis=1)),
    ("take(x, i)", lambda v: np.take(v["x"], v["i"])),
    ("x[mask]", lambda v: v["x"][v["mask"]]),
    ("histogram(x, 100)[0]", lambda v: np.histogram(v["x"], 100)),
    ("bincount(small)", lambda v: np.bincount(v["small"])),
    ("median(x)", lambda v: np.median(v["x"])),
    ("searchsorted(table, x)", lambda v: np.searchsorted(v["table"], v["x"])),
]


def inputs(n):
    random = np.random.default_rng(1)
    x = random.random(n) * 1e9
    return {"x": x, "a": x[: n // 1000 * 1000].reshape(1000, -1), "i": random.integers(0, n, n),
            "small": random.integers(0, 1000, n), "mask": x > 5e8, "table": np.sort(random.random(max(n // 10, 1)) * 1e9)}


def evaluate(text, bindings):
    library.heddle_wait(library.heddle_expr(text.encode(), len(bindings), bindings))  # raises what is wrong


def seconds(f):
    begin = time.perf_counter()
    f()
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    values = inputs(arguments.count)
    handles = {name: from_numpy(value) for name, value in values.items()}
    binding = declared.structs["heddle_binding"]
    bindings = (binding * len(handles))(*((name.encode(), h._as_parameter_) for name, h in handles.items()))
    print("| expression | Heddle, ms | NumPy, ms | ratio |\n|---|---|---|---|")
    for text, theirs in CASES:
        pairs = [(seconds(lambda: evaluate(text, bindings)), seconds(lambda: theirs(values)))
                 for _ in range(arguments.rounds + 1)][1:]  # the first one warms up
        ours, numpy = (1000 * statistics.median(column) for column in zip(*pairs))
        print(f"| `{text}` | {ours:.1f} | {numpy:.1f} | {ours / numpy:.2f} |", flush=True)


if __name__ == "__main__":
    main()
