#!/usr/bin/env python3
"""Writes expr_values.def: expressions with the dtype, shape and text that NumPy gives them.

For developers, after a change of the list below; needs NumPy >= 2.4. The test itself does not.
Usage: make_values.py > expr_values.def
"""
import ast
import builtins
import warnings

import numpy as np

warnings.simplefilter("ignore")

EXPRESSIONS = r"""
1
-1
1 + 2 * 3
(1 + 2) * 3
-2 ** 2
2 ** -1
2 ** 3 ** 2
(2 ** 3) ** 2
-2 ** -2
2 ** -1 ** 2
7 // 2
-7 // 2
7 // -2
7 % 3
-7 % 3
7 % -3
7.5 // 2
-7.5 // 2
-7.5 % 2
7.5 % -2
1e300 * 1e10
7 / 2
6 / 3
1 / 3
True + True
~True
-True
True & False
True | 1
5 & 3 | 8 ^ 2
1 << 3 + 1
1 << 62
-1 >> 70
~5
0x1f + 0b101 + 0o17
1_000_000
1_0.5_0e1_0
.5 + 5.
1e3
1j * 1j
(1 + 2j) * (3 - 4j)
(1 + 2j) / (3 - 4j)
(1 + 2j) ** 2
(1 + 2j) ** -2
(-8) ** (1 / 3)
3 < 4
1 < 2 < 3
1 < 3 < 2
3 > 2 == 2
1 == 1.0
2 ** 53 + 1 == 2.0 ** 53
not 1
not 0 == 1
1 and 2
0 or 3
0 and 2 or 5
1 or 0 and 0
pi
e
inf
-inf
nan
np.pi * 2
9223372036854775807
float(3)
int(2.7) * 2
int(-2.7)
bool(3)
complex(1, 2)
float64(3)
float32(0.1)
np.float32(2) * 3
a + 1
a - b
a * b
a / b
a // b
a % b
a ** 2
2 ** a
-a ** 2
(-a) ** 2
+b
n ** 2
n // 2
n % 4
n / 2
-7 // n
x * 2
x * 2.0
x / 3
x + 1j
x * True
n * 2.5
n + True
u8 + 10
u8 * 2
-u8
i8 * 2
i8 + i8
u8 + i8
i8 + n[:3]
x + n[1:]
x * x
x * a
m + m
m * m
m & ~m
m | True
m ^ m
~m
~n
n & 3
n | 8
n ^ 1
n << 1
n >> 1
1 << i8 % 3
i8 << 2
a < b
a <= 1
a > b
a >= 3
a == 1
a != 1
x == 2.5
n > 7.5
(a > 1) & (a < 4)
(a > 1) | (b > 0)
~(a > 1)
z * z
z + 1
z.real
z.imag
z.conj()
abs(z)
abs(n)
abs(b)
np.absolute(i8)
sqrt(a)
np.sqrt(2) * x
sqrt(2.0) * ones(2, dtype=float32)
square(b)
reciprocal(a + 1)
sign(b)
maximum(a, b)
minimum(a, 2)
maximum(x, 0)
ceil(b)
floor(b)
trunc(b)
round(b * 3)
exp(b)
log(a + 1)
log2(a + 1)
log10(a + 1)
log1p(a)
expm1(b)
logaddexp(a, b)
hypot(a, b)
sin(a)
cos(n)
tan(b)
arcsin(a / 5)
acos(a / 5)
arctan(b)
arctan2(a, b)
sinh(b)
cosh(b)
tanh(b)
arcsinh(b)
arccosh(a + 1)
atanh(a / 6)
copysign(a, b)
signbit(b)
isfinite(a / 0)
isinf(b / 0)
isnan(a / a)
real(z)
imag(a)
conjugate(z)
equal(a, b)
not_equal(n, 7)
less(a, b)
less_equal(a, b)
greater(a, 2)
greater_equal(a, 2)
logical_and(a, b)
logical_or(m, False)
logical_xor(a, 1)
logical_not(a)
bitwise_and(n, 6)
invert(n)
left_shift(n, 2)
right_shift(n, 1)
power(n, 2)
np.power(x, 2)
true_divide(n, 2)
mod(n, 5)
add(1, 2)
where(a > 2, a, b)
where(m, 1, 0)
where(m, x, 0)
where(m, x, 1.5) * x
where([True, False], 1.0, 2.0) * ones(2, dtype='f4')
clip(b, 0, 1)
clip(b, 0, None)
b.clip(-1, 2)
clip(n, 0, 8)
sum(a)
sum(a, axis=0)
sum(a, 1)
a.sum(axis=1, keepdims=True)
c.sum(axis=(0, 2))
c.sum((0, 2), keepdims=True)
c.sum(-1)
sum(i8)
sum(m)
sum(x)
sum(i8, dtype=float32)
np.sum(n, dtype='f8')
prod(a + 1)
prod(i8, axis=0)
mean(a)
mean(n)
x.mean()
mean(a, axis=0)
a.mean(axis=-1, keepdims=True)
max(b)
min(b, axis=1)
b.max(axis=0)
np.amin(b)
any(a > 4)
all(a >= 0, axis=1)
m.any()
argmax(b)
b.argmin(axis=1)
argmax(b, axis=0, keepdims=True)
count_nonzero(a)
count_nonzero(m)
count_nonzero(a, axis=1)
sqrt(sum(abs(a)**2))
sum(abs(a)**2)**0.5
a[0]
a[-1]
a[0, 1]
a[:, 1]
a[1:, ::2]
a[::-1]
a[:, ::-1]
a[..., 0]
a[None]
a[:, None, :]
a[0, newaxis, ::-2]
a[:1]
a[5:]
a[-1:, -2:]
a[:-1]
a[()]
a[(1, 2)]
c[0, ..., 1]
c[1][2][3]
c[:, 1:, ::3]
c[1, ::-1, 2:0:-1]
n[::-2]
n[10:0:-1]
n[-2:]
a[a.ndim - 1]
a.T
a.mT
c.T
c.mT
c.transpose(1, 0, 2)
c.transpose((2, 0, 1))[0]
a.transpose()
transpose(a)
permute_dims(c, (0, 2, 1))
matrix_transpose(c)
swapaxes(c, 0, -1)
a.reshape(3, 2)
a.reshape((3, 2))
a.reshape(-1)
reshape(c, (4, -1))
c.reshape(2, 12)
a.ravel()
c.flatten()[::7]
expand_dims(n, 0)
expand_dims(n, axis=-1)
expand_dims(n, (0, 2))
squeeze(a[None])
a[:, None].squeeze(1)
flip(a)
flip(a, axis=0)
flip(c, axis=(0, 2))
cumulative_sum(x)
cumulative_sum(a, axis=1)
cumulative_sum(i8, axis=0, include_initial=True)
cumulative_prod(c, axis=-1)
cumsum(a)
np.cumsum(i8, axis=0)
a.cumsum(axis=0)
b.cumprod()
cumprod(i8, dtype=float)
cumulative_sum(b > 1, axis=0)
take(a, [1, 0, 1], axis=0)
take(b, array([2, -1]), axis=1)
take(a, [5, 0])
a.take([[0, 1], [2, -1]], axis=1)
np.take(c, [1], axis=-1)
sort(b)
sort(b, axis=0)
np.sort(c, axis=None)
argsort(b, axis=-1)
np.argsort(a, axis=0)
b.argsort()
take_along_axis(a, argmax(a, axis=1, keepdims=True), axis=1)
broadcast_to(x, (2, 3))
concat([a, b])
concatenate((a, b), axis=1)
concat([a, n], axis=None)
concat((x, i8))
stack([x, x * 2])
stack((x, i8), axis=-1)
a @ b.T
a @ x
x @ x
zeros(3)
zeros((2, 2), dtype=int)
ones((2, 3), dtype='float32')
ones(2, dtype=np.complex64)
zeros(0)
zeros((2, 0, 3))
full((2, 2), 7)
full(3, 2.5)
full((2,), 1, dtype='i1')
zeros_like(x)
ones_like(n)
ones_like(n, dtype=float)
full_like(a, 3)
full_like(n, 2, dtype=float32)
zeros(a.shape)
zeros(a.shape[0])
ones(a.shape[::-1])
zeros(a.shape[:1] + (2,))
arange(5)
arange(2, 8)
arange(2, 8, 3)
arange(5, 0, -2)
arange(3.0)
arange(0, 1, 0.25)
arange(3, dtype='f4')
arange(2, stop=5)
linspace(0, 1, 5)
linspace(0, 1, num=4, endpoint=False)
linspace(1, 2, 3, dtype=float32)
eye(2)
eye(2, 3)
eye(3, k=1, dtype=int)
array([1, 2, 3])
array([[1, 2], [3, 4.5]])
array([True, False])
array([1, 2], dtype='f4')
array([1j, 2])
asarray([[1], [2]]) * asarray([10, 20])
array([])
array([[], []])
array([a[0], b[1]])
array(3)
array(2.5)
asarray(a, dtype=float32)
a + [1, 2, 3]
[1, 2, 3] * x
(1, 2, 3) + a
a.astype(int)
b.astype('i4')
b.astype(bool)
n.astype(np.float32)
astype(n, uint8)
m.astype(int8)
a.shape
a.size
a.ndim
a.shape[0] * a.shape[1]
len(c)
len(a.shape)
a.dtype == float64
x.dtype == 'float32'
a.shape == (2, 3)
a.nbytes
x.itemsize
(a - mean(a)) / sqrt(mean(square(a - mean(a))))
0.25 * (c[0, 2:, 1:-1] + c[0, :-2, 1:-1])
np.where(np.abs(a - b) > 1, np.abs(a - b), 0.)
s * 2
s + x
s.shape
a + s
exp(1j * pi * a)
z ** 2
abs(3 + 4j)
np.add(a, 1).sum()
(a.T @ b)[0]
((((a))))
a; b
y = a + 1; y * 2
y = 2; x * y
y = 2.0; y += 1; y * n
y = a; y += b; y
y = n; y **= 2
y = n; y //= 2; y -= 1
y = m; y |= True
y = m; y &= y; y ^= True
y = i8 * 1; y <<= 1; y
y = a * 1; y @= eye(3)
y = a * 1; y[0] = -1; y
y = a * 1; y[:, 1] += 10; y
y = a * 1; y[1:, ::2] *= -1; y
y = a * 1; y[...] = 5; y
y = a * 1; y[0, 0] = 2.5; y[-1] = b[0]; y
y = n * 1; y[1:3] = 2.9; y
y = zeros((2, 3)); y[:, 1:] = x[:2]; y
y = c * 1; y[:, 0, ::2] = 100; y[0]
array([1.0, 1e-5])
array([1e8, 1.0])
array([0.1, 1/3, 2/3])
array([1.5, nan, -inf])
array([1e-300, 1e300])
array([1, 1000000])
array([0.0, -0.0])
array([1+1j, 2.5-3j, nan])
array([1e10+1j])
arange(2000)
arange(1200.).reshape(30, 40)
ones((2, 2, 2))
arange(24).reshape(2, 3, 4) / 7
arange(100) * 1234567
float32(16777216)
float32(1e-10)
float64(1e16)
float64(123456789012)
float64(1) / 3
float64(1e-5)
2.5
1e22
1j
1 + 0j
-0.0
full((1, 1, 1), 7)
""".strip().splitlines()

