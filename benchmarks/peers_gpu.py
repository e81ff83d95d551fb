"""The GPU cases of heddle_workloads in CuPy, torch.compile and JAX: same sizes and inputs, JSON lines.

usage: peers_gpu.py [--runs N] [--seconds S] [--rounds N] [--systems cupy,torch,jax]
                    [--against PROGRAM] [CASE...]
Each system is optional; a case that a system cannot run prints a line with "error". All take turns,
with --against heddle_workloads too.
"""
import argparse
import json
import os
import subprocess
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
GOLDEN = 0.6180339887498949


class Cupy:
    name = "cupy"

    def __init__(self):
        import cupy
        from cupyx.scipy.special import erf
        self.xp, self.erf, self.version = cupy, erf, cupy.__version__
        self.sync = cupy.cuda.Stream.null.synchronize

    def make(self, shape, lo, hi, dtype):
        xp, n = self.xp, 1
        for extent in shape:
            n *= extent
        x = xp.arange(n, dtype="f8") * (GOLDEN * (1 + lo + hi) % 1)
        x -= xp.floor(x)
        return (x * (hi - lo) + lo).astype(dtype).reshape(shape)

    def compile(self, f, fusable):
        return self.xp.fuse(kernel_name="peer")(f) if fusable else f

    def set_inner(self, u, value):
        v = u.copy()
        v[1:-1, 1:-1] = value
        return v

    def number(self, a):
        return float(a.reshape(-1)[a.size // 3].real)


class Torch:
    name = "torch.compile"

    def __init__(self):
        import torch
        if not torch.cuda.is_available():
            raise ImportError("torch sees no GPU")
        self.xp, self.erf, self.version = torch, torch.erf, torch.__version__
        self.sync = torch.cuda.synchronize

    def make(self, shape, lo, hi, dtype):
        xp, n = self.xp, 1
        for extent in shape:
            n *= extent
        x = xp.arange(n, dtype=xp.float64, device="cuda") * (GOLDEN * (1 + lo + hi) % 1)
        x -= xp.floor(x)
        return (x * (hi - lo) + lo).to(xp.float32 if dtype == "f4" else xp.float64).reshape(shape)

    def compile(self, f, fusable):
        return self.xp.compile(f)

    def set_inner(self, u, value):
        v = u.clone()
        v[1:-1, 1:-1] = value
        return v

    def number(self, a):
        return float(a.reshape(-1)[a.numel() // 3].real)


class Jax:
    name = "jax.jit"

    def __init__(self):
        import jax
        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() != "gpu":
            raise ImportError("jax sees no GPU")
        self.jax, self.xp, self.version = jax, jax.numpy, jax.__version__
        self.erf = jax.scipy.special.erf
        self.sync = lambda: None

    def make(self, shape, lo, hi, dtype):
        xp, n = self.xp, 1
        for extent in shape:
            n *= extent
        x = xp.arange(n, dtype="f8") * (GOLDEN * (1 + lo + hi) % 1)
        x = x - xp.floor(x)
        return (x * (hi - lo) + lo).astype(dtype).reshape(shape)

    def compile(self, f, fusable):
        compiled = self.jax.jit(f)
        return lambda *a: self.jax.block_until_ready(compiled(*a))

    def set_inner(self, u, value):
        return u.at[1:-1, 1:-1].set(value)

    def number(self, a):
        return float(a.reshape(-1)[a.size // 3].real)


def price(s):
    xp = s.xp

    def f(S, K, T):
        sq = 0.3 * xp.sqrt(T)
        d1 = (xp.log(S / K) + (0.02 + 0.5 * 0.3 * 0.3) * T) / sq
        d2 = d1 - sq
        n1 = 0.5 * (1 + s.erf(d1 * 0.7071067811865475))
        n2 = 0.5 * (1 + s.erf(d2 * 0.7071067811865475))
        disc = K * xp.exp(-0.02 * T)
        call = S * n1 - disc * n2
        return call, call - S + disc

    return f


def jacobi(s):
    return lambda u: s.set_inner(
        u, 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]))


def chain(x):
    for _ in range(100):
        x = x + 1.0
    return x


def sum_over(s, axis):
    return lambda a: s.xp.sum(a, axis)


def cumulative_sum(s):
    if s.name == "torch.compile":
        return lambda a: s.xp.cumsum(a, 0)
    return lambda a: s.xp.cumsum(a)  # CuPy is slower where it is given the axis


def positions(s, n):
    """A hash of 0, 1, ..., the same as heddle_workloads makes; n is a power of two."""
    c = 6364136223846793005  # int64, products wrap
    x = (s.xp.arange(n, device="cuda") if s.name == "torch.compile" else s.xp.arange(n)) * c
    x = (x ^ (x >> 31)) * c
    return (x ^ (x >> 29)) & (n - 1)


def millions(s, n):
    """Whole numbers below a million."""
    return s.xp.floor(s.make((n,), 0, 1e6, "f8"))


def sort(s):
    if s.name == "torch.compile":
        return lambda a: s.xp.sort(a)[0]
    return s.xp.sort


def histogram(s):
    if s.name == "torch.compile":
        return lambda a: s.xp.histc(a, 100)
    return lambda a: s.xp.histogram(a, 100)


def bfloat16(s, n):
    """A square matrix."""
    if s.name == "cupy":
        raise ValueError("CuPy has no bfloat16")
    x = s.make((n, n), -1, 1, "f4")
    return x.to(s.xp.bfloat16) if s.name == "torch.compile" else x.astype("bfloat16")


def product(s):
    """In the dtype's full precision: JAX's default is TF32."""
    if s.name == "jax.jit":
        return lambda a: s.xp.matmul(a, a, precision="highest" if a.dtype == "f4" else None)
    return lambda a: s.xp.matmul(a, a)


def transposed(s):
    """X^T X, or X^T y; in full precision, as product."""
    def f(x, y=None):
        y = x if y is None else y
        if s.name == "jax.jit":
            return s.xp.matmul(x.T, y, precision="highest")
        return s.xp.matmul(x.T, y)
    return f


def table(columns, lo, hi, dtype):
    """Inputs of n rows."""
    return lambda s, n: s.make((n, columns) if columns else (n,), lo, hi, dtype)


def definite(*batch):
    """Makes symmetric positive definite matrices."""
    def make(s, n):
        rows = 64 if batch else n
        a = s.make((n, 64, 64) if batch else (n, n), 0, 1, "f8")
        return a + s.xp.swapaxes(a, -2, -1) + 4 * rows * s.xp.eye(rows, dtype=a.dtype)
    return make


def linalg(name):
    def function(s):
        if s.name != "cupy":
            raise ValueError("beside CuPy alone")
        if name == "solve":
            return lambda a: s.xp.linalg.solve(a, a[..., :1])
        return getattr(s.xp.linalg, name)
    return function


def noise(s, n, shape=None):
    """A square matrix without structure."""
    return s.xp.sin(s.make(shape or (n, n), -1, 1, "f8") * 1e5)


def noises(s, n):
    return noise(s, n, (n, 32, 32))


def random(draw):
    """A draw of NumPy's Generator, which torch and JAX have not."""
    def make(s):
        if s.name != "cupy":
            raise ValueError("only CuPy has NumPy's generators")
        rng = s.xp.random.default_rng(0)
        return lambda: draw(s.xp, rng)
    return make


def pi(xp, rng):
    x, y = rng.random(1 << 30), rng.random(1 << 30)
    return xp.mean(x * x + y * y < 1).reshape(1)


def spectral(name):
    def make(s):
        f = getattr(s.xp.linalg, name)
        if name == "svd":  # the values first, which are unique
            return lambda a: tuple(f(a)[i] for i in (1, 0, 2))
        return lambda a: tuple(r) if isinstance(r := f(a), tuple) else r
    return make


def sparse(each):
    """The matrix of benchmarks/workloads/sparse.c, by CuPy (cuSPARSE) alone."""
    def make(s, n):
        if s.name != "cupy":
            raise ValueError("CuPy's case")
        from cupyx.scipy.sparse import csr_matrix
        e = s.xp.arange(n * each)
        row, k = e // each, e % each
        offset = s.xp.array([n - 4096, n - 1, 0, 1, 4096])[k] if each == 5 else k * k * 31337 + row * 9973
        columns, starts = ((row + offset) % n).astype("i4"), (s.xp.arange(n + 1) * each).astype("i4")
        return csr_matrix((s.make((n * each,), 0, 1, "f8"), columns, starts), (n, n))
    return make


def product_tf32(s):
    """Where the precision is the call's: JAX."""
    if s.name != "jax.jit":
        raise ValueError("JAX's case")
    return lambda a: s.xp.matmul(a, a, precision="tensorfloat32")


def raw(s):
    """1000 launches of the kernel of benchmarks/workloads/raw.c, each with a new result."""
    if s.name != "cupy":
        raise ValueError("beside CuPy alone")
    source = """extern "C" __global__ void axpb(const float *x, float *y, float a, long long n)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + 1;
}"""
    kernel, a, n = s.xp.RawKernel(source, "axpb"), s.xp.float32(2), s.xp.int64(1000)

    def launches(x):
        for _ in range(1000):
            y = s.xp.empty_like(x)
            kernel((4,), (256,), (x, y, a, n))
        return y
    return launches


def text_fused(s):
    """The three steps of benchmarks/workloads/kernels.c, the middle one an ElementwiseKernel."""
    if s.name != "cupy":
        raise ValueError("beside CuPy alone")
    kernel = s.xp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    return lambda a, b: kernel(a * 3, b) + 1


def reduction(s):
    """The sum of absolute values, as a ReductionKernel."""
    if s.name != "cupy":
        raise ValueError("beside CuPy alone")
    return s.xp.ReductionKernel("T x", "T y", "abs(x)", "a + b", "y = a", "0", "abs_sum")


def reduction_pair(s):
    """The least value and the first place that has it: pairs are a struct, which no element is as at is -1."""
    if s.name != "cupy":
        raise ValueError("beside CuPy alone")
    preamble = """
struct found {
    float value;
    long long at;
    __device__ found() : value(0), at(-1) {}
    __device__ found(float v, long long i) : value(v), at(i) {}
};
__device__ found first_least(const found &p, const found &q)
{
    if (p.at < 0 || q.at < 0) return p.at < 0 ? q : p;
    return q.value < p.value || (q.value == p.value && q.at < p.at) ? q : p;
}"""
    return s.xp.ReductionKernel("float32 x", "float32 value, int64 at", "found(x, _J)", "first_least(a, b)",
                                "value = a.value, at = a.at", "found()", "least_pair", reduce_type="found",
                                preamble=preamble)


def phased(s, shape, dtype):
    """Complex numbers."""
    return (s.make(shape, -1, 1, "f8") * (1 + 0.5j)).astype(dtype)


V, W, B = (1 << 28,), (1 << 27,), (256, 512, 512)
N = (1 << 26,)
BS = ((10, 110), (20, 120), (0.1, 2.1))
# case: function of a system, may CuPy fuse it, shape, ranges of the inputs (or a function that makes
# one), their dtype, bytes moved
CASES = {
    "copy_f32": (lambda s: lambda a: a + 1.0, True, V, ((0, 1),), "f4", 8 * V[0]),
    "axpy_f32": (lambda s: lambda a, b: 2.5 * a + b, True, V, ((0, 1), (1, 2)), "f4", 12 * V[0]),
    "black_scholes_f32": (price, True, N, BS, "f4", 20 * N[0]),
    "black_scholes_f64": (price, True, N, BS, "f8", 40 * N[0]),
    "mixed_f64": (lambda s: lambda a, b, c: s.xp.exp(-a * a) * s.xp.sin(b) + s.xp.sqrt(c), True,
                  (10_000_000,), ((-2, 2), (-3, 3), (0, 9)), "f8", 32 * 10_000_000),
    "sumabs2_f64": (lambda s: lambda a: s.xp.sum(s.xp.abs(a) ** 2), False, B, ((-1, 1),), "f8",
                    8 << 26),
    "sum_axis0": (lambda s: sum_over(s, 0), False, B, ((-1, 1),), "f8", 8 << 26),
    "sum_axis1": (lambda s: sum_over(s, 1), False, B, ((-1, 1),), "f8", 8 << 26),
    "sum_axis2": (lambda s: sum_over(s, 2), False, B, ((-1, 1),), "f8", 8 << 26),
    "cumulative_sum_f64": (cumulative_sum, False, W, ((-1, 1),), "f8", 16 * W[0]),
    "take_f64": (lambda s: lambda a, p: a[p], False, W, ((-1, 1), positions), "f8", 24 * W[0]),
    "sort_f64": (sort, False, W, ((-1, 1),), "f8", 16 * W[0]),
    "argsort_f64": (lambda s: s.xp.argsort, False, W, ((-1, 1),), "f8", 16 * W[0]),
    "unique_f64": (lambda s: s.xp.unique, False, W, (millions,), "f8", 8 * W[0]),
    "histogram_f64": (histogram, False, W, ((-1, 1),), "f8", 8 * W[0]),
    "mask_f64": (lambda s: lambda a: a[a > 0], False, W, ((-1, 1),), "f8", 12 * W[0]),
    "matmul_f32": (product, False, (8192, 8192), ((-1, 1),), "f4", 12 << 26),
    "matmul_f64": (product, False, (8192, 8192), ((-1, 1),), "f8", 24 << 26),
    "matmul_bf16": (product, False, (8192,), (bfloat16,), "bfloat16", 6 << 26),
    "matmul_batched_f32": (product, False, (10000, 64, 64), ((-1, 1),), "f4", 12 * 10000 << 12),
    "matmul_tf32": (product_tf32, False, (8192, 8192), ((-1, 1),), "f4", 12 << 26),
    "normal_equations_f32": (transposed, False, (1 << 22,), (table(32, -1, 1, "f4"),), "f4", 128 << 22),
    "normal_equations_f64": (transposed, False, (1 << 22,), (table(32, -1, 1, "f8"),), "f8", 256 << 22),
    "thin_transposed_f64": (transposed, False, (1 << 22,), (table(32, -1, 1, "f8"), table(8, 0, 1, "f8")), "f8", 320 << 22),
    "thin_vector_f32": (transposed, False, (1 << 22,), (table(32, -1, 1, "f4"), table(0, 0, 1, "f4")), "f4", 132 << 22),
    "csr_band_f64": (lambda s: lambda a, x: a @ x, False, (1 << 24,), (sparse(5), (-1, 1)), "f8", (1 << 24) * 80),
    "csr_spread_f64": (lambda s: lambda a, x: a @ x, False, (1 << 21,), (sparse(32), (-1, 1)), "f8", (1 << 21) * 404),
    "cholesky_f64": (linalg("cholesky"), False, (4096,), (definite(),), "f8", 16 << 24),
    "cholesky_batched_f64": (linalg("cholesky"), False, (10000,), (definite(1),), "f8", 16 * 10000 << 12),
    "qr_f64": (linalg("qr"), False, (4096,), (definite(),), "f8", 16 << 24),
    "solve_f64": (linalg("solve"), False, (4096,), (definite(),), "f8", 16 << 24),
    "solve_batched_f64": (linalg("solve"), False, (10000,), (definite(1),), "f8", 16 * 10000 << 12),
    "inv_f64": (linalg("inv"), False, (4096,), (definite(),), "f8", 16 << 24),
    "eigh_f64": (spectral("eigh"), False, (4096,), (noise,), "f8", 0),
    "eigh_large_f64": (spectral("eigh"), False, (8192,), (noise,), "f8", 0),
    "eigh_batched_f64": (spectral("eigh"), False, (10000,), (noises,), "f8", 0),
    "svd_batched_f64": (spectral("svd"), False, (10000,), (noises,), "f8", 0),
    "svd_large_f64": (spectral("svd"), False, (8192,), (noise,), "f8", 0),
    "eigh_small_f64": (spectral("eigh"), False, (1000,), (noise,), "f8", 0),
    "eigvalsh_f64": (spectral("eigvalsh"), False, (4096,), (noise,), "f8", 0),
    "svd_f64": (spectral("svd"), False, (2048,), (noise,), "f8", 0),
    "svd_small_f64": (spectral("svd"), False, (1000,), (noise,), "f8", 0),
    "random_uniform_f64": (random(lambda xp, rng: rng.random(1 << 27)), False, W, (), "f8", 8 * W[0]),
    "random_uniform_f32": (random(lambda xp, rng: rng.random(1 << 27, dtype="f4")), False, W, (), "f4", 4 * W[0]),
    "random_normal_f64": (random(lambda xp, rng: rng.standard_normal(1 << 27)), False, W, (), "f8", 8 * W[0]),
    "random_poisson": (random(lambda xp, rng: rng.poisson(35.0, 1 << 24)), False, (1 << 24,), (), "i8", 8 << 24),
    "random_pi": (random(pi), False, (1 << 30,), (), "f8", 0),
    "fft_c128": (lambda s: s.xp.fft.fft, False, (1 << 26,), (lambda s, n: phased(s, (n,), "c16"),), "c16", 32 << 26),
    "fft2_c64": (lambda s: s.xp.fft.fft2, False, (16384,), (lambda s, n: phased(s, (n, n), "c8"),), "c8", 16 << 28),
    "fft2_images_c128": (lambda s: lambda a: s.xp.fft.fftn(a, axes=(1, 2)), False, (256,),
                         (lambda s, n: phased(s, (n, 512, 512), "c16"),), "c16", 32 << 26),
    "rfft_f64": (lambda s: s.xp.fft.rfft, False, (1 << 15, 4096), ((-1, 1),), "f8", 16 << 27),
    "jacobi_f64": (jacobi, False, (16384, 16384), ((0, 1),), "f8", 16 << 28),
    "chain100": (lambda s: chain, False, (1000,), ((0, 1),), "f8", 0),
    "chain100_device": (lambda s: chain, False, (1000,), ((0, 1),), "f8", 0),
    "text_fused_f32": (text_fused, False, (1 << 26,), ((0, 1), (1, 2)), "f4", 12 << 26),
    "reduction_kernel_f32": (reduction, False, (1 << 26,), ((-1, 1),), "f4", 4 << 26),
    "reduction_pair_f32": (reduction_pair, False, (1 << 26,), ((0, 1),), "f4", 4 << 26),
    "raw_small": (raw, False, (1000,), ((0, 1),), "f4", 0),
    "small_fma": (lambda s: lambda a, b, c: a * b + c, True, (1000,), ((0, 1), (1, 2), (2, 3)), "f8",
                  0),
}


def median(times):
    times = sorted(times)
    return times[len(times) // 2]


class Peer:
    """One system, one case."""

    def __init__(self, s, case):
        make, fusable, shape, ranges, dtype, bytes_moved = CASES[case.split("@")[0]]
        if "@" in case:  # another extent of all axes
            shape, bytes_moved = (int(case.split("@")[1]),) * len(shape), 0
        self.s, self.times = s, []
        self.inputs = [r(s, shape[0]) if callable(r) else s.make(shape, *r, dtype)
                       for r in ranges]
        self.f = s.compile(make(s), fusable)
        self.out = dict(case=case, system=s.name, n=1)
        for extent in shape:
            self.out["n"] *= extent
        s.sync()
        start = time.perf_counter()
        result = self.f(*self.inputs)
        s.sync()
        self.out["first"] = time.perf_counter() - start
        self.out["check"] = s.number(result[0] if isinstance(result, (tuple, list)) else result)
        self.bytes = bytes_moved

    def burst(self, runs):
        for _ in range(3):
            self.f(*self.inputs)
        end = time.perf_counter() + args.seconds
        for _ in range(runs):
            self.s.sync()
            start = time.perf_counter()
            self.f(*self.inputs)
            self.s.sync()
            now = time.perf_counter()
            self.times.append(now - start)
            if now > end:
                break

    def line(self):
        t = self.times
        self.out.update(seconds=median(t), best=min(t), runs=len(t))
        if self.bytes:
            self.out.update(bytes=self.bytes, GBps=self.bytes / self.out["seconds"] / 1e9)
        return self.out


class Heddle:
    """The same case in a process of its own, which waits while others have their turn."""

    def __init__(self, program, case, runs):
        self.p = subprocess.Popen([program, "--sizes", "gpu", "--runs", str(runs), "--seconds",
                                   str(args.seconds), "--paced", case],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines, self.over = [], False
        self.until_ready()

    def until_ready(self):
        for line in self.p.stdout:
            if json.loads(line).get("ready"):
                return
            self.lines.append(line.strip())
        self.over = True  # it takes no turns in this case

    def burst(self, runs):
        if self.over:
            return
        self.p.stdin.write("\n")
        self.p.stdin.flush()
        self.until_ready()

    def finish(self):
        rest = "" if self.over else self.p.communicate()[0]
        self.p.wait()
        for line in self.lines + rest.splitlines():
            if '"case"' in line:
                print(line, flush=True)


def turns(systems, case):
    """All systems in turn, round after round: what came before slows all of them alike."""
    peers, heddle = [], None
    for s in systems:
        try:
            peers.append(Peer(s, case))
        except Exception as e:  # a peer that fails a case is a result
            print(json.dumps(dict(case=case, system=s.name, error=str(e)[:300])), flush=True)
    if args.against:
        heddle = Heddle(args.against, case, args.runs)
    for _ in range(args.rounds):
        for player in ([heddle] if heddle else []) + peers:
            player.burst(args.runs)
    if heddle:
        heddle.finish()
    for peer in peers:
        print(json.dumps(peer.line()), flush=True)


parser = argparse.ArgumentParser()
parser.add_argument("--runs", type=int, default=200, help="of a system in a round, at most")
parser.add_argument("--seconds", type=float, default=0.4, help="of a system in a round")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--systems", default="cupy,torch,jax")
parser.add_argument("--against", metavar="PROGRAM", help="heddle_workloads, to take turns with")
parser.add_argument("--list", action="store_true", help="print the cases")
parser.add_argument("cases", nargs="*", metavar="CASE[@N]")
args = parser.parse_args()
if args.list:
    print("\n".join(CASES))
    sys.exit()
for case in args.cases:
    if case.split("@")[0] not in CASES:
        parser.error(f"no case {case}")
systems = []
for name in args.systems.split(","):
    try:
        systems.append({"cupy": Cupy, "torch": Torch, "jax": Jax}[name]())
        print(json.dumps({"versions": {systems[-1].name: systems[-1].version}}), flush=True)
    except ImportError as e:
        print(json.dumps({"skipped": name, "why": str(e)[:200]}), flush=True)
for case in args.cases or CASES:
    turns(systems, case)
