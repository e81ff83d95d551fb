"""The CPU cases of heddle_workloads in NumPy, SciPy and numexpr: same sizes, same inputs, JSON lines.

usage: peers_cpu.py [--runs N] [--seconds S] [CASE...]
"""
import argparse
import json
import os
import time

import numpy as np

try:
    from scipy.special import erf
except ImportError:
    erf = None
try:
    import scipy.fft as scipy_fft
except ImportError:
    scipy_fft = None
try:
    import numexpr
except ImportError:
    numexpr = None

GOLDEN = 0.6180339887498949


def make(shape, lo, hi, dtype="f8"):
    n = int(np.prod(shape))
    x = np.arange(float(n)) * (GOLDEN * (1 + lo + hi) % 1)
    x -= np.floor(x)
    x *= hi - lo
    x += lo
    return x.astype(dtype).reshape(shape)


def line(case, system, n, times, check, bytes_moved=0):
    times = sorted(times)
    k = len(times)
    median = times[k // 2] if k % 2 else (times[k // 2 - 1] + times[k // 2]) / 2
    out = dict(case=case, system=system, n=n, seconds=median, best=times[0], runs=k)
    if bytes_moved:
        out.update(bytes=bytes_moved, GBps=bytes_moved / median / 1e9)
    if check is not None:
        out["check"] = float(check.real)
    print(json.dumps(out), flush=True)


def bench(case, system, n, f, bytes_moved=0, batch=1):
    result = f()
    first = result[0] if isinstance(result, tuple) else result
    flat = np.asarray(first).reshape(-1)
    check = flat[flat.size // 3]
    f()
    times, start = [], time.perf_counter()
    while len(times) < args.runs and (not times or time.perf_counter() - start < args.seconds):
        t = time.perf_counter()
        for _ in range(batch):
            f()
        times.append((time.perf_counter() - t) / batch)
    line(case, system, n, times, check, bytes_moved)


def fast(text, **names):
    return numexpr.evaluate(text, local_dict=names, global_dict={})


def copy_f32():
    n = 1 << 26
    a, one = make(n, 0, 1, "f4"), np.float32(1)
    bench("copy_f32", "numpy", n, lambda: a + one, 8 * n)
    if numexpr:
        bench("copy_f32", "numexpr", n, lambda: fast("a + one", a=a, one=one), 8 * n)


def axpy_f32():
    n = 1 << 26
    a, b, k = make(n, 0, 1, "f4"), make(n, 1, 2, "f4"), np.float32(2.5)
    bench("axpy_f32", "numpy", n, lambda: k * a + b, 12 * n)
    if numexpr:
        bench("axpy_f32", "numexpr", n, lambda: fast("k * a + b", k=k, a=a, b=b), 12 * n)


def price(S, K, T, f):
    sq = f(0.3) * np.sqrt(T)
    d1 = (np.log(S / K) + f(0.02 + 0.5 * 0.3 * 0.3) * T) / sq
    d2 = d1 - sq
    h = f(0.7071067811865475)
    n1, n2 = f(0.5) * (1 + erf(d1 * h)), f(0.5) * (1 + erf(d2 * h))
    disc = K * np.exp(f(-0.02) * T)
    call = S * n1 - disc * n2
    return call, call - S + disc


def black_scholes(dtype):
    n = 10_000_000
    S, K, T = make(n, 10, 110, dtype), make(n, 20, 120, dtype), make(n, 0.1, 2.1, dtype)
    name = "black_scholes_f64" if dtype == "f8" else "black_scholes_f32"
    scalar = np.float64 if dtype == "f8" else np.float32
    if erf:
        bench(name, "numpy+scipy", n, lambda: price(S, K, T, scalar), 5 * S.nbytes)


def mixed_f64():
    n = 10_000_000
    a, b, c = make(n, -2, 2), make(n, -3, 3), make(n, 0, 9)
    bench("mixed_f64", "numpy", n, lambda: np.exp(-a * a) * np.sin(b) + np.sqrt(c), 32 * n)
    if numexpr:
        bench("mixed_f64", "numexpr", n,
              lambda: fast("exp(-a * a) * sin(b) + sqrt(c)", a=a, b=b, c=c), 32 * n)


def sumabs2_f64():
    a = make((256, 512, 512), -1, 1)
    bench("sumabs2_f64", "numpy", a.size, lambda: np.sum(np.abs(a) ** 2), a.nbytes)
    if numexpr:
        bench("sumabs2_f64", "numexpr", a.size, lambda: fast("sum(abs(a)**2)", a=a), a.nbytes)


def sum_axis(axis):
    a = make((256, 512, 512), -1, 1)
    bench(f"sum_axis{axis}", "numpy", a.size, lambda: a.sum(axis=axis), a.nbytes)
    if numexpr:
        bench(f"sum_axis{axis}", "numexpr", a.size, lambda: fast(f"sum(a, axis={axis})", a=a),
              a.nbytes)


def cumulative_sum_f64():
    a = make(1 << 24, -1, 1)
    bench("cumulative_sum_f64", "numpy", a.size, lambda: np.cumsum(a), 2 * a.nbytes)


def take_f64():
    a = make(1 << 24, -1, 1)
    x = np.arange(a.size) * 6364136223846793005  # int64, products wrap
    x = (x ^ (x >> 31)) * 6364136223846793005
    p = (x ^ (x >> 29)) & (a.size - 1)
    bench("take_f64", "numpy", a.size, lambda: np.take(a, p), 3 * a.nbytes)


def order(name, f, lo=-1, hi=1, written=0.0):
    """f of n numbers, of which each is read once."""
    n = 10_000_000
    a = make(n, lo, hi)
    if hi > 1:
        a = np.floor(a)
    bench(name, "numpy", n, lambda: f(a), int((1 + written) * a.nbytes))


def spectral(name, f, n, shape=None):
    """f of a matrix without structure."""
    a = np.sin(make(shape or (n, n), -1, 1) * 1e5)
    bench(name, "numpy", n, lambda: f(a))


def csr(name, each, n):
    """A sparse matrix times a vector."""
    try:
        from scipy import sparse
    except ImportError:
        return
    e = np.arange(n * each)
    row, k = e // each, e % each
    offset = np.array([n - 4096, n - 1, 0, 1, 4096])[k] if each == 5 else k * k * 31337 + row * 9973
    columns, starts = ((row + offset) % n).astype("i4"), (np.arange(n + 1) * each).astype("i4")
    a, x = sparse.csr_matrix((make(n * each, 0, 1), columns, starts), (n, n)), make(n, -1, 1)
    bench(name, "scipy", n, lambda: a @ x, n * (12 * each + 20))


def random(name, draw, n=1 << 24, bytes_moved=0):
    """A draw of a generator."""
    rng = np.random.default_rng(0)
    bench(name, "numpy", n, lambda: draw(rng, n), bytes_moved)


def random_pi(rng, n):
    x, y = rng.random(n), rng.random(n)
    return np.mean(x * x + y * y < 1)


def fourier(name, f, shape, dtype):
    a = make(shape, -1, 1)
    a = (a * (1 + 0.5j)).astype(dtype) if np.dtype(dtype).kind == "c" else a.astype(dtype)
    bench(name, "numpy", shape[0], lambda: getattr(np.fft, f)(a), 2 * a.nbytes)
    if scipy_fft:
        bench(name, "scipy", shape[0], lambda: getattr(scipy_fft, f)(a, workers=-1), 2 * a.nbytes)


def jacobi_f64():
    n = 8192
    u = make((n, n), 0, 1)

    def step():
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        return v

    def step_numexpr():
        v = u.copy()
        d, t, r, l = u[2:, 1:-1], u[:-2, 1:-1], u[1:-1, 2:], u[1:-1, :-2]
        v[1:-1, 1:-1] = fast("0.25 * (d + t + r + l)", d=d, t=t, r=r, l=l)
        return v

    bench("jacobi_f64", "numpy", n * n, step, 2 * u.nbytes)
    if numexpr:
        bench("jacobi_f64", "numexpr", n * n, step_numexpr, 2 * u.nbytes)


def chain100():
    a = make(1000, 0, 1)

    def chain():
        x = a
        for _ in range(100):
            x = x + 1.0
        return x

    bench("chain100", "numpy", 1000, chain)


def small_fma():
    a, b, c = make(1000, 0, 1), make(1000, 1, 2), make(1000, 2, 3)
    bench("small_fma", "numpy", 1000, lambda: a * b + c, batch=1000)


CASES = dict(copy_f32=copy_f32, axpy_f32=axpy_f32, black_scholes_f32=lambda: black_scholes("f4"),
             black_scholes_f64=lambda: black_scholes("f8"), mixed_f64=mixed_f64,
             sumabs2_f64=sumabs2_f64, sum_axis0=lambda: sum_axis(0), sum_axis1=lambda: sum_axis(1),
             sum_axis2=lambda: sum_axis(2), cumulative_sum_f64=cumulative_sum_f64,
             take_f64=take_f64, sort_f64=lambda: order("sort_f64", np.sort, written=1),
             argsort_f64=lambda: order("argsort_f64", np.argsort, written=1),
             unique_f64=lambda: order("unique_f64", np.unique, 0, 1e6),
             histogram_f64=lambda: order("histogram_f64", lambda a: np.histogram(a, 100)),
             csr_band_f64=lambda: csr("csr_band_f64", 5, 1 << 20), csr_spread_f64=lambda: csr("csr_spread_f64", 32, 1 << 17),
             eigh_f64=lambda: spectral("eigh_f64", np.linalg.eigh, 1000),
             eigh_small_f64=lambda: spectral("eigh_small_f64", np.linalg.eigh, 200),
             eigh_batched_f64=lambda: spectral("eigh_batched_f64", np.linalg.eigh, 1000, (1000, 32, 32)),
             svd_batched_f64=lambda: spectral("svd_batched_f64", lambda a: [np.linalg.svd(a)[i] for i in (1, 0, 2)],
                                              1000, (1000, 32, 32)),
             eigvalsh_f64=lambda: spectral("eigvalsh_f64", np.linalg.eigvalsh, 1000),
             svd_f64=lambda: spectral("svd_f64", lambda a: [np.linalg.svd(a)[i] for i in (1, 0, 2)], 700),
             svd_small_f64=lambda: spectral("svd_small_f64", lambda a: [np.linalg.svd(a)[i] for i in (1, 0, 2)], 200),
             random_uniform_f64=lambda: random("random_uniform_f64", lambda r, n: r.random(n), bytes_moved=8 << 24),
             random_uniform_f32=lambda: random("random_uniform_f32", lambda r, n: r.random(n, dtype="f4"),
                                               bytes_moved=4 << 24),
             random_normal_f64=lambda: random("random_normal_f64", lambda r, n: r.standard_normal(n), bytes_moved=8 << 24),
             random_poisson=lambda: random("random_poisson", lambda r, n: r.poisson(35.0, n), 1 << 20, 8 << 20),
             random_pi=lambda: random("random_pi", random_pi),
             fft_c128=lambda: fourier("fft_c128", "fft", (1000000,), "c16"),
             fft2_c64=lambda: fourier("fft2_c64", "fft2", (4096, 4096), "c8"),
             fft2_images_c128=lambda: fourier("fft2_images_c128", "fft2", (16, 512, 512), "c16"),
             rfft_f64=lambda: fourier("rfft_f64", "rfft", (1024, 4096), "f8"),
             mask_f64=lambda: order("mask_f64", lambda a: a[a > 0], written=0.5), jacobi_f64=jacobi_f64, chain100=chain100,
             small_fma=small_fma)

parser = argparse.ArgumentParser()
parser.add_argument("--runs", type=int, default=20)
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("cases", nargs="*", choices=[[], *CASES])
args = parser.parse_args()
versions = {"numpy": np.__version__}
if numexpr:
    versions["numexpr"] = numexpr.__version__
    numexpr.set_num_threads(len(os.sched_getaffinity(0)))
    versions["numexpr threads"] = len(os.sched_getaffinity(0))
print(json.dumps({"versions": versions}), flush=True)
for name in args.cases or CASES:
    CASES[name]()