# tests/expr/expr_values.c makes the same arrays.
def inputs():
    return {
        "a": np.arange(6.0).reshape(2, 3),
        "b": np.array([[1.5, -2, 0.25], [3, -0.5, 8]]),
        "c": np.arange(24.0).reshape(2, 3, 4),
        "x": np.array([1.5, 2.5, -1], dtype=np.float32),
        "n": np.array([7, 8, 9, -3]),
        "i8": np.array([1, -2, 100], dtype=np.int8),
        "u8": np.array([250, 3, 7], dtype=np.uint8),
        "m": np.array([True, False, True]),
        "z": np.array([1 + 2j, -3j, 0.5]),
        "s": np.array(2.5),
    }


def names():
    """NumPy's names without a prefix, but for Python's converters."""
    keep = {"bool", "int", "float", "complex", "len"}
    found = {k: getattr(np, k) for k in dir(np) if not k.startswith("_") and k not in keep}
    found.update({k: getattr(builtins, k) for k in keep})
    found["np"] = np
    return found


def value(text):
    scope = names()
    scope.update(inputs())
    body = ast.parse(text.replace("; ", "\n").replace(";", "\n")).body
    last = body[-1]
    if isinstance(last, (ast.Assign, ast.AugAssign)):
        target = last.targets[0] if isinstance(last, ast.Assign) else last.target
        while isinstance(target, ast.Subscript):
            target = target.value
        body.append(ast.parse(target.id).body[0])
        last = body[-1]
    exec(compile(ast.Module(body[:-1], []), "text", "exec"), scope)
    return np.asarray(eval(compile(ast.Expression(last.value), "text", "eval"), scope))


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


print("/* Made by make_values.py with NumPy: VALUE(expression, dtype, axes, text). */")
for line in EXPRESSIONS:
    try:
        v = value(line)
    except Exception as error:
        raise SystemExit(f"{line}: {error}") from error
    print(f"VALUE({c_string(line)}, {v.dtype.name.upper()}, {v.ndim},\n      {c_string(str(v))})")
