"""micro_sorts and NumPy in turns: the time of sorting by dtype, order and size, and the ratio, as a table.

usage: sorts.py [--most N] [--rounds N] PROGRAM

The figures are medians of the rounds; below 1, Heddle is faster.
"""
import argparse
import statistics
import subprocess
import sys
import time

NUMPY = "numpy"


def numpy_lines(most):
    import numpy as np

    random = np.random.default_rng(1)
    for dtype in ("float64", "float32", "int64", "int32"):
        for order in ("random", "sorted", "equal"):
            n = 10000
            while n <= most:
                x = {"random": lambda: random.random(n) * 1e9,
                     "sorted": lambda: np.arange(n) * (1e9 / n),
                     "equal": lambda: np.full(n, 7.0)}[order]().astype(dtype)
                times = []
                for _ in range(3):
                    np.sort(x)
                start = time.perf_counter()
                while len(times) < 1000 and (len(times) < 5 or time.perf_counter() - start < 0.5):
                    begin = time.perf_counter()
                    np.sort(x)
                    times.append(time.perf_counter() - begin)
                print(dtype, order, n, f"{statistics.median(times) * 1e6:.2f}", flush=True)
                n *= 10


def lines_of(command):
    found = {}
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        *key, value = line.split()
        found[tuple(key)] = float(value)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=float, default=1e7)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("program")
    options = parser.parse_args()
    if options.program == NUMPY:
        return numpy_lines(options.most)
    heddle, numpy = [], []
    for _ in range(options.rounds):
        heddle.append(lines_of([options.program, str(options.most)]))
        numpy.append(lines_of([sys.executable, __file__, "--most", str(options.most), NUMPY]))
    print("| dtype | data | n | Heddle, µs | NumPy, µs | ratio |\n|---|---|---|---|---|---|")
    for key in heddle[0]:
        h, p = (statistics.median(r[key] for r in rounds) for rounds in (heddle, numpy))
        print("|", *(f"{x} |" for x in key), f"{h:.0f} | {p:.0f} | {h / p:.2f} |")
    return None


if __name__ == "__main__":
    sys.exit(main())
