"""micro_sizes and NumPy in turns: the time of each expression and size, and their ratio, as a table.

usage: sizes.py [--most N] [--busy N] [--rounds N] PROGRAM

--busy: as many processes spin beside both. The figures are medians of the rounds; below 1, Heddle is
faster.
"""
import argparse
import statistics
import subprocess
import sys
import time

NUMPY = "numpy"


def numpy_lines(most):
    import numpy as np

    def median(f):
        times, start = [], time.perf_counter()
        while time.perf_counter() - start < 0.05:
            f()
        start = time.perf_counter()
        while len(times) < 2000 and (len(times) < 5 or time.perf_counter() - start < 0.25):
            begin = time.perf_counter()
            f()
            times.append(time.perf_counter() - begin)
        return statistics.median(times) * 1e6

    size = 1000.0
    while size <= most * 1.01:
        n = int(size + 0.5)
        x = np.arange(float(n))
        a, b = np.sin(x), np.cos(x)
        print(n, "a*b+a", median(lambda: a * b + a), "sum(a*b)", median(lambda: (a * b).sum()),
              "exp(a)", median(lambda: np.exp(a)),
              "a/norm(a)", median(lambda: a / np.sqrt((a * a).sum())), flush=True)
        size *= 10 ** 0.5
    m = 16
    while m <= 4096 and m * m <= most:
        x = np.arange(float(m * m)).reshape(m, m)
        a, b = np.sin(x), np.cos(x)
        print(m, "a@b", median(lambda: a @ b), flush=True)
        m *= 2


def measured(command):
    """{(expression, size): µs}"""
    out = {}
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        for name, value in zip(words[1::2], words[2::2]):
            out[name, int(words[0])] = float(value)
    return out


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=float, default=1e8)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("program")
    args = parser.parse_args()
    if args.program == NUMPY:
        numpy_lines(args.most)
        sys.exit()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(args.busy)]
    try:
        rounds = [(measured([args.program, str(args.most)]),
                   measured([sys.executable, __file__, "--most", str(args.most), NUMPY]))
                  for _ in range(args.rounds)]
    finally:
        for p in busy:
            p.kill()
    print("| expression | n | Heddle, µs | NumPy, µs | ratio |\n|---|---|---|---|---|")
    for key in sorted(rounds[0][0]):
        ours = statistics.median(r[0][key] for r in rounds)
        theirs = statistics.median(r[1][key] for r in rounds)
        print(f"| {key[0]} | {key[1]} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} |")
