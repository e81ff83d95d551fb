#!/usr/bin/env python3
"""Functions of the standard beside NumPy's (and SciPy's transforms): medians of several runs, by processes in turns, and the ratio, as a table.

usage: HEDDLE_LIBRARY=build/release/lib/libheddle.so benchmarks/beside_numpy.py [--set order|linalg|fft|random] [--count N] [--rounds N]
           [--only TEXT]...

The expressions are evaluated through the binding of tests/array_api, of arrays that lie ready; below 1, Heddle is faster.
--count is elements of order and random, rows of linalg's matrices, points of fft's transforms. For linalg, a NumPy that
loads the same BLAS and LAPACK says most: a distribution's own, with both on the path of the loader.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests" / "array_api"))
import numpy as np

ORDER = [
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

L = np.linalg
LINALG = [
    ("a @ b", lambda v: v["a"] @ v["b"]),
    ("a @ x", lambda v: v["a"] @ v["x"]),
    ("vecdot(a, b)", lambda v: (v["a"] * v["b"]).sum(-1)),
    ("tensordot(a, b, 1)", lambda v: np.tensordot(v["a"], v["b"], 1)),
    ("outer(x, x)", lambda v: np.outer(v["x"], v["x"])),
    ("einsum('ij,kj->ik', a, b)", lambda v: np.einsum("ij,kj->ik", v["a"], v["b"], optimize=True)),
    ("kron(few, few)", lambda v: np.kron(v["few"], v["few"])),
    ("np.linalg.multi_dot([a, b, x])", lambda v: L.multi_dot([v["a"], v["b"], v["x"]])),
    ("np.linalg.matrix_power(a, 5)", lambda v: L.matrix_power(v["a"], 5)),
    ("np.linalg.cholesky(spd)", lambda v: L.cholesky(v["spd"])),
    ("np.linalg.qr(a)[1]", lambda v: L.qr(v["a"])),
    ("np.linalg.det(a)", lambda v: L.det(v["a"])),
    ("np.linalg.slogdet(a)[1]", lambda v: L.slogdet(v["a"])),
    ("np.linalg.solve(a, x)", lambda v: L.solve(v["a"], v["x"])),
    ("np.linalg.solve(a, b)", lambda v: L.solve(v["a"], v["b"])),
    ("np.linalg.inv(a)", lambda v: L.inv(v["a"])),
    ("np.linalg.eigh(spd)[1]", lambda v: L.eigh(v["spd"])),
    ("np.linalg.eigvalsh(spd)", lambda v: L.eigvalsh(v["spd"])),
    ("np.linalg.eig(a)[1]", lambda v: L.eig(v["a"])),
    ("np.linalg.eigvals(a)", lambda v: L.eigvals(v["a"])),
    ("np.linalg.svd(a)[0]", lambda v: L.svd(v["a"])),
    ("np.linalg.svdvals(a)", lambda v: L.svd(v["a"], compute_uv=False)),
    ("np.linalg.pinv(a)", lambda v: L.pinv(v["a"])),
    ("np.linalg.lstsq(tall, y)[0]", lambda v: L.lstsq(v["tall"], v["y"], rcond=None)),
    ("np.linalg.matrix_rank(a)", lambda v: L.matrix_rank(v["a"])),
    ("np.linalg.cond(a)", lambda v: L.cond(v["a"])),
    ("np.linalg.norm(a)", lambda v: L.norm(v["a"])),
    ("np.linalg.norm(a, 2)", lambda v: L.norm(v["a"], 2)),
    ("np.linalg.norm(a, axis=1)", lambda v: L.norm(v["a"], axis=1)),
    ("np.trace(a)", lambda v: np.trace(v["a"])),
    ("cross(points, points)", lambda v: np.cross(v["points"], v["points"])),
    ("np.linalg.solve(many, sides)", lambda v: L.solve(v["many"], v["sides"])),
    ("np.linalg.inv(many)", lambda v: L.inv(v["many"])),
    ("np.linalg.det(many)", lambda v: L.det(v["many"])),
    ("np.linalg.cholesky(positive)", lambda v: L.cholesky(v["positive"])),
    ("np.linalg.qr(many)[1]", lambda v: L.qr(v["many"])),
    ("np.linalg.eigh(positive)[1]", lambda v: L.eigh(v["positive"])),
    ("np.linalg.svd(many)[0]", lambda v: L.svd(v["many"])),
    ("many @ many", lambda v: v["many"] @ v["many"]),
]

try:
    from scipy import fft as transforms  # below NumPy 2 faster than NumPy's; several threads too
except ImportError:
    transforms = np.fft


def both(name, *names, **options):
    text = ", ".join([*names, *(f"{key}={value!r}" for key, value in options.items())])
    function = getattr(transforms, name)
    if transforms is not np.fft and not name.endswith(("freq", "shift")):
        return f"np.fft.{name}({text})", lambda v: function(*(v[n] for n in names), **options, workers=-1)
    return f"np.fft.{name}({text})", lambda v: function(*(v[n] for n in names), **options)


FFT = [both("fft", "z"), both("ifft", "z"), both("rfft", "x"), both("irfft", "z"), both("hfft", "z"), both("ihfft", "x"),
       both("fft", "prime"), both("fft", "rows"), both("fft", "rows", axis=0), both("ifft", "rows"), both("rfft", "real"),
       both("irfft", "rows"), both("fft2", "rows"), both("ifft2", "rows"), both("rfft2", "real"), both("irfft2", "rows"),
       both("fftn", "cube"), both("ifftn", "cube"), both("rfftn", "box"), both("irfftn", "cube"), both("fftn", "cube", axes=(1, 2)),
       both("fft", "single"), both("fft", "small"), both("fftshift", "rows"), both("ifftshift", "rows")]

RANDOM = [
    (f"np.random.default_rng(1).{name}({a}size={{n}})", lambda v, name=name, p=p: getattr(v["rng"], name)(*p, size=v["n"]))
    for name, p in [("random", ()), ("uniform", (1.0, 3.0)), ("standard_normal", ()), ("normal", (1.0, 3.0)), ("exponential", (2.0,)),
                    ("integers", (0, 1000)), ("gamma", (2.5, 1.0)), ("beta", (2.0, 3.0)), ("poisson", (4.0,)), ("poisson", (35.0,)),
                    ("binomial", (100, 0.3))]
    for a in ["".join(f"{x}, " for x in p)]
]


def algebra(n):
    random = np.random.default_rng(1)
    draw = random.standard_normal
    a, many = draw((n, n)), draw((max(4 * n, 1), 16, 16))
    few = draw((max(int(n ** 0.5), 1),) * 2)
    # no products here: threads of a BLAS that made inputs would stay, and count among those that libgomp lets spin
    return {"a": a, "b": draw((n, n)), "x": draw(n), "few": few, "spd": a + a.T + 4 * n ** 0.5 * np.eye(n), "tall": draw((3 * n, n)),
            "y": draw(3 * n), "points": draw((100 * n, 3)), "many": many, "sides": draw((len(many), 16, 2)),
            "positive": many + many.swapaxes(1, 2) + 32 * np.eye(16)}


def signals(n):
    random = np.random.default_rng(1)
    x = random.standard_normal(n)
    z = x + 1j * random.standard_normal(n)
    side, edge = max(int(n ** 0.5), 1), max(int(n ** (1 / 3)), 1)
    prime = n
    while any(prime % i == 0 for i in range(2, int(prime ** 0.5) + 1)):
        prime -= 1
    rows, cube = z[:side * side].reshape(side, side), z[:edge ** 3].reshape(edge, edge, edge)
    return {"x": x, "z": z, "prime": z[:prime], "rows": rows, "real": rows.real.copy(), "cube": cube, "box": cube.real.copy(),
            "single": rows.astype("c8"), "small": z[:n // 32 * 32].reshape(-1, 32)}


def inputs(n):
    random = np.random.default_rng(1)
    x = random.random(n) * 1e9
    return {"x": x, "a": x[: n // 1000 * 1000].reshape(1000, -1), "i": random.integers(0, n, n),
            "small": random.integers(0, 1000, n), "mask": x > 5e8, "table": np.sort(random.random(max(n // 10, 1)) * 1e9)}


def sets():
    """Of each set: the cases, a function that makes the inputs of a count, the usual count."""
    generator = lambda n: {"rng": np.random.default_rng(1), "n": n}
    return {"order": (ORDER, inputs, 10_000_000), "linalg": (LINALG, algebra, 300), "fft": (FFT, signals, 1_000_000),
            "random": (RANDOM, generator, 10_000_000)}


def heddles(values):
    """What evaluates an expression of the values."""
    from heddle_array_api.array import from_numpy
    from heddle_array_api.library import declared, library
    handles = {name: from_numpy(value) for name, value in values.items() if isinstance(value, np.ndarray)}
    binding = declared.structs["heddle_binding"]
    bindings = (binding * max(len(handles), 1))(*((name.encode(), h._as_parameter_) for name, h in handles.items()))
    return lambda text: library.heddle_wait(library.heddle_expr(text.encode(), len(handles), bindings))  # raises what is wrong


def seconds(f):
    begin = time.perf_counter()
    f()
    return time.perf_counter() - begin


def measure(system, cases, values, runs):
    """Medians, a line of each case, in ms: one run warms up."""
    evaluate = heddles(values) if system == "heddle" else None
    for text, theirs in cases:
        f = (lambda: evaluate(text)) if evaluate else (lambda: theirs(values))
        first = seconds(f)
        times = [seconds(f) for _ in range(max(3, min(runs, int(1 / (first + 1e-9)))))]
        print(1000 * statistics.median(times), flush=True)


def main():
    known = sets()
    parser = argparse.ArgumentParser()
    parser.add_argument("--set", choices=known, default="order")
    parser.add_argument("--count", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="cases that contain one of these texts")
    parser.add_argument("--system", choices=["heddle", "numpy"], help="of one of them alone: for the program itself")
    arguments = parser.parse_args()
    cases, make, count = known[arguments.set]
    count = arguments.count or count
    cases = [(text.replace("{n}", str(count)), theirs) for text, theirs in cases]
    cases = [case for case in cases if not arguments.only or any(text in case[0] for text in arguments.only)]
    if arguments.system:
        return measure(arguments.system, cases, make(count), arguments.runs)
    # in processes of their own: threads of one that still spin would slow the other
    columns = {"heddle": [], "numpy": []}
    for _ in range(arguments.rounds):
        for system, rounds in columns.items():
            command = [sys.executable, "-B", __file__, "--set", arguments.set, "--count", str(count), "--runs", str(arguments.runs),
                       "--system", system, *(f"--only={text}" for text in arguments.only)]
            rounds.append([float(line) for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()])
    print("| expression | Heddle, ms | NumPy, ms | ratio |\n|---|---|---|---|")
    for i, (text, _) in enumerate(cases):
        ours, numpy = (statistics.median(times[i] for times in columns[system]) for system in columns)
        print(f"| `{text}` | {ours:.3g} | {numpy:.3g} | {ours / numpy:.2f} |")


if __name__ == "__main__":
    main()
