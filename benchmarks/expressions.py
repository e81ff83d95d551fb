"""Expressions that users paste (expressions/named.txt), by Heddle and by its peers in turns: medians, and the speed beside the fastest peer.

usage: expressions.py [--systems heddle,cupy,torch,jax,numpy] [--rounds N] [--busy N] [--table FILE] PROGRAM [NAME...]

PROGRAM is micro_expressions; NAME: lines whose name contains one of these. torch is torch.compile, jax is jax.jit; on a GPU if
they find one, but for numpy. Above 1, Heddle is faster. A system that is not installed is left out.
--busy: each system again, while as many processes spin beside it; the ratio is that of the busy times.
"""
import argparse
import math
import pathlib
import statistics
import subprocess
import sys
import time
import types

TABLE = pathlib.Path(__file__).with_name("expressions") / "named.txt"
DTYPES = "float16 float32 float64 uint8 uint32 int8 int16 int32 int64 complex64".split()


def lines(path, names):
    for line in open(path):
        parts = [part.strip() for part in line.split("|", 2)]
        if len(parts) == 3 and not line.startswith("#") and (not names or any(n in parts[0] for n in names)):
            yield parts


def array_module(xp):
    space = {name: getattr(xp, name) for name in dir(xp) if not name.startswith("_")}
    return space | {"concat": xp.concatenate, "permute_dims": xp.transpose, "astype": lambda a, dtype: a.astype(dtype)}


def with_torch():
    import torch
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_default_dtype(torch.float64)  # of integers with floating numbers, as NumPy's

    def along(whole, part):
        return lambda a, axis=None, keepdims=False: whole(a) if axis is None else part(a, dim=axis, keepdim=keepdims)

    def mean(a, **axes):
        return torch.mean(a if a.is_floating_point() or a.is_complex() else a.double(), **axes)

    def elementwise(f, of_number):
        return lambda a: f(a) if torch.is_tensor(a) else of_number(a)

    def accumulates(f, along):
        def both(a, b):
            return f(a, b)
        both.accumulate = lambda a, axis=0: along(a, axis)[0]
        return both

    def rfft_with(name):
        return lambda a, n=None, axis=-1: getattr(torch.fft, name)(a, n=n, dim=axis)
    space = {name: getattr(torch, name) for name in "cos exp log log1p abs floor ceil round tanh arcsin arctan2 hypot clip real imag matmul reshape where einsum isnan isfinite".split()}
    space |= {name: getattr(torch, name) for name in DTYPES if hasattr(torch, name)}
    space |= {"sqrt": elementwise(torch.sqrt, math.sqrt), "sin": elementwise(torch.sin, math.sin), "uint16": torch.int32, "uint32": torch.int64, "rint": torch.round, "pi": math.pi, "concat": torch.cat, "astype": lambda a, dtype: a.to(dtype),
              "maximum": accumulates(lambda a, b: torch.maximum(a, b) if torch.is_tensor(b) else torch.clamp_min(a, b), torch.cummax),
              "minimum": accumulates(lambda a, b: torch.minimum(a, b) if torch.is_tensor(b) else torch.clamp_max(a, b), torch.cummin),
              "roll": lambda a, n, axis=None: torch.roll(a, n, axis), "repeat": lambda a, n, axis: torch.repeat_interleave(a, n, dim=axis),
              "transpose": torch.permute, "bincount": lambda a, w=None, n=0: torch.bincount(a, w, n),
              "fft": types.SimpleNamespace(**{name: rfft_with(name) for name in ("fft", "ifft", "rfft", "irfft")}),
              "stack": lambda parts, axis=0: torch.stack(parts, dim=axis), "flip": lambda a, axis: torch.flip(a, (axis,)),
              "pad": lambda a, n: torch.nn.functional.pad(a, (n, n) * a.ndim), "std": lambda a, axis: torch.std(a, dim=axis, correction=0),
              "any": lambda a, axis: torch.any(a, dim=axis), "all": lambda a, axis: torch.all(a, dim=axis), "conj": torch.conj,
              "take": lambda a, i, axis: torch.index_select(a, axis, i.long()),
              "take_along_axis": lambda a, i, axis: torch.take_along_dim(a, i.long(), dim=axis),
              "cumulative_sum": lambda a, axis=0: torch.cumsum(a, axis), "cumsum": lambda a, axis=0: torch.cumsum(a, axis),
              "sort": lambda a, axis=-1: torch.sort(a, dim=axis)[0], "cumulative_prod": lambda a, axis=0: torch.cumprod(a, axis),
              "max": along(torch.max, torch.amax), "min": along(torch.min, torch.amin), "permute_dims": torch.permute, "sum": along(torch.sum, torch.sum), "mean": along(mean, mean),
              "argmin": along(torch.argmin, torch.argmin), "argmax": along(torch.argmax, torch.argmax),
              "arange": lambda *of: torch.arange(*of, device=device), "zeros": lambda *of: torch.zeros(*of, device=device),
              "linspace": lambda a, b, n: torch.linspace(a, b, n, device=device, dtype=torch.float64)}
    return (space, lambda f: torch.compile(f, dynamic=False), lambda r: device == "cpu" or torch.cuda.synchronize(),
            lambda r: float(r.double().sum()), torch._dynamo.reset)


