#!/usr/bin/env python3
"""The binding by itself, in a second: each of its functions once, beside NumPy. Exits with 77 where NumPy is not there, or old.

The functions are those that the package has, so a new one without a line here fails.
"""
import sys

try:
    import numpy as np
    np.unstack
except (ImportError, AttributeError):
    print("skipped: no NumPy >= 2.1")
    sys.exit(77)

import heddle_array_api as xp
from heddle_array_api.dtypes import by_name
from heddle_array_api.functions import ARITY

failures = []


def check(what, condition):
    if not condition:
        failures.append(what)


def same(what, got, expected, tolerance=1e-14):
    """An array of ours and one of NumPy's: dtype, shape, elements."""
    if isinstance(got, (tuple, list)):
        check(what, len(got) == len(expected))
        for one, other in zip(got, expected):
            same(what, one, other, tolerance)
        return
    expected = np.asarray(expected)
    values = np.asarray(got)
    check(f"{what}: {got!r} is not {expected!r}",
          got.dtype.name == expected.dtype.name and got.shape == expected.shape
          and np.allclose(values, expected, rtol=tolerance, atol=tolerance, equal_nan=True))


def fails(what, exception, function, *arguments):
    try:
        function(*arguments)
        check(f"{what} does not fail", False)
    except exception as error:
        check(f"{what} says nothing", str(error))


N = np.arange(1, 7).reshape(2, 3)
F = np.array([[0.25, -0.5, 0.75], [0.125, 0.0, -0.625]])
C = F + 1j * N
n, f, c = map(xp.asarray, (N, F, C))

# What is called alike on both sides: (n), (f), or both, and keywords.
ALIKE = {
    "arange": [(5,), (2, 9, 3)], "linspace": [(0.0, 1.0, 5)], "eye": [(3,), (2, 3)], "zeros": [((2, 3),)],
    "ones": [(4,)], "full": [((2, 2), 7)], "tril": [("f",)], "triu": [("f",)], "zeros_like": [("n",)],
    "ones_like": [("f",)], "full_like": [("f", 3)], "meshgrid": [("n0", "f0")], "astype": [("f", "float32")],
    "can_cast": [("int8", "float32"), ("float64", "int8")], "clip": [("n", 2, 4), ("f", 0, None)],
    "where": [("b", "n", "f")], "take": [("n0", "i")], "take_along_axis": [("n0", "i")], "matmul": [("n", "nt")],
    "matrix_transpose": [("f",)], "nonzero": [("f",)], "searchsorted": [("n0", "f0")], "tensordot": [("n", "n")], "vecdot": [("c", "c")],
    "broadcast_arrays": [("n", "n0")], "broadcast_to": [("n0", (4, 3))], "concat": [(["n", "f"],)],
    "expand_dims": [("n", 1)], "flip": [("n",)], "moveaxis": [("n", 0, 1)], "permute_dims": [("n", (1, 0))],
    "repeat": [("n", 2)], "reshape": [("n", (3, 2))], "roll": [("n", 1)], "squeeze": [("n1", 0)],
    "stack": [(["n", "n"],)], "unique_all": [("b",)], "unique_counts": [("n0",)],
    "unique_inverse": [("f",)], "unique_values": [("f",)], "tile": [("n", (2, 2))], "unstack": [("n",)], "argmax": [("f",)], "argmin": [("f",)],
    "count_nonzero": [("f",)], "sort": [("f",)], "argsort": [("f",)], "max": [("f",)], "min": [("f",)],
    "mean": [("f",)], "prod": [("n",)], "std": [("f",)], "sum": [("n",)], "var": [("f",)], "all": [("f",)],
    "any": [("f",)], "diff": [("n",)], "cumulative_sum": [("n0",)], "cumulative_prod": [("n0",)],
}
NAMED = {"n": N, "f": F, "c": C, "n0": N[0], "f0": F[0], "nt": N.T, "n1": N[None], "i": np.array([2, 0, 1]),
         "b": F > 0}
OF_INTEGERS = {name for name in ARITY if name.startswith("bitwise")} | {"gcd", "lcm"}
# Checked below in another way, or NumPy's module has no such name.
APART = {"asarray", "empty", "empty_like", "finfo", "iinfo", "isdtype", "result_type", "erf", "erfc", "acosh", "from_dlpack"}


def argument(value, ours):
    if isinstance(value, str) and value in by_name:
        return by_name[value] if ours else np.dtype(value)
    if isinstance(value, str):
        return xp.asarray(NAMED[value]) if ours else NAMED[value]
    return [argument(v, ours) for v in value] if isinstance(value, list) else value


for name, cases in ALIKE.items():
    for case in cases:
        got = getattr(xp, name)(*(argument(a, True) for a in case))
        expected = getattr(np, name)(*(argument(a, False) for a in case))
        if isinstance(got, bool):
            check(name, got == expected)
        else:
            same(name, got, expected)
for name, arity in ARITY.items():
    if name in APART:
        continue
    operands = ((N, N[:, ::-1]) if name in OF_INTEGERS else (F, N))[:arity]
    with np.errstate(all="ignore"):
        same(name, getattr(xp, name)(*map(xp.asarray, operands)), getattr(np, name)(*operands), 1e-13)
modules = {f"heddle_array_api.{m}" for m in ("creation", "dlpack", "dtypes", "functions", "manipulation", "sets", "statistics")}
missing = [name for name, function in vars(xp).items() if getattr(function, "__module__", "") in modules
           and not name.startswith("_") and name not in {*ALIKE, *ARITY, *APART, *by_name}]
check(f"without a line in this test: {missing}", not missing)

# Operators: plain, reflected, in place, with Python's numbers.
for operation in ("x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x ** y", "x < y", "x >= y", "x == y", "x != y",
                  "x & y", "x | y", "x ^ y", "x << y", "x >> y", "-x", "+x", "~x", "abs(x)", "x @ y.T", "x + 2",
                  "2 - x", "x / 2.0", "2 ** x", "x * 1j", "(x > 2) & True", "7 // x"):
    same(operation, eval(operation, {"x": n, "y": n}), eval(operation, {"x": N, "y": N}))
for operator in ("+=", "-=", "*=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>="):
    ours, theirs = {"x": xp.asarray(N)}, {"x": N.copy()}
    exec(f"x {operator} 2", ours)
    exec(f"x {operator} 2", theirs)
    same(operator, ours["x"], theirs["x"])
fails("integers divided in place", TypeError, xp.Array.__itruediv__, n, 2)
fails("shapes that do not broadcast", ValueError, xp.add, n, xp.ones(5))
fails("an operand that is a text", TypeError, lambda: n + "1")

# Elements.
for key in ("0", "1, 2", "..., None", "slice(None, None, -1)", "-1, slice(1, None)", "slice(5, 1, -2), 0", "()"):
    same(f"[{key}]", n[eval(key)], N[eval(key)])
rows, mask = np.array([1, 0, 1]), F > 0
same("[rows]", n[xp.asarray(rows)], N[rows])
same("[rows, 1]", n[xp.asarray(rows), 1], N[rows, 1])
same("[mask]", n[xp.asarray(mask)], N[mask])
ours, theirs = xp.asarray(N, copy=True), N.copy()
ours[xp.asarray(mask)] = 8
theirs[mask] = 8
same("[mask] = 8", ours, theirs)
ours, theirs = xp.asarray(N, copy=True), N.copy()
ours[0, 1:] = 9
theirs[0, 1:] = 9
same("assignment", ours, theirs)
same("what was copied", n, N)
fails("an index beyond the end", IndexError, n.__getitem__, 2)

# Attributes, conversions, dtypes.
check("attributes", (n.ndim, n.shape, n.size, n.dtype) == (2, (2, 3), 6, xp.int64) and n.T.shape == (3, 2))
check("conversions", (int(n[1, 2]), float(f[0, 0]), bool(f[1, 1]), complex(c[0, 0]), [5, 6, 7][n[0, 0]])
      == (6, 0.25, False, 0.25 + 1j, 6))
check("large integers", int(xp.asarray(2**64 - 1)) == 2**64 - 1 and int(xp.asarray(2**63) + 2**62) == 3 * 2**62)
check("empty", xp.empty((2, 0)).shape == (2, 0) and xp.empty_like(n).dtype == xp.int64)
for one in ("int8", "uint64", "float32", "complex64", "bool"):
    for other in ("int16", "uint8", "float64", "complex128", "bool"):
        check(f"{one} with {other}", xp.result_type(*map(by_name.get, (one, other))).name
              == np.result_type(one, other).name)
check("weak numbers", (xp.result_type(xp.float32, 1.0), xp.result_type(n, 1.0)) == (xp.float32, xp.float64))
check("limits", xp.finfo(xp.complex64).eps == np.finfo("f4").eps and xp.iinfo(xp.uint64).max == 2**64 - 1)
check("kinds", xp.isdtype(xp.uint8, ("integral", xp.float32)) and not xp.isdtype(xp.bool, "numeric"))
check("devices", n.to_device("cpu:0").device in xp.__array_namespace_info__().devices())
check("text", repr(n[0]) == "array([1, 2, 3], dtype=int64)")

# Tensors: NumPy's and ours share memory, and outlive each other's arrays.
for dtype in by_name:
    theirs = np.arange(6).astype(dtype).reshape(2, 3)
    for name, view in (("C", theirs), ("F", theirs.T), ("reversed", theirs[::-1]), ("gaps", theirs[:, :2])):
        same(f"from_dlpack of {dtype}, {name}", xp.from_dlpack(view), view)
theirs = np.arange(4.0)
shared, copied = xp.from_dlpack(theirs, copy=False), xp.from_dlpack(theirs, copy=True)
theirs[1] = -1.0  # which nobody else may do
check("an imported tensor is shared", float(shared[1]) == -1.0 and float(copied[1]) == 1.0)
ours = xp.asarray(F) + 1.0
first, second = np.from_dlpack(ours), np.from_dlpack(ours)
check("an exported tensor is shared", first.ctypes.data == second.ctypes.data and not first.flags.writeable)
own = np.from_dlpack(ours, copy=True)
own[0, 0] = 9
check("a copy is one's own", own.flags.writeable and first[0, 0] == 1.25)
ours[0, 0] = 7.0
del ours, second
check("a tensor stays as it is", first[0, 0] == 1.25 and first.shape == (2, 3))
fails("gaps without a copy", ValueError, lambda: xp.from_dlpack(np.zeros((4, 4))[:, 1:], copy=False))
n.__dlpack__()
n.__dlpack__(max_version=(1, 0))  # which nobody takes
check("its device", n.__dlpack_device__() == (1, 0))

for failure in failures:
    print(failure, file=sys.stderr)
sys.exit(f"{len(failures)} differ from NumPy" if failures else 0)