def with_jax():
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    return array_module(jnp), jax.jit, jax.block_until_ready, lambda r: float(jnp.sum(r.astype("float64"))), None


def with_cupy():
    import cupy
    return (array_module(cupy), lambda f: f, lambda r: cupy.cuda.Stream.null.synchronize(),
            lambda r: float(r.astype("float64").sum()), cupy.get_default_memory_pool().free_all_blocks)


def with_numpy():
    import numpy
    return array_module(numpy), lambda f: f, lambda r: None, lambda r: float(numpy.sum(r.astype("float64"))), None


PEERS = {"cupy": with_cupy, "torch": with_torch, "jax": with_jax, "numpy": with_numpy}


def measure(system, path, names, seconds):
    space, compiled, wait, total, between = PEERS[system]()
    for name, setup, text in lines(path, names):
        try:
            values = dict(space)
            exec(setup, values)
            inputs = [part.split("=")[0].strip() for part in setup.split(";")]
            statements = "".join(f"    {part.strip()}\n" for part in text.split(";"))
            exec(f"def f({', '.join(inputs)}):\n{statements}    return y\n", values)
            f, arguments = compiled(values["f"]), [values[i] for i in inputs]
            result = f(*arguments)
            check, times, start = total(result), [], time.perf_counter()
            while len(times) < 5 or time.perf_counter() - start < seconds and len(times) < 1000:
                wait(result)
                begin = time.perf_counter()
                result = f(*arguments)
                wait(result)
                times.append(time.perf_counter() - begin)
            print(name, f"{1e6 * statistics.median(times):.3f} {check:.9g}", flush=True)
            del values, arguments, result
        except Exception as error:  # what a system cannot do is a gap in the table
            print(name, "FAIL", str(error).replace("\n", " ")[:100], flush=True)
        if between:
            between()


def run(system, arguments, times, column):
    """Adds times[name][column], µs."""
    command = [arguments.program, arguments.table] if system == "heddle" else \
        [sys.executable, "-B", __file__, "--table", arguments.table, "--seconds", str(arguments.seconds), "--peer", system, arguments.program]
    done = subprocess.run(command + arguments.names, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        name, value, _ = line.split(" ", 2)
        if value != "FAIL":
            times.setdefault(name, {}).setdefault(column, []).append(float(value))


def print_table(times, systems, busy):
    columns = [s + b for b in ([""] + [" busy"] * busy) for s in systems if any(s + b in row for row in times.values())]
    last = " busy" * busy
    heads = [f"{c}, µs" for c in columns] + ["busy / quiet"] * busy + ["ratio"]
    print("| expression | " + " | ".join(heads) + " |\n" + "|---" * (len(heads) + 1) + "|")
    ratios = []
    for name, row in times.items():
        medians = {c: statistics.median(row[c]) for c in row}
        ours, peers = medians.get("heddle" + last), [medians[s + last] for s in systems if s != "heddle" and s + last in medians]
        cells = [f"{medians[c]:.4g}" if c in medians else "" for c in columns]
        if busy:
            cells.append(f"{ours / medians['heddle']:.2f}" if ours else "")
        ratios.append(min(peers) / ours if peers and ours else math.nan)
        print(f"| {name} | " + " | ".join(cells) + f" | {ratios[-1]:.2f} |")
    known = [r for r in ratios if not math.isnan(r)]
    if known:
        print(f"\nGeometric mean {math.exp(statistics.fmean(map(math.log, known))):.2f} of {len(known)}; under 0.9: {sum(r < 0.9 for r in known)}.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--systems", default="heddle,cupy,torch,jax,numpy")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.6, help="of each line of a peer, at least five runs")
    parser.add_argument("--table", default=str(TABLE))
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.peer:
        return measure(arguments.peer, arguments.table, arguments.names, arguments.seconds)
    systems, times = arguments.systems.split(","), {}
    for _ in range(arguments.rounds):
        for system in systems:
            run(system, arguments, times, system)
        if arguments.busy:
            busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.busy)]
            for system in systems:
                run(system, arguments, times, system + " busy")
            for process in busy:
                process.kill()
    print_table(times, systems, arguments.busy > 0)


if __name__ == "__main__":
    main()
