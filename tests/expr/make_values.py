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
9223372036854775808
0xffff_ffff_ffff_ffff
-9223372036854775808
[18446744073709551615, 1]
uint64(1) + 9223372036854775808
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
bitwise_count(n)
np.bitwise_count([0, 1, -1, 255, -256, 2**40 + 1, -9223372036854775807 - 1, 9223372036854775807])
bitwise_count(array([-128, -1, 127, 0, 85], dtype='i1'))
bitwise_count(array([65535, 32768, 21845], dtype='u2'))
bitwise_count(array([-32768, 32767, -2], dtype='i2')) + 1
bitwise_count(array([2**32 - 1, 2**31, 7], dtype='u4'))
bitwise_count(array([18446744073709551615, 9223372036854775808, 0], dtype="u8"))
bitwise_count(7)
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
fft.irfft(zeros((0, 4), dtype=complex128), 4)
fft.irfft(zeros((0, 4), dtype=complex64), 3) + 1
fft.hfft(zeros((2, 0, 4)), 5, axis=2)
fft.rfft(zeros((0, 4), dtype=float32))
fft.irfftn(zeros((0, 4), dtype=complex128), [1], [-1], norm="forward") >= [1, 2]
np.fft.fft([1, 2, 3, 4])
np.fft.fft(c * 1j, axis=0).shape
np.fft.fft([1, -1, 1, -1], 8)
np.fft.fft([1, 2, 3, 4], n=2)
np.fft.fft([1, 0, 0, 0], None, -1, 'ortho')
np.fft.fft([1, 2, 3, 2], norm='forward')
np.fft.ifft([4, 0, 0, 0])
np.fft.ifft([1, 2j, 3, -2j], norm='forward')
np.fft.ifft(np.asarray([1, 0], 'f4')).dtype == np.complex64
np.fft.fft(np.asarray([1, 0], 'f2')).dtype == np.complex64
np.fft.fft(np.asarray([1, 0], 'i1')).dtype == np.complex128
np.fft.rfft([1, 2, 3, 4])
np.fft.rfft([[1, 2], [3, 5]], axis=0)
np.fft.rfft(np.asarray([True, False, True, True]))
np.fft.rfft(np.asarray([1, 2], 'f4')).dtype == np.complex64
np.fft.irfft([10, -2 + 2j, -2])
np.fft.irfft([10, -2 + 2j, -2], 4)
np.fft.irfft([4, 0], 3).shape
np.fft.irfft(np.asarray([2, 1], np.complex64)).dtype == np.float32
np.fft.hfft([1, 2, 3])
np.fft.hfft([4, 2j, 0], norm='forward')
np.fft.ihfft([4, 0, 0, 0])
np.fft.fft2([[1, 2], [3, 4]])
np.fft.ifft2([[4, 0], [0, 0]])
np.fft.rfft2([[1, 2], [3, 4]])
np.fft.irfft2([[4, 0], [0, 0]])
np.fft.fftn([[1, 2], [3, 4]], axes=(0,))
np.fft.fftn([[1, 2], [3, 4]], s=(2, 4), axes=(0, 1))
np.fft.ifftn([[1, 2], [3, 4]], norm='forward')
np.fft.rfftn([[1, 2], [3, 4]], norm='backward')
np.fft.irfftn([[10, -2], [-4, 0]], axes=(0, 1))
np.fft.irfftn([[10, -2], [-4, 0]], s=(2, 2), axes=(1, 0))
np.fft.fftfreq(5)
np.fft.fftfreq(4, 0.5)
np.fft.fftfreq(4, d=2)
np.fft.rfftfreq(5)
np.fft.rfftfreq(4, 0.5)
np.fft.fftshift([0, 1, 2, 3, 4])
np.fft.fftshift([[0, 1], [2, 3]], axes=0)
np.fft.ifftshift([0, 1, 2, 3, 4])
np.fft.ifftshift([[0, 1, 2], [2, 3, 4]], axes=(1,))
from numpy.fft import fft, ifft; ifft(fft([1, 2, 3, 4])).real
take(a, [1, 0, 1], axis=0)
take(b, array([2, -1]), axis=1)
take(a, [5, 0])
a.take([[0, 1], [2, -1]], axis=1)
np.take(c, [1], axis=-1)
a[a > 2]
b[b < 0] * 2
c[c % 5 == 0]
n[[0, -1, 0]]
n[[True, False, True, True]]
a[m[1:]]
c[m[:2], 1]
c[m[:2]]
c[:, m]
c[c[:, :, 0] > 4]
c[:, [0, 2]]
c[..., [0, 2]]
c[1:, [[0, 1], [-1, 0]]]
c[0, :, [1, 2]]
c[:, 0, [1, 2]]
c[[0, 1], None, 1]
c[[1], ..., 0]
c[:, 1, ::-2][:, [1, 0]]
a[True]
a[False].shape
a[:, True]
a[[]].shape
n[n > 100]
s[s > 1]
s[...][True]
n[argmax(n)]
n[(0, 1),]
n[u8[1:2]]
c[[0, 1], [1, -1], [2, 3]]
c[[0, 1], :, [2, 3]]
c[:, [0, 1], [[2], [3]]]
c[[[0], [1]], 0, [1, 2, 3]]
c[m[:2], :, [1, 2]]
c[(c > 20).nonzero()]
b[[0, 1], ..., [1, 2]]
c[[0, -1], None, [1], 1:]
a[nonzero(a > 3)]
nonzero(b > 0)[1]
(b > 0).nonzero()[0]
np.where(c > 20)[2]
where(b > 0, b, 0)
argwhere(c % 7 == 3)
c[np.ix_([0, 1], [2, 0], [3])]
b[np.ix_([True, False], m)]
ix_([1, 2], [3])[0]
y = b * 1; y[np.ix_([1], [0, 2])] = 5; y
select([b < 0, b > 1], [-b, b * 10], 7)
select([n > 7, n < 0], [n, n * 2])
y = a * 1; y[y > 2] = 0; y
y = b * 1; y[y < 0] *= -2; y
k = a > 1; y = a * 1; y[k] = y[k] * 2 + a[k]; y
k = a > 1; y = a * 1; y[k] = y[k][::-1]; y
k = a > 1; y = a * 1; y[k] = (y[k] * 2)[:1]; y
k = a > 1; y = a * 1; y[k] = arange(a[k].size) - y[k]; y
k = b > 0; y = b * 1; y[k] = sqrt(y[k]) - b[k].mean(); y
k = b > 0; y = b * 1; y[k] = where(y[k] > 1, y[k], -y[k]) + 0.5; y
k = b > 0; y = b * 1; y[k] -= b[b > 0]; y
k = b.T > 0; y = b * 1; y[k.T] += 2 * b[k.T]; y
k = b[:, 0] > 2; y = b * 1; y[k] = y[k] * [1, 2, 3] - y[k].mean(axis=0); y
k = b[:, 0] > 2; y = b * 1; y[k] = y[k] - b[:, 0][k][:, None]; y
k = b[:, 0] > 2; y = b * 1; y[k] = y[k][:, ::-1] + y[k]; y
k = b[:, 1] > -9; y = b * 1; y[k] = (y[k] + 1)[:, :1]; y
k = c[:, :, 0] > 4; y = c * 1; y[k] = y[k] * [1, 2, 3, 4] + c[:, :, 1][k][:, None]; y
k = c[:, :, 0] > 4; y = c * 1; y[k] += y[k] % 3; y
k = c[:, 0, 0] > 4; y = c * 1; y[k] = y[k] * arange(4) + c[:, :, 0][k][:, :, None]; y
k = c > 99; y = c * 1; y[k] *= 2; y
k = c > -99; y = c * 1; y[k] -= c[k] // 2; y
y = a * 1; y[y > 2] = [7, 8, 9]; y
y = c * 1; y[m[:2]] = [[1], [2], [3]]; y
y = c * 1; y[c[:, :, 0] > 4] = arange(16).reshape(4, 4); y
y = a * 1; y[:, m] = b[:, :2]; y
y = n * 1; y[[0, 0, -1]] = [1, 2, 3]; y
y = n * 1; y[[0, 0, -1]] += 10; y
y = c * 1; y[[0, 1], :, [1, 2]] = -1; y
y = c * 1; y[[0, 1], [2, 0]] += b[0, 0]; y
y = c * 1; y[:, [0, 2], 1:3] = 5; y
y = c * 1; y[1, [0, 0], ::-1] = [[1, 2, 3, 4], [5, 6, 7, 8]]; y
y = x * 1; y[[0, 2]] = n[1:3]; y
y = a * 1; y[True] = 3; y
y = a * 1; y[[]] = 3; y
y = a * 1; y[a > 100] = []; y
y = n * 1; np.add.at(y, [0, 0, -1], 10); y
y = n * 1; np.add.at(y, n > 7, [10, 20]); y
y = b * 1; np.add.at(y[0], [0, 0], 1); y
gcd(n, 12)
gcd(i8, [0, -2, 75])
gcd(0, 0)
lcm(u8, 6)
lcm(-4, 6)
lcm(0, 5)
ldexp(x, [3, -1, 200])
ldexp(5.0, arange(4))
ldexp(0.5, [-1070, 1024])
frexp(a)[0]
frexp(a)[1]
frexp([0.25, -8, 1e-310, inf, nan, 0])[0]
frexp([0.25, -8, 1e-310, 0])[1]
frexp(x)[0]
logaddexp2(1.0, 2.0)
logaddexp2([1000.0], x[:1])
spacing([1.0, -1.0, 0.0])
spacing(x)
i0([0.0, 0.5, 1, 3, 12, 100, 700])
hanning(5)
hanning(1)
hanning(0)
hamming(4)
blackman(6)
bartlett(5)
bartlett(4)
kaiser(6, 5)
np.maximum.accumulate([1, 3, 2, 5, 4])
np.maximum.accumulate(b)
np.minimum.accumulate(b, axis=1)
np.maximum.accumulate([2, nan, 3, 1])
np.logical_or.accumulate([False, True, False])
np.logical_and.accumulate([[1, 2], [0, 3]], axis=1)
np.fmax.reduce([[1, nan], [2, 3]])
np.bitwise_or.reduce(n[:3])
np.bitwise_and.reduce([[7, 6], [3, 2]], axis=1)
np.bitwise_xor.reduce([1, 2, 4, 8, 16], keepdims=True)
np.logical_xor.reduce([[1, 1, 1], [1, 0, 1]], axis=None)
np.gcd.reduce([12, 18, 30])
np.lcm.reduce([2, 3, 4])
np.subtract.reduce(a, axis=1)
np.divide.reduce([8.0, 2.0, 4.0])
np.add.reduceat(arange(8), [0, 4, 1, 5])
np.add.reduceat(a, [0, 2], axis=1)
np.maximum.reduceat(b, [0, 1], axis=-1)
np.multiply.reduceat([1, 2, 3, 4], [0, 2])
np.add.reduceat(arange(200) * 3, arange(40) * 37 % 200)
np.add.reduceat(arange(200) * 0.5, arange(40) * 5)
np.add.reduceat(arange(205) * 0.5, arange(40) * 5)
np.add.reduceat(0.0 - zeros(90), arange(20) * 17 % 90)
np.multiply.reduceat(1 + arange(100) / 64, arange(30) * 3)
np.add.reduceat(arange(400) * 0.25, arange(20) ** 2)
np.multiply.reduceat(1 + arange(400) % 3 / 8, arange(20) ** 2)
np.add.reduceat(arange(400) % 3 + 1j, arange(20) ** 2)
np.multiply.reduceat(arange(60).reshape((3, 20)) % 5 + 1, arange(3), axis=0)
np.maximum.reduceat(arange(600).reshape((3, 200)) * 7 % 101, arange(40) * 11 % 200, axis=1)
np.minimum.reduceat(arange(600).reshape((200, 3)) * 7 % 101, arange(18) ** 2 % 200)
np.logical_or.reduceat(arange(100) % 9 == 0, arange(20) * 7 % 100)
np.logical_and.reduceat(arange(100) % 9 < 8, arange(20) * 7 % 100)
np.add.reduce(a, axis=1, initial=5)
np.power.outer([1, 2], [3, 4])
np.mod.outer([5, 6], [3, 4])
np.logical_and.outer([True, False], m)
np.greater_equal.outer([1, 2], [2, 1])
sum(a, initial=10)
sum(a, axis=0, where=[True, False, True])
sum(a, axis=0, where=a > 2, initial=1)
prod(a, axis=1, where=a > 0)
max(a, initial=4)
max(a, axis=1, initial=4)
max([], initial=3)
max(zeros((2, 0)), axis=1, initial=3)
min(b, where=b > 0, initial=100)
max(b, axis=0, where=[[True], [False]], initial=-1)
any(m, where=[False, True, False])
all(m, where=[True, False, True])
mean(a, where=a > 1)
mean(a, axis=0, where=[[True], [False]])
a.max(initial=9)
x.sum(where=x > 0, initial=2)
np.power(100, 9, dtype=np.int64)
np.power(100, 100, dtype=np.float64)
np.add(n, 1, dtype='f4')
np.sqrt(n[:3], dtype=np.float32)
nancumsum([1, nan, 2])
nancumsum([[1, 2], [3, nan]])
nancumsum([[1, 2], [3, nan]], axis=1)
nancumprod([[1, 2], [3, nan]], axis=0)
nancumsum(n)
nanargmax([[nan, 4], [2, 3]])
nanargmin([[nan, 4], [2, 3]], axis=0)
nanargmin(n)
unique([[1, 0, 0], [1, 0, 0], [2, 3, 4]], axis=0)
unique([[1, 0, 0], [1, 0, 0], [-2, 3, 4]], axis=0, return_counts=True)[1]
unique([[3, 0], [1, 0], [3, 0]], axis=0, return_index=True)[1]
unique([[3, 0], [1, 0], [3, 0]], axis=0, return_inverse=True)[1]
unique([[1, 1, 0], [2, 2, 0]], axis=1)
unique([[1, 1, 0], [2, 2, 0]], axis=-1, return_counts=True)[1]
unique([3, 1, 3], axis=0)
unique(zeros((0, 2)), axis=0)
unique(array([[[1, 2], [3, 4]], [[1, 2], [3, 4]]]), axis=0)
pad([1, 2, 3], (2, 3), 'symmetric')
pad([1, 2, 3], (7, 8), 'symmetric')
pad([1, 2, 3], (70, 80), 'symmetric')
pad([1, 2, 3], (70, 80), 'reflect')
pad(a, 1, 'symmetric')
pad([1, 2, 3, 4, 5], (2, 3), 'constant', constant_values=(4, 6))
pad(a, ((1, 1), (2, 2)), constant_values=((1, 2), (3, 4)))
pad(a, ((1, 0), (0, 2)), constant_values=((1,), (3,)))
pad(a, 1, constant_values=(7, 8))
sliding_window_view(n, 2)
sliding_window_view(n, window_shape=3)
sliding_window_view(a, (2, 2))
sliding_window_view(c, 2, axis=1)
sliding_window_view(c, (2, 3), axis=(1, 2)).sum(axis=(3, 4))
sliding_window_view(n, 4).mean(axis=-1)
np.lib.stride_tricks.sliding_window_view(m, 2)
choose([2, 3, 1, 0], [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23], [30, 31, 32, 33]])
choose([2, 4, 1, 0], [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23], [30, 31, 32, 33]], mode='clip')
choose([-1, 4], [[0, 1], [10, 11]], mode='wrap')
choose([[1, 0, 1], [0, 1, 0]], [-10, 10])
choose(m, [a, b])
choose([0, 1, 0], [n[:3], x])
choose([0, 1, 0], [x, 7])
take(n, [5, -7], mode='clip')
take(n, [5, 4], mode='wrap')
trim_zeros([0, 0, 1, 2, 0, 3, 0])
trim_zeros([0, 0, 1, 2, 0, 3, 0], 'b')
trim_zeros([0., 1., 0.], trim='f')
trim_zeros([0, 0])
insert([1, 2, 3, 4], [1, 3], [9, 8])
insert([1, 2, 3, 4], [3, 1, 1], [9, 8, 7])
insert([1, 2, 3, 4], [0, -1], 5)
insert(arange(4), slice(1, 3), 9)
insert([[1, 1], [2, 2], [3, 3]], [1], [[1], [2], [3]], axis=1)
insert(a, [0, 2], 7, axis=1)
insert(a, [1, 1], [[5, 6, 7], [8, 9, 10]], axis=0)
insert(arange(50), arange(20) * 31 % 50, arange(20) + 100)
insert(arange(40).reshape((2, 20)), arange(18), [[1], [2]], axis=1)
insert(arange(40).reshape((2, 20)), [], 7)
delete(arange(60), arange(20) * 7 % 60 - 30)
delete(arange(80).reshape((2, 40)), arange(17) * 3 % 40, axis=1)
delete(arange(80).reshape((2, 40)), arange(80) // 2)
delete(arange(20), arange(20))
delete(arange(5), array([True, False, False, False, True]))
delete(a, np.s_[::2], 1)
delete(arange(12), slice(2, None, 3))
delete(a, [1, 3, 5], None)
apply_along_axis(np.sum, 0, a)
apply_along_axis(np.max, 1, b)
apply_along_axis(sorted, 1, [[8, 1, 7], [4, 3, 9]])
apply_along_axis(np.sort, 0, b)
apply_along_axis(np.diag, -1, n.reshape(2, 2))
apply_along_axis(np.cumsum, 0, n.reshape(2, 2))
apply_along_axis(np.convolve, 1, a, [1, 2])
apply_along_axis(np.diag, 1, c)
apply_over_axes(np.sum, c, [0, 2])
apply_over_axes(np.max, c, -1)
piecewise([-1., 0., 2.], [array([-1., 0., 2.]) < 0, array([-1., 0., 2.]) >= 0], [-1, 1])
piecewise(x, [x < 0, x > 2], [np.abs, np.square, 7])
piecewise(n, [n > 7], [0.5, 2.7])
tril_indices(3)[0]
tril_indices(3, 1, 4)[1]
triu_indices(3, 1)[1]
triu_indices_from(a)[0]
tril_indices_from(a, -1)[0]
diag_indices_from(zeros((3, 3)))[1]
diagflat([[1, 2], [3, 4]])
diagflat([1, 2], 1)
ravel_multi_index(array([[3, 6, 6], [4, 5, 1]]), (7, 6))
linspace([0, 1], [1, 3], 3)
linspace([0, 1], 2, 3, endpoint=False)
linspace(-1, array([1, 2], dtype=uint8), 3)
np.logical_xor.reduce(ones((2, 3)), axis=None, keepdims=True)
np.subtract.reduce(arange(6).reshape(2, 3), axis=1, keepdims=True)
linspace(array([0, 1], dtype=float32), -1, 3)
linspace(array(2.5, dtype=float32), array(5, dtype=int16), 3)
np.choose([0, 1], [array([True, False]), array([False, False])])
np.histogram(array([1.8985757, 1.8985757], dtype=float32), bins=2)[0]
arange(3)[zeros(0, dtype=bool)]
ones((3, 2))[zeros((0, 2), dtype=bool)].shape
y = b * 1; y[zeros((0,), dtype=bool)] = 5; y
linspace(2.0, 3.0, num=5, retstep=True)[1]
linspace(2.0, 3.0, 5, False, True)[1]
fromiter(range(4), dtype=float)
fromiter([1, 2], int)
meshgrid([1, 2], [3, 4, 5], sparse=True)[0]
meshgrid([1, 2], [3, 4, 5], sparse=True)[1]
meshgrid([1, 2], [3, 4, 5], sparse=True, indexing='ij')[1]
vsplit(arange(8).reshape(4, 2), array([1, 3]))[1]
size(a, 1)
size(a, axis=0)
np.broadcast_shapes((3, 1), (1, 4), 4)
average(a, axis=1, weights=[1, 2, 3], returned=True)[1]
average(a, returned=True)[1]
ediff1d([1, 2, 4], to_begin=-99, to_end=[88, 99])
gradient(array([1, 2, 4, 7, 11, 16.]), [0., 1., 1.5, 3.5, 4., 6.])
gradient(array([1, 2, 4, 7, 11, 16.]), [0., 1., 1.5, 3.5, 4., 6.], edge_order=2)
gradient(array([1, 2, 4, 7.]), edge_order=2)
gradient(c, 2, axis=2)
gradient(a, 2.0, [0, 1, 3])[1]
gradient(a, 2.0, [0, 1, 3])[0]
gradient(array([1, 5]), [1, 3])
array_equal([1, nan], [1, nan], equal_nan=True)
array_equal([1, nan], [1, 2], equal_nan=True)
array_equiv([1, 2], [[1, 2], [1, 2]])
array_equiv([1, 2], [1, 2, 3])
np.issubdtype(np.int32, np.integer)
np.issubdtype(x.dtype, np.floating)
np.issubdtype(np.float64, np.integer)
np.issubdtype('i4', np.int32)
np.issubdtype(np.integer, np.number)
np.issubdtype(np.number, np.integer)
isrealobj(z)
iscomplexobj(z)
np.iterable(n)
np.iterable(3)
y = n * 1; np.put(y, [0, -1], [5, 6]); y
y = b * 1; np.put(y, [[1, 5], [0, 2]], [1, 2, 3]); y
y = b * 1; np.put(y[:, 1], 1, 7); y
y = a * 1; y.put([0, 4], 9); y
y = b * 1; np.place(y, y > 1, [10, 20]); y
y = b * 1; np.place(y, y > 100, [10]); y
y = b * 1; np.putmask(y, y < 0, a * 10); y
y = n * 1; np.putmask(y, n > 7, [-33, -44]); y
y = a * 1; np.copyto(y, b); y
y = a * 1; np.copyto(y, [7, 8, 9], where=a > 2); y
y = zeros((3, 3), int); np.fill_diagonal(y, 4); y
y = zeros((3, 3), int); np.fill_diagonal(y, [1, 2, 3]); y
y = zeros((5, 2), int); np.fill_diagonal(y, 4); y
y = zeros((5, 2), int); np.fill_diagonal(y, 4, wrap=True); y
y = zeros((2, 2, 2), int); np.fill_diagonal(y, 4); y
y = zeros((2, 4)); np.fill_diagonal(y, n); y
y = n * 1; y.sort(); y
y = b * 1; y.sort(axis=0); y
y = b * 1; y[0].sort(); y
y = b * 1; y.fill(3); y
y = b * 1; y[:, 0].fill(-1); y
y = n * 1; y.resize((2, 2)); y
y = n * 1; y.resize(2, 3, refcheck=False); y
y = n * 1; y.resize(3, refcheck=False); y
y = array([7, 1, 5, 3, 9]); y.partition(2); y[2]
y = b * 1; y[0][1] = 9; y
y = b * 1; y[:, 1:][y[:, 1:] < 1] = 0; y
y = b * 1; y[:, 1:][0] *= 2; y
y = b * 1; y.flat[4] = 9; y
y = b * 1; y.flat[[0, -1]] += 1; y
y = b * 1; y.flat = [1, 2]; y
y = z * 1; y.real = 7; y
y = z * 1; y.imag[1:] = [5, 6]; y
y = x * 1; y.real[0] = 7; y
y = n * 1; y.shape = (2, -1); y
y = a * 1; np.add(a, b, out=y); y
y = a * 1; np.add(y[0], 1, out=y[1]); y
y = a * 1; np.sqrt(y, out=y) * 2
y = zeros(3); np.divide(x, [0, 2, 4], out=y, where=[False, True, True]); y
y = zeros((2, 3)); np.add(x, 1, out=y); y
y = zeros(3); np.sum(a, axis=0, out=y); y
y = zeros(3); a.max(axis=0, out=y); y
b.flat[3]
b.flat[1:4]
a is a
a is a.copy()
y = a; y is a
y = a.view(); y is a
a[0] is a[0]
np.asarray(a) is a
None is None
a.T is not None
newaxis is None
np.sum is np.sum
np.sum is np.prod
not m.all()
not s
m.any() and 3
m.all() or s > 2
0 < s < 3
0 < s < 2
0 < m.sum() < n.sum()
3 in a
7 in a
7 not in a
not 7 in a
nan in [1, nan]
3 in (1, 2)
2 in [1, 2.0]
1 < 2 in [2, 3]
type(a) is np.ndarray
type(a) is list
type([1]) is list
type((1,)) == tuple
type(3) is int
type(2.5) == float
type(a[0, 0]) is np.float64
type(a[0, 0]) == float
isinstance(a, np.ndarray)
isinstance(3, (float, int))
isinstance(True, int)
isinstance(x[0], np.floating)
isinstance(x[0], float)
isinstance(a[0, 0], float)
isinstance([1], (tuple, list))
a.dtype.type is np.float64
a.dtype == np.float64
c[np.s_[0, 1:, ::2]]
c[np.index_exp[..., 1]]
c[(slice(None), 1, Ellipsis)]
n[slice(2)]
n[slice(1, None, 2)]
sorted([3, 1, 2.5])
sorted(n)
y = b * 1; np.add.at(y, ([0, 1, 0], [2, 2, 2]), 0.5); y
y = b * 1; np.subtract.at(y, [0, 0], a[0]); y
y = b * 1; np.add.at(y, 0, 1); y
y = b * 1; np.put_along_axis(y, argmax(b, axis=1)[:, None], 99, axis=1); y
y = b * 1; np.put_along_axis(y, array([[1, 0, 1]]), a[:1], 0); y
y = b * 1; axis = 1; np.put_along_axis(y, array([[1], [0]]), 7, axis); y
y = i8 * 1; y[[1, 2]] = 300 - 200; y
flatnonzero(b < 0)
flatnonzero(n == 100)
compress([0, 1], a, axis=0)
compress([False, True, True], b, axis=-1)
compress([1, 0, 1], a)
extract(b > 0, a)
x[np.isfinite(x) & (x > 0)]
m[m]
z[z.imag != 0]
sort(b)
sort([1 + 2j, complex(1, nan), 2, complex(nan, 1), complex(nan, nan), 1j, complex(0, nan), complex(nan, 0)])
argsort([1 + 2j, complex(1, nan), 2, complex(nan, 1), complex(nan, nan), 1j, complex(0, nan), complex(nan, 0)])
unique([complex(1, nan), 2, complex(1, nan), 2, 1j, complex(1, nan)])
sort(b, axis=0)
np.sort(c, axis=None)
argsort(b, axis=-1)
np.argsort(a, axis=0)
b.argsort()
take_along_axis(a, argmax(a, axis=1, keepdims=True), axis=1)
searchsorted([1, 2, 2, 3], [0, 1, 2, 2.5, 9])
np.searchsorted([1, 2, 2, 3], [[0, 1], [2, 9]], side='right')
searchsorted(array([1, 2, 2, 3], dtype='f4'), 2)
array([-inf, 0, 1, nan, nan]).searchsorted([nan, -0.0, inf, -inf])
searchsorted([-inf, 0, 1, nan, nan], [nan, 0.0, inf, -inf], 'right')
searchsorted([3, 1, 2], [1, 3, 4], sorter=[1, 2, 0])
searchsorted(x, n[:3], side='left', sorter=argsort(x))
searchsorted(zeros(0), [1, 2])
searchsorted([1, 2], zeros((2, 0)))
searchsorted([False, True], [True, False])
median(b)
median(b, axis=0)
median(c, axis=(0, 2), keepdims=True)
np.median(n)
median(x)
median([4, 1, 3])
median([[1, nan], [2, 3]], axis=1)
median(zeros((2, 0)), axis=1)
median(5)
median([True, False, True])
median([inf, 1, -inf, 3])
nanmedian([[1, nan, 3], [nan, nan, nan]], axis=1)
nanmedian([nan, 4, 1, 2, nan])
nanmedian(c, axis=1)
nanmedian(x * 2, keepdims=True)
quantile(b, 0.3)
quantile(b, [0, 0.1, 0.5, 0.9, 1.0])
quantile(b, [[0.25, 0.5], [0.75, 1.0]], axis=1)
quantile(c, [0.1, 0.7], axis=(0, 2))
quantile(c, 0.4, axis=1, keepdims=True)
quantile(c, [0.4, 0.6], axis=-1, keepdims=True)
quantile(x, 0.3)
quantile(x, [0.3])
quantile(x, float32(0.3))
quantile(n, 0.77)
quantile(n, [0, 1])
quantile(i8, 1)
quantile([1, nan, 3], 0.2)
quantile(b, [0.1, 0.35, 0.5, 0.9], method='lower')
quantile(b, [0.1, 0.35, 0.5, 0.9], method='higher')
quantile(b, [0.1, 0.35, 0.5, 0.9], method='nearest')
quantile(b, [0.1, 0.35, 0.5, 0.9], method='midpoint')
quantile(arange(6), [0.1, 0.3, 0.5], method='nearest')
quantile(n, 0.4, method='lower')
quantile(x, 0.4, method='midpoint')
quantile([1.0, nan], 0.5, method='higher')
quantile(5, 0.3)
percentile(b, 30)
percentile(b, [0, 12.5, 100], axis=0)
percentile(n, 50)
np.percentile(x, 25.0, method='linear')
nanquantile([[1, nan, 3, 7], [nan, nan, nan, nan], [5, 6, 2, 8]], [0.2, 0.6], axis=1)
nanquantile([1, nan, 3, 7], 0.5, method='lower')
nanquantile([1, nan, 3, 7, 9], [0.3, 0.6], method='midpoint')
nanpercentile([nan, 2, 1, nan, 5], [0, 50, 90])
nanpercentile(x, 40, method='nearest', keepdims=True)
nanquantile(n, [0.25, 0.5])
lexsort(([1, 2, 1, 2, 1], [3, 3, 1, 1, 3]))
lexsort((b, a), axis=0)
lexsort(array([[1, 0, 1], [2, 2, 1]]))
lexsort(([3, 1, 2],))
np.partition([3, 1, 2], [0, 1, 2])
argpartition([3, 1, 2], (0, 1, 2))
isin([1, 2, 5, nan], [2, nan, 1.0])
isin(n, [3, 5, 3], invert=True)
np.isin(a, b)
isin(a, [])
isin([], [1])
isin(i8, x)
unique([3, 1, 3, 2, 1])
unique([nan, 1, nan, 2])
unique([nan, 1, nan, 2], equal_nan=False)
unique(b)
unique(m)
unique([])
unique(zeros((0, 3), dtype=int))
unique(x > 100)
np.unique([3, 1, 3, 2, 1], return_index=True)[1]
np.unique([3, 1, 3, 2, 1], return_inverse=True)[1]
np.unique([3, 1, 3, 2, 1], True, True, True)[3]
np.unique([[3, 1], [3, 2]], return_inverse=True)[1]
np.unique([nan, 1, nan, 2], return_counts=True)[1]
np.unique([nan, 1, nan, 2], return_inverse=True)[1]
np.unique(arange(3000) % 7, return_counts=True)[1]
np.unique([], return_counts=True)[1]
np.unique(zeros((0, 3)), return_inverse=True)[1]
unique_values([3, 1, 3, nan, nan])
unique_counts([3, 1, 3, nan, nan])[1]
unique_inverse([[3, 1], [3, nan]])[1]
unique_all([3, 1, 3, 2, 1])[1]
unique_all([3, 1, 3, 2, 1])[2]
unique_all([3, 1, 3, nan, nan])[3]
unique_all(5)[2]
unique_all(5)[0]
union1d([3, 1, 2], [2.5, 1])
union1d([[1, nan]], [nan, 0])
intersect1d([3, 1, 2, 3], [2.0, 3, 9])
intersect1d(n, i8)
intersect1d([1, 2], [])
setdiff1d([3, 1, 2, 3], [2.0, 9])
setdiff1d([1, nan, nan], [nan])
setdiff1d([1, 2], [])
setdiff1d(a, a)
setxor1d([3, 1, 2, 3], [2, 9, 9])
setxor1d([1, 2], [2, 1])
bincount([0, 1, 1, 3])
bincount([0, 1, 1, 3], minlength=6)
bincount(array([2, 2, 0], dtype='u1'), weights=[0.5, 1.5, 3])
bincount(array([], dtype=int), minlength=2)
bincount(array([], dtype=int))
bincount([True, False, True])
histogram([1, 2, 1], bins=[0, 1, 2, 3])[0]
histogram([1, 2, 1], bins=[0, 1, 2, 3])[1]
histogram(2**53 + array([1, 0, 2, 3, -1]), 2**53 + array([0, 1, 2]))[0]
histogram(2**53 + array([1, 0, 2, 3, -1]), 2**53 + array([0, 1, 1, 2]), weights=[1, 2, 4, 8, 16])[0]
histogram(b)[0]
histogram(b)[1]
histogram(x, 4)[0]
histogram(x, 4)[1]
histogram(n, 5, (2, 9))[0]
histogram(n, 5, (2, 9))[1]
histogram(b, bins=3, density=True)[0]
histogram(b, bins=[-10, 0, 1, 1, 20], density=True)[0]
histogram([1, 2, 2, 4, nan], bins=4, range=(0, 4), weights=[1, 0.5, 0.25, 2, 9])[0]
histogram([1, 2, 2, 4], bins=4, weights=[1, 2, 3, 4])[0]
histogram([1, 2, 2, 4], bins=2, weights=array([1, 2, 3, 4], dtype='f4'))[0]
histogram([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], bins=10, range=(0, 1))[0]
histogram(arange(1000) / 1000, bins=7)[0]
histogram([2.0, 2.0])[1]
histogram([])[1]
histogram([], bins=3)[0]
histogram([1, 2, 2, 4], bins=[1, 2, 4], density=None)[0]
histogram_bin_edges(b, 3)
histogram_bin_edges(n, bins=2, range=(0, 1))
histogram_bin_edges([1, 2], [1, 5, 9])
digitize([0.2, 6.4, 3.0, 1.6], [0.0, 1.0, 2.5, 4.0, 10.0])
digitize([1, 2, 3], [1, 2, 3], right=True)
digitize([0.2, 6.4, 3.0, 10.0], [10.0, 4.0, 2.5, 1.0, 0.0])
digitize([0.2, 6.4, 4.0, 10.0], [10.0, 4.0, 2.5, 1.0, 0.0], right=True)
digitize(n, [3, 3])
digitize(b, [0.5])
digitize([1, 2], [])
broadcast_to(x, (2, 3))
concat([a, b])
concatenate((a, b), axis=1)
concat([a, n], axis=None)
concat((x, i8))
stack([x, x * 2])
stack((x, i8), axis=-1)
sum(stack((x, x * 2, -x)), axis=0)
sum(stack((x * 0, 0 * abs(x))), axis=0)
sum(stack((i8, i8 * 2, i8), axis=1), axis=1)
sum(stack((x, x + 1)).astype(float16) * 1000, axis=0)
prod(stack((x, x * 2, x + 1)), axis=0, keepdims=True)
max(stack((a, a * -1, b)), axis=0)
min(stack((a + 1, a * -1 - 1, b), axis=-1), axis=-1)
max(stack((x, where(x > 0, nan, x), x * 3)), axis=0)
nanmax(stack((x, where(x > 0, nan, x), x * 3)), axis=0)
nanmin(stack((where(x > 2, nan, x), where(x > 0, nan, x))), axis=0)
any(stack((x > 2, x < 0)), axis=0)
all(stack((x, x - 1.5)), axis=0)
argmax(stack((x, x, x * 2, x * 2)), axis=0)
argmin(stack((x, x, x * 2, x * 2), axis=1), axis=1)
argmax(stack((x, where(x > 0, nan, x), x * nan, x * 3)), axis=0)
argmin(stack((where(x < 0, nan, x), where(x > 2, nan, x), x * 0)), axis=0)
argmax(stack((x * 0, -0.0 * abs(x), x * 0)), axis=0)
argmax(stack((i8, i8 // 2, -i8)), axis=0, keepdims=True)
argmin(stack((x > 2, x > 0, x > -3)), axis=0)
argmax(stack((x, x + 1)).astype(uint16) % 3, axis=0)
argmax(stack((a[0], a[1], a[0] * 2), axis=1) - a[0][:, None], axis=1)
mean(stack((x, x * 2, -x)), axis=0)
std(stack((x, x * 2, -x), axis=1), axis=1)
var(stack((a, b * 2)) + x[:, None, None][:2], axis=0)
median(stack((x, x * 2, -x)), axis=0)
s = stack((x, x * 2)); round(exp(s - max(s, axis=0)) / sum(exp(s - max(s, axis=0)), axis=0), 4)
s = stack((x, x * 2, x)); s[1] = 9; sum(s, axis=0)
s = stack((x, x * 2, x)); s[1, 1:] = 9; argmax(s, axis=0)
s = stack((a, b)); sum(s[::-1], axis=0) - s[0]
s = stack((a, b)); max(s[:, 0, 1:], axis=0)
s = stack((a, b)); argmax(s.T, axis=2)
s = stack((stack((x, -x)), stack((x * 2, x * 3)))); max(s, axis=1)
s = stack((stack((x, -x)), stack((x * 2, x * 3)))); argmin(min(s, axis=1), axis=0)
max(concatenate((x[None, :], x[None, :] * 2)), axis=0)
sum(stack([x * 0, x, x * 2, x * 3, x * 4, x * 5, x * 6, x * 7, x * 8, x * 9, x * 10, x * 11, x * 12, x * 13, x * 14, x * 15]), axis=0)
argmax(stack([x * 0, x, x * 2, x * 3, x * 4, x * 5, x * 6, x * 7, x * 8, x * 9, x * 10, x * 11, x * 12, x * 13, x * 14, x * 15]), axis=0)
argmax(stack([x * 0, x, x * 2, x * 3, x * 4, x * 5, x * 6, x * 7, x * 8, x * 9, x * 10, x * 11, x * 12, x * 13, x * 14, x * 15, x * 16]), axis=0)
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
fmod(b, 3)
fmod(n, -4)
fmod(n, 0)
fmax([1.5, nan, nan], [nan, 2, nan])
fmin(b, nan)
fmax(i8, 3)
fmax(m, False)
cbrt(b)
round(cbrt(x), 4)
cbrt(n)
exp2(b)
exp2(n - 8)
exp2(x)
exp2(array([1 + 1j, -0.5 + 2j]))
nanmax([[1.5, nan], [nan, nan]], axis=1)
nanmin([3, nan, -2.5])
nanmax(i8)
np.square(m)
np.conj(m)
np.real(m)
np.imag(m)
np.floor(m)
np.ceil(m)
np.trunc(m)
np.positive(x)
np.conj(2) * ones(2, dtype='f4')
np.positive(3) * i8
round(b, 1)
np.round(x * 1.234, 2)
around(n * 17, -1)
round(n, 2)
b.round(1)
np.round(array([250, 150, 1234]), -2)
np.rint(b)
np.fix(b)
fabs(b)
fabs(n)
degrees(b)
rad2deg(b)
radians(b)
deg2rad(n)
angle(z)
angle(z, deg=True)
angle(b)
sinc(b)
sinc(x)
sinc(n)
sinc(0.0)
isposinf([inf, -inf, nan, 1])
isneginf([inf, -inf, nan, 1])
isreal(z)
iscomplex(z)
isreal(b)
heaviside(b, 0.5)
heaviside(x, 1)
heaviside(n - 8, 0.5)
heaviside([nan, 0, 1], 7)
float_power(n, 2)
float_power(x, 0.5)
nan_to_num([nan, inf, -inf, 1.5])
nan_to_num(float32([nan, inf, -inf, 1.5]))
nan_to_num([nan, inf, -inf], nan=1.0, posinf=2, neginf=-3.5)
nan_to_num(array([nan + 1j, inf - 2j]))
nan_to_num(n)
isclose(a, a + 1e-9)
isclose([1e10, 1e-7, inf, nan], [1.00001e10, 1e-8, inf, nan])
isclose([1, nan], [1, nan], equal_nan=True)
isclose(n, n + 1, rtol=0.2)
isclose(x, 1.5, rtol=0, atol=0)
allclose(a, a)
allclose(a, b)
array_equal(a, a)
array_equal(a, b)
array_equal(a, n)
var(a)
std(b)
a.std()
a.var(ddof=1)
a.var(axis=0)
std(b, axis=1, keepdims=True)
c.std(axis=(0, 2))
x.std()
x.var(ddof=1)
n.var()
m.std()
z.var()
z.std(ddof=1)
var([1.0, 2], ddof=2)
var([1.0, 1], ddof=2)
var([1.0], ddof=1)
var([])
var([1.0, nan])
var(n, dtype=float32)
np.std(a, correction=1)
nanvar([1, nan, 3, 8.5])
nanstd([[1, nan], [nan, nan], [2, 3]], axis=1)
nanvar([1, nan, 3], ddof=2)
nanvar([1, nan, 3], ddof=1, keepdims=True)
nanstd(n)
nansum([1, nan, 3])
nansum([nan, nan])
nansum(n, axis=0)
nansum([[1, nan], [2, 3]], axis=0, keepdims=True)
nanprod([2, nan, 3])
nanmean([1, nan, 3.5])
nanmean([nan])
nanmean(n)
nanmean(float32([[1, nan], [nan, nan]]), axis=1)
ptp(b)
ptp(b, axis=0)
ptp(n)
average(a)
average(a, weights=b)
average(a, axis=1, weights=[1, 2, 3])
average(n, weights=[1, 0, 0, 3])
average(a, axis=0, weights=[3, 1], keepdims=True)
average(x, weights=float32([1, 2, 1]))
cov(a)
cov(b)
cov(n)
cov(b, rowvar=False)
cov(b[0], b[1])
cov(b, bias=True)
cov(b, ddof=0)
cov(x)
cov(z[:2])
corrcoef(b)
corrcoef(b.T)
corrcoef(n)
corrcoef(b[0], a[0])
diff(n)
diff(b, axis=0)
diff(b, n=2)
diff(n, n=0)
diff(n, 5)
diff(m)
diff(a, prepend=0)
diff(a, prepend=[[9], [8]], append=7)
diff(u8)
ediff1d(b)
gradient(n)
gradient(x)
gradient(b, axis=1)
gradient(b, 2.0, axis=1)
gradient(c, axis=2)[0]
np.gradient(a)[0]
trapezoid(a)
trapezoid(n)
trapezoid(b, dx=0.5, axis=0)
trapezoid(b, [1, 2, 4])
trapezoid(b, a, axis=1)
trapezoid(x)
trapezoid([1, 2, 4], [True, False, False])
select([x > 1, x < 0], [x, 3], 0)
select([x > 1, x < 0], [2, 3], x)
select([x > 1, x < 0], [2, 3])
select([n > 8, n < 0], [n, 2.5])
select([m, n[:3] > 7], [i8, u8], -1)
np.mgrid[0:3, 0:2]
np.mgrid[0:2:0.5]
np.mgrid[-1:1:5j]
np.mgrid[0:2, 0:1:3j]
np.mgrid[4:0:-2, 1:3][0]
np.ogrid[0:3, 0:4][0]
np.ogrid[0:3, 0:4][1]
xs, ys = np.ogrid[0:3, 0:4]; xs * ys
np.r_[1:4, 0, 4]
np.r_[n, 0:1:3j, [5, 6]]
np.r_[a, b]
np.c_[n, n + 1]
np.c_[a, b]
np.c_[[1, 2], [[3, 4], [5, 6]]]
a[:, 0], a[:, 2] = a[:, 2].copy(), a[:, 0].copy(); a
n[0], n[-1] = n[-1], n[0]; n
t, n[1] = 5, 6; n * t
[n[0], t] = (9, 2); n + t
np.add.reduce(a)
np.add.reduce(a, axis=None)
np.multiply.reduce(b, 1)
np.maximum.reduce(b)
np.minimum.reduce(n)
np.logical_or.reduce(m)
np.add.accumulate(a)
np.multiply.accumulate(n)
np.add.accumulate(a, axis=1)
np.multiply.outer([1, 2], [3, 4])
np.subtract.outer(n, x)
np.equal.outer(n, a)
logspace(2.0, 3.0, num=4)
logspace(0, 1, 5, endpoint=False, base=2)
logspace(0, 3, 4, dtype=int)
logspace(1j, 2, 3)
geomspace(1, 1000, num=4)
geomspace(1000, 1, num=4)
geomspace(-1, -16, 5)
geomspace(2, 32, 4, endpoint=False)
geomspace(1j, 1000j, num=4)
geomspace(1, 256, num=9, dtype=int)
geomspace(3, 5, 1)
geomspace(3, 5, 0)
np.vander(n)
np.vander(x, 4)
np.vander(n, 3, increasing=True)
np.vander(m, 2)
np.vander(n, 0)
np.vander(z, 2)
interp(2.5, [1, 2, 3], [3, 2, 0])
interp([0, 1, 1.5, 2.72, 3.14], [1, 2, 3], [3, 2, 0])
interp(a, [0.5, 4], [10, 20], left=-1)
interp(a, [0.5, 4], [10, 20], right=nan)
interp(a, [3.0], [7.0])
interp(x, [0, 1, 2], [1j, 2, 3 + 1j])
interp(n, [7, 9], [inf, inf])
interp([0, 0.5, 1, 2, 3], [0, 1, 2, 3], [1, -inf, 2, inf])
interp([0, 1, 2], [0, 1, nan], [1, 2, 3])
interp([1, 2.0, nan], [1, 2, 2, 3], [0, 1, 5, 6])
convolve([1, 2, 3], [0, 1, 0.5])
convolve([1, 2, 3], [0, 1, 0.5], 'same')
convolve([1, 2, 3], [0, 1, 0.5], mode='valid')
convolve([0, 1], n, 'same')
convolve(n, [1, 2, 3, 4, 5, 6], 'same')
convolve([1.5], x)
convolve(m, m)
convolve(i8, i8)
convolve(z, x)
correlate([1, 2, 3], [0, 1, 0.5])
correlate([1, 2, 3], [0, 1, 0.5], 'same')
correlate([1, 2, 3], [0, 1, 0.5], 'full')
correlate(n, [1, 2])
correlate([1, 2], n)
correlate([1, 2], n, 'same')
correlate([1, 2, 4], n, 'same')
correlate(n, [1, 2, 3, 4, 5, 6], 'full')
correlate(z, [1j, 2], 'full')
correlate(x, z, 'same')
polyval([3, 0, 1], 5)
polyval([3, 0, 1], n)
polyval([1.5, 2], x)
polyval([7], a)
polyval([1j, 2], a)
unwrap([0, 1, 2, 4 + 2 * pi])
unwrap([0, 4, 8, 12.5, 3])
unwrap([0.5, 1, 6.5, 7, 2], period=4)
unwrap(b * 4, axis=0)
unwrap(b * 4, discont=7)
unwrap(n, period=4)
unwrap(array([1, 5, 9, 3], 'i4'), period=4)
unwrap([1], period=4)
unwrap([1])
modf([0, 3.5, -2.25, inf, -inf, nan])[0]
modf([0, 3.5, -2.25, inf, -inf, nan])[1]
modf(n)[0]
modf(x)[1]
np.resize(a, (2, 4))
np.resize(a, 3)
np.resize(n, (3, 3))
np.resize([], (2, 2))
np.insert(n, 1, 5)
np.insert(n, -1, [5, 6])
np.insert(n, 4, 2.9)
np.insert(a, 1, 9)
np.insert(a, 1, 9, axis=1)
np.insert(a, 0, [1, 2, 3], axis=0)
np.insert(a, 2, [[7], [8]], axis=1)
np.delete(n, 1)
np.delete(n, [0, -1])
np.delete(n, [2, 2])
np.delete(a, 4)
np.delete(a, 1, axis=0)
np.delete(a, [0, 2], 1)
np.delete(a, [])
np.delete(n, [True, False, False, True])
np.delete(n, n > 7)
np.delete(a, [False, True, False], axis=-1)
np.block([[a, a], [b, b]])
np.block([n, 1, 2])
np.block([[1, 2], [3, 4]])
np.block([[a], [n[:3]]])
np.block(a)
np.block([[[a]], [[b]]])
np.tri(3)
np.tri(3, 5, 2, dtype=int)
np.tri(3, 2, -1)
unravel_index(22, (7, 6))[1]
unravel_index(n[:3], (4, 5))[0]
unravel_index(n[:3], (2, 4, 5))[2]
ravel_multi_index(([3, 6, 6], [4, 5, 1]), (7, 6))
ravel_multi_index((3, 1, 4), (6, 7, 8))
diag_indices(3)[0]
reshape(a, (3, 2), order='F')
a.reshape(3, 2, order='F')
c.reshape((4, 6), order='F')
ravel(a, order='F')
a.flatten('F')
a.ravel(order='C')
a.view()
n.item(1) + 1
a.item((1, 2)) * 2
s.item() + s
array(a.tolist()) + 1
array(m.tolist())
array(z.tolist())
array(c[0, :2].tolist())
int(n[0]) + n
float(s) * n
bool(m[0])
complex(z[0]) + 1
zeros(n[0])
zeros(array([2, 3]))
a[:, :n[3] + 4]
list(n)[1] + 1
array(list(zip([1, 2], [3, 4])))
finfo(float32).eps
finfo(float32).max
finfo(float64).tiny
a.dtype.itemsize + 0
dtype('i2').itemsize + 0
isscalar(3.5)
isscalar(n)
moveaxis(c, 0, -1)
moveaxis(c, [0, 1], [-1, -2])
moveaxis(c, (0, 2), (1, 0)).shape
rollaxis(c, 2).shape
rollaxis(c, 0, 3).shape
c.swapaxes(0, 1).shape
rot90(a)
rot90(a, 2)
rot90(a, -1)
rot90(c, axes=(1, 2))[0]
flipud(a)
fliplr(a)
atleast_1d(s)
atleast_2d(n)
atleast_3d(n).shape
atleast_3d(a).shape
atleast_2d(c).shape
roll(n, 1)
roll(n, -1)
roll(a, 2)
roll(a, 1, axis=1)
roll(a, -5, axis=1)
roll(a, 1, axis=(0, 1))
roll(a, (1, 2), axis=(0, 1))
roll(m, 1)
tile(n, 2)
tile(a, (2, 2))
tile(a, (2, 1, 2))
tile(s, 3)
tile(c, (1, 2, 1))[0]
tile(n, 0)
tile(x, (2, 1))
repeat(n, 2)
repeat(a, 2, axis=1)
repeat(a, 2, axis=0)
repeat(a, [1, 2], axis=0)
repeat(a, [0, 2, 1], axis=1)
a.repeat(2)
repeat(3, 4)
n.repeat([2, 0, 1, 1])
append(n, 5)
append(a, b, axis=0)
append(a, [[9, 9, 9]], axis=0)
pad(n, 1)
pad(n, (1, 2))
pad(a, ((1, 0), (0, 2)))
pad(a, 1, constant_values=7)
pad(i8, 2, constant_values=-1)
pad(n, 2, mode='edge')
pad(a, 1, mode='edge')
pad(n, 3, mode='reflect')
pad(n, 9, 'reflect')
pad(a, 2, mode='reflect')
pad(n, (3, 2), 'wrap')
pad(n, (9, 10), 'wrap')
pad(a, 1, 'wrap')
pad([5], 3, 'reflect')
y = zeros((4, 3)); y[[2, 0, 2]] = 7; y
y = zeros((4, 3)); y[[2, 0, 2]] = [1, 2, 3]; y
y = zeros((3, 3)); y[[2, 0, 1]] = [[1], [2], [3]]; y
y = zeros((4, 3)); y[[2, 0, 2]] = [[1, 2, 3]]; y
y = zeros((4, 3)); add.at(y, [2, 0, 2], [1, 2, 3]); y
y = zeros((4, 3)); add.at(y, [2, 0, 2], 5); y
y = zeros((4, 3)); add.at(y, ([2, 0, 2], [1, 1, 1]), 5); y
y = zeros((2, 2, 3)); y[:, [1, 0]] = [[[1, 2, 3]], [[4, 5, 6]]]; y
y = zeros((3, 3)); y[[0, 2], [1, 1]] = [4, 5]; y
k = where(arange(20000) < 10000, 0, arange(20000) * 1000003)[::-1]; sort(k)[9997:10001]
k = where(arange(20000) < 10000, 0, arange(20000) * 1000003)[::-1]; sort(k)[10002:9998:-1]
k = where(arange(20000) < 10000, 0, arange(20000) * 1000003)[::-1]; argsort(k)[10000:10003]
k = sin(arange(20000) * 0.37); (sort(k)[:3] * 1000).round()
k = sin(arange(20000) * 0.37); (partition(k, 1000)[1000:1001] * 1e6).round()
k = (sin(arange(20000) * 0.37) * 1e6).round(); median(k) + median(k[1:])
k = (sin(arange(20000) * 0.37) * 1e6).round(); percentile(k, [0, 5, 100, 50]).round()
k = (sin(arange(20000) * 0.37) * 1e6).round(); percentile(k, 33.3, method='nearest') + quantile(k, [0.1, 0.9], method='higher')
k = (sin(arange(20000) * 0.37) * 1e6).round(); k[777] = nan; [median(k), nanmedian(k)]
k = arange(20000) * 7919 % 20011; argsort(k)[[0, 1, -1]] + argsort(-k)[:3]
k = arange(20000) * 7919 % 20011; s = sort(k.reshape(2, 10000), axis=1); s[:, 5:8].sum() + s[1, -1] + s[0, ::5000].sum()
k = arange(20000) * 7919 % 20011; s = sort(k); s[3] + s.sum()
k = arange(20000) * 7919 % 20011; s = sort(k); s[::-1][:2]
k = arange(20000) * 7919 % 20011; s = sort(k.reshape(10000, 2), axis=0); s[17] + s[-2:]
pad(a, ((1, 4), (9, 10)), 'reflect')
pad(a, ((7, 3), (2, 11)), 'symmetric')
pad(a, ((5, 8), (3, 4)), 'wrap')
pad(a, ((60, 3), (1, 2)), 'reflect')[:3]
pad(sin(a), ((2, 1), (1, 2)), 'edge') + 1
pad(a[:, ::-1].T, ((2, 1), (0, 3)), 'reflect')
pad(a[:1], ((2, 1), (1, 1)), 'reflect')
pad(ones((2, 3)), 1, 'wrap')
(pad(arange(24).reshape(2, 3, 4), ((1, 2), (2, 0), (3, 1)), 'reflect') * arange(200).reshape(5, 5, 8) ** 2).sum()
(pad(arange(24).reshape(2, 3, 4), ((1, 2), (0, 9), (3, 1)), 'edge') * arange(480).reshape(5, 12, 8) ** 2).sum()
(pad(arange(32).reshape(2, 2, 2, 2, 2), 1, 'wrap') * arange(1024).reshape(4, 4, 4, 4, 4) ** 2).sum()
(pad(arange(32).reshape(2, 2, 2, 2, 2), 3, 'symmetric') * arange(32768).reshape(8, 8, 8, 8, 8) ** 2).sum()
pad(n, (100, 60), 'reflect')
pad(n, (60, 100), 'wrap')
pad(m, 1)
vstack([n, n * 2])
vstack((a, b))
hstack([n, n[:2]])
hstack((a, b))
dstack((n, n)).shape
dstack((a, b))
column_stack((n, n * 2))
column_stack((a, [7, 8]))
tril(a)
triu(a)
tril(c, 1)[1]
triu(b, -1)
tril(ones((3, 3), dtype=bool))
tril(ones((3, 3), dtype=int), -1)
diag(n)
diag(n, 1)
diag(x, -2)
diag(b)
diag(b, 1)
diag(m)
diagonal(b)
diagonal(b, 1)
b.diagonal(-1)
diagonal(c)
diagonal(c, 0, 1, 2)
diagonal(a, 5)
trace(b)
trace(b, 1)
n.reshape(2, 2).trace()
trace(c)
trace(i8.reshape(3, 1))
indices((2, 3))
indices((2, 3), dtype=float)
identity(2)
identity(3, dtype=int)
unstack(a)[1]
unstack(a, axis=1)[2]
split(n, 2)[1]
split(n, [1, 3])[1]
split(a, 3, axis=1)[2]
split(n, [2, 9])[2]
array_split(n, 3)[0]
array_split(n, 3)[2]
vsplit(a, 2)[1]
hsplit(a, [1])[1]
hsplit(n, 2)[0]
dsplit(c, 2)[1].shape
meshgrid(n, x)[0]
meshgrid(n, x)[1]
meshgrid(n, x, indexing='ij')[1]
meshgrid(n)[0]
meshgrid([1, 2], [3, 4], [5, 6, 7])[0].shape
broadcast_arrays(n[:3], a)[0]
tensordot(a, b)
tensordot(a, b.T, 1)
tensordot(c, c, axes=([0, 1], [0, 1]))
tensordot(c, a, axes=((0, 1), (0, 1)))
tensordot(n, n, 0)
vecdot(a, b)
vecdot(a, b, axis=0)
vecdot(a, x)
vecdot(z, z)
vecdot(n, n)
vecdot(i8, i8)
cross(a, b)
cross(x, [1, 2, 3])
cross(a, [0, 0, 1.0])
np.vdot(z, z)
dot(a, b.T)
dot(n, n)
a.dot(x)
dot(c, ones((4, 2))).shape
dot(a[:, :2], c[:, :2, :]).shape
dot(2, n)
inner(a, b)
inner(n, n)
inner(c, [1, 0, 0, 1]).shape
outer(n, x)
outer([1, 2], [3, 4, 5])
kron(a, [1, 2])
kron([[1, 2]], [[1], [10]])
kron(n, 2)
np.einsum('ij,jk->ik', a, b.T)
np.einsum('ij,kj', a, b)
np.einsum('ij->ji', a)
np.einsum('ji', a)
np.einsum('ij->', a)
np.einsum('ij->i', n.reshape(2, 2))
np.einsum('ii', n.reshape(2, 2))
np.einsum('ii->i', a[:, :2])
np.einsum('i,i', x, x)
np.einsum('i,j->ij', n, x)
np.einsum('i,i->i', x, x)
np.einsum('ij,ij->j', a, b)
np.einsum('...j,j', a, x)
np.einsum('...i->...', c).shape
np.einsum('bij,bjk->bik', c, c.mT).shape
np.einsum('bij, bkj', c, c).shape
np.einsum('ij,jk,kl->il', a, b.T, a)
np.einsum('ij,jk,kl,lm->mi', a, b.T, a, a.T, optimize=True)
np.einsum('z,z->', z, z.conj())
np.einsum('ij,ij->i', a > 2, b > 0)
np.einsum(a, [0, 1], b, [2, 1], [2, 0])
np.einsum(a, [0, 1], x, [1])
np.einsum(c, [Ellipsis, 0], [0, Ellipsis]).shape
np.einsum('i->', n, dtype=float)
np.einsum(',i', 3, n)
np.linalg.cholesky([[4.0, 2, 6], [2, 5, 5], [6, 5, 14]])
np.linalg.cholesky([[4, 0], [2, 5]], upper=True)
np.linalg.cholesky(np.array([[[4, 9], [2, 5]], [[1, 0], [0, 1]]], dtype='f4'))
np.linalg.cholesky([[4, 0], [2j, 5]])
np.linalg.cholesky([[4, -2j], [0, 5]], upper=True) + 0
np.linalg.cholesky(np.zeros((3, 0, 0)))
np.linalg.solve([[0, 2], [4, 0]], [6, 8])
np.linalg.solve([[[0, 2], [4, 0]], [[1, 0], [1, 1]]], [[6, 8, 2], [4, 8, 0]])
np.linalg.solve([[1, 0], [1, 1]], [[[6], [8]], [[4], [9]]])
np.linalg.solve(np.array([[2, 0], [4j, 1]], dtype='c8'), np.array([4, 1], dtype='f4'))
np.linalg.solve(np.zeros((0, 0)), np.zeros((0, 2)))
np.linalg.solve(np.eye(2), np.zeros((2, 0)))
np.linalg.inv([[0, 2], [4, 0]])
np.linalg.inv(np.array([[[2, 0], [2, 1]], [[4, 0], [0, 1]]], dtype='f4'))
np.linalg.inv([[2j, 0], [0, 1]])
np.linalg.inv(np.zeros((2, 0, 0)))
np.round(np.linalg.det([[0, 2], [4, 0]]))
np.linalg.det(np.array([[[0, 2], [4, 0]], [[2, 2], [2, 2]]], dtype='f4'))
np.linalg.det([[2j, 0], [0, 1]])
np.linalg.det(np.zeros((2, 0, 0)))
np.linalg.det(True * np.eye(3) > 0)
np.linalg.slogdet([[0, 2], [4, 0]])[0]
np.linalg.slogdet([[0, 2], [0.5, 0]])[1]
np.linalg.slogdet([[2, 2], [2, 2]])[0]
np.linalg.slogdet([[2, 2], [2, 2]])[1]
np.linalg.slogdet([[2j, 0], [0, 0.5]])[0]
np.linalg.slogdet(np.zeros((0, 0)))[1]
np.linalg.qr([[3.0, 1], [4, 2]])[1]
np.linalg.qr([[3.0, 5], [0, 0], [4, 10]])[0] + 0
np.linalg.qr([[3.0, 5], [0, 0], [4, 10]], mode='complete')[1]
np.linalg.qr([[3.0, 5], [0, 0], [4, 10]], 'r')
np.linalg.qr([[3.0, 4, 5]])[0]
np.linalg.qr(np.zeros((3, 0)))[0]
np.linalg.qr(np.zeros((3, 0)), 'complete')[0]
q, r = np.linalg.qr(np.array([[3, 5], [4, 10]], dtype='f4')); np.round(q @ r)
np.linalg.multi_dot([a, b.T, a])
np.linalg.multi_dot((x, a.T, a, x))
from numpy.linalg import multi_dot; multi_dot([a, b.T])
a, b = b, a; a
p, q = a; q
[p, q] = n[:2]; p
p, q, r = a.shape + (7,); q * r
u, v = meshgrid([1, 2], [3, 4, 5]); u * v
p, q = split(n, 2); p - q
p, q = divmod(n, 4); q
min(3, 5)
max(3, 5) * x
max(a.shape) * x
min([4, 2.5])
sum((1, 2, 3))
sum(a.shape)
sum([1, 2.5])
sum(m)
abs(-3)
abs(-2.5) * x
abs(3 + 4j)
pow(2, 10)
round(2.5)
round(3.5)
round(-2.5)
round(2.675, 2)
round(1234, -2)
round(1250, -2)
round(2.5) * x
[0] * 3
[1, 2] * 2 + [9]
(1,) * 3
zeros((2,) * 2)
array(range(5))
sum(range(5))
array(list(range(1, 10, 3)))
range(5, 0, -2)[1]
len(range(3))
from numpy import sin, cos as kosinus; kosinus(0.0) + sin(0.0)
import numpy as npy; npy.sqrt(4.0)
y = x * 1; y += a[0]; y
y = x * 1; y *= 2.5; y
y = i8 * 1; y += 1; y
y = n * 1; y **= 2; y
y = x * 1; y[0] += a[0, 1]; y
y = u8 * 1; y += u8; y
y = s * 1; y = y + x; y
finfo(float32).eps * x
finfo(float32).eps + i8
finfo('f8').eps * x
rint(n)
m ** m
m // m
m % m
fmod(m, m)
m << m
m >> m
m.conj()
conj(m)
dot(3, u8)
inner(2, x)
outer(2, u8)
concat((u8, 3), axis=None)
concat([0.5, x], axis=None)
full((2, 3), x)
full_like(a, x)
full((), [7])
tril(x)
triu(n, 1)
meshgrid(a, x)[0]
take_along_axis(a, argsort(a, axis=None), axis=None)
(z * 0) ** (1 + 1j)
(z * 0) ** (-1 + 1j)
finfo('f8').max
finfo(a.dtype).tiny * 1
iinfo(int8).min
zeros(1, dtype=result_type(u8, -1))
iinfo('i4').max
iinfo(uint64).max
iinfo(int16).bits
result_type(x, 3) == float32
result_type(i8, 1.5) == float64
result_type(float32, 'i8') == float64
result_type(1, 2.0, float32) == float32
result_type(3, 4.0) == float64
can_cast('i4', 'i8')
can_cast(float64, float32)
can_cast(float64, float32, 'same_kind')
isdtype(x.dtype, 'real floating')
isdtype(int8, ('signed integer', float32))
isdtype(np.bool_, 'numeric')
x.dtype == np.float32
linspace(0, 1j, 3)
linspace(1 + 1j, 2, 3, endpoint=False)
power(1.79e308, 1.0 * ones(2))
power([1.3407807929942596e154, 2.0], [2.0, 0.5])
power(float32([3.3e38, 1.8e19]), float32([1, 2]))
tanh(array([inf + 1j, -inf + 1j]))
expm1(array([-0.0 + 0j]))
array([1, 2], copy=True)
zeros(2, order='C')
np.linalg.eigh([[2., 1.], [1., 3.]])[0]
abs(np.linalg.eigh([[2., 1.], [1., 3.]])[1])
np.linalg.eigh([[2, 7], [1, 3]], UPLO='L')[0]
np.linalg.eigh([[2, 1], [7, 3]], UPLO='U')[0]
np.linalg.eigvalsh([[2, 1j], [-1j, 3]])
np.round(np.linalg.eigvalsh(array([[2., 1.], [1., 3.]], dtype=float32), 'U'), 4)
w, v = np.linalg.eigh([[2., 1.], [1., 3.]]); allclose(v @ np.diag(w) @ v.T, [[2., 1.], [1., 3.]])
np.linalg.eigvals([[0., 1.], [-1., 0.]]).imag
np.sort(np.linalg.eigvals([[1., 2.], [3., 4.]]))
np.linalg.eigvals([[1., 2.], [3., 4.]]).dtype == np.float64
np.linalg.eig([[1, 2], [3, 4]])[1].dtype == np.float64
np.linalg.eig(array([[0, 1], [-1, 0]], dtype=float32))[0].dtype == np.complex64
w, v = np.linalg.eig(array([[1, 2], [3, 4]])); allclose(array([[1, 2], [3, 4]]) @ v, v * w)
w, v = np.linalg.eig(array([[0, 1], [-1, 0]])); allclose(array([[0, 1], [-1, 0]]) @ v, v * w)
np.linalg.svd(a)[1]
np.linalg.svd(a)[0].shape
np.linalg.svd(a)[2].shape
np.linalg.svd(a, full_matrices=False)[2].shape
np.linalg.svd(a, compute_uv=False)
np.linalg.svd(a.T, False)[0].shape
u, s2, vh = np.linalg.svd(a, full_matrices=False); allclose(u * s2 @ vh, a)
u, s2, vh = np.linalg.svd(z.reshape(1, -1)); allclose(u * s2 @ vh[:1], z)
np.linalg.svdvals(a)
np.linalg.svdvals(c)[:, :2]
np.linalg.svdvals(ones((0, 3)))
np.linalg.svd(ones((0, 2)))[2]
np.linalg.norm(a)
linalg.norm(a)
linalg.matmul(a, a.T)
fft.fft([1, 2, 3, 4])
f = fft; f.ifft([1, 2, 3, 4]).real
fft = [1, 2]; fft[1]
np.linalg.norm(x)
np.linalg.norm(a, 'fro')
np.round(np.linalg.norm(a, 'nuc'), 10)
np.linalg.norm(a, 1)
np.linalg.norm(a, -1)
np.round(np.linalg.norm(a, 2), 10)
np.round(np.linalg.norm(b, -2), 10)
np.linalg.norm(a, np.inf)
np.linalg.norm(a, -np.inf)
np.round(np.linalg.norm(n, 3), 10)
np.linalg.norm(n, 0)
np.linalg.norm(n, np.inf)
np.round(np.linalg.norm(n, -1), 10)
np.round(np.linalg.norm(n, 0.5), 10)
np.linalg.norm(z, 1)
np.linalg.norm(c)
np.linalg.norm(c, axis=1)
np.linalg.norm(c, axis=(0, 2))
np.linalg.norm(c, 1, axis=(2, 0))
np.linalg.norm(c, np.inf, axis=(0, 1), keepdims=True)
np.linalg.norm(c, axis=-1, keepdims=True).shape
np.linalg.norm(ones((0, 3)), 1)
np.linalg.norm(ones((0, 3)), 2)
np.linalg.norm(array([3, 4], dtype=float32))
np.linalg.vector_norm(c)
np.linalg.vector_norm(c, axis=(0, 1), ord=1)
np.linalg.vector_norm([], ord=np.inf)
np.linalg.matrix_norm(c)
np.linalg.matrix_norm(c, ord='nuc', keepdims=True).shape
np.linalg.matrix_norm(c, ord=2)
np.linalg.matrix_norm(c, ord=-1)
np.round(np.linalg.cond([[1., 2.], [3., 4.]]), 10)
np.round(np.linalg.cond([[1., 2.], [3., 4.]], -2), 10)
np.round(np.linalg.cond(b), 10)
np.round(np.linalg.cond([[1., 2.], [3., 4.]], 1), 10)
np.round(np.linalg.cond([[1., 2.], [3., 4.]], 'fro'), 10)
np.linalg.cond(zeros((2, 2)))
np.linalg.cond(zeros((2, 2)), 1)
np.linalg.cond(np.eye(2) * [1, 0], np.inf)
np.linalg.cond([[1, 2], [2, 4]], 1) > 1e15
np.linalg.matrix_rank(a)
np.linalg.matrix_rank(np.eye(4))
np.linalg.matrix_rank([[1., 2.], [2., 4.]])
np.linalg.matrix_rank(ones((2, 3, 3)))
np.linalg.matrix_rank(np.eye(3) * [1, 1e-3, 1e-6], tol=1e-4)
np.linalg.matrix_rank(np.eye(3) * [1, 1e-3, 1e-6], rtol=1e-2)
np.linalg.matrix_rank(np.eye(3) * [1, -1e-3, 0], hermitian=True)
np.linalg.matrix_rank([0, 0])
np.linalg.matrix_rank([0, 1])
np.linalg.pinv([[1., 2.], [3., 4.], [5., 6.]])
np.linalg.pinv(np.eye(2) * [2, 4])
np.linalg.pinv(np.eye(2) * [2, 1e-8], rcond=1e-6)
np.linalg.pinv([[2., 1.], [1., 2.]], hermitian=True)
np.linalg.pinv(ones((0, 2)))
np.linalg.lstsq([[1., 2.], [3., 4.], [5., 6.]], [1., 2., 4.])[0]
np.linalg.lstsq([[1., 2.], [3., 4.], [5., 6.]], [1., 2., 4.])[1]
np.linalg.lstsq([[1., 2.], [3., 4.], [5., 6.]], [1., 2., 4.])[2]
np.linalg.lstsq([[1., 2.], [3., 4.], [5., 6.]], [1., 2., 4.], rcond=None)[3]
np.linalg.lstsq([[1., 2.], [3., 4.], [5., 6.]], [[1., 0.], [2., 1.], [4., 1.]])[1]
np.linalg.lstsq([[1., 2.], [2., 4.], [3., 6.]], [1., 2., 4.])[1]
np.linalg.lstsq([[1., 2., 3.], [3., 4., 7.]], [1., 2.])[0]
np.linalg.matrix_power([[1, 1], [1, 0]], 10)
np.linalg.matrix_power([[1, 1], [1, 0]], 0)
np.linalg.matrix_power([[1, 1], [1, 0]], 1)
np.linalg.matrix_power([[2., 1.], [1., 3.]], -2)
np.linalg.matrix_power(c[:, :2, :2], 3).shape
np.linalg.trace(c, offset=1)
np.linalg.diagonal(c)
np.linalg.cross([1, 2, 3], [4, 5, 6])
np.linalg.matrix_transpose(a)
np.linalg.outer(n, n)
np.linalg.matmul(a, b.T)
np.linalg.tensordot(a, b, axes=2)
np.linalg.vecdot(a, b)
from numpy.linalg import norm, svd; norm(svd(a)[1]).round(10)
import numpy.linalg as la; la.norm(x)
np.polyfit([0., 1., 2., 3.], [1., 3., 5., 7.], 1).round(10)
np.polyfit([0, 1, 2, 3], [0, 1, 4, 10], 2).round(10)
np.polyfit([0., 1., 2.], [[1., 0.], [2., 1.], [3., 4.]], 2).round(10) + 0
np.polyfit(array([0, 1, 2, 3], dtype=float32), array([1, 3, 5, 7], dtype=float32), 1).dtype == np.float64
np.sort(np.roots([1, -6, 11, -6])).round(10)
np.roots([1, 0, 1]).imag
np.sort(np.roots([0, 0, 2, -3, 1, 0, 0])).round(10)
np.roots([5.])
np.roots([0, 0])
np.roots([2, 4])
k = ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'l2norm'); k(a, axis=1)
k = ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'l2norm'); k(a)
k = ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0'); k(c, axis=(0, -1), keepdims=True)
k = ReductionKernel('T x', 'T y', 'x', 'max(a, b)', 'y = a', None, name='most'); k(c, axis=1)
k = ReductionKernel('T x, T y', 'float64 z', 'x * y, i', 'a0 + b0, b1', 'z = a0 * 100 + a1', '0, 0'); k(a, b[0], axis=0)
k = ReductionKernel('T x, T y', 'T z', 'x, y', 'a0 * b0, a1 * b0 + b1', 'z = a0 + a1', '1, 0'); k(c, 2, axis=2)
k = ReductionKernel('T x', 'int64 y', '(x > 0) * 1', 'a + b', 'y = a', '0'); k(n) * 100 + k(x) * 10 + k(m)
k = ReductionKernel('T x', 'int64 y', 'x', 'a + b', 'y = a', '0', 'wide', 'int64'); k(i8) * 1000 + k(u8)
k = ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a + 1', identity='3'); k(zeros((2, 0)), axis=1)
k = ReductionKernel('T x', 'T y', 'x * n', 'b', 'y = a', None); k(a, axis=()) + k(a, axis=0) + k(s)
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


def hybrid(name):
    """Python's function of numbers and lists of them, NumPy's of anything else."""
    python, numpy = getattr(builtins, name), getattr(np, name)
    numbers = (bool, int, float, complex)

    def call(*args, **keywords):
        listed = len(args) == 1 and isinstance(args[0], (tuple, list, range))
        items = args[0] if listed else args
        one = name in ("abs", "round")
        if not keywords and all(type(x) in numbers for x in items) and not (listed and one):
            if listed or one or len(args) > 1:
                return python(*args)
        return numpy(*args, **keywords)

    return call


class ReductionKernel:
    """Over one element after the other, in C order; of texts that mean the same in C and in Python."""

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity=None, name="", reduce_type=None):
        self.inputs = [p.split()[1] for p in in_params.split(",")]
        self.dtype, self.output = out_params.split()
        self.map, self.reduce, self.identity = map_expr, reduce_expr, identity
        self.post = post_map_expr.split("=")[1]

    @staticmethod
    def values(text, scope):
        found = eval(text, {"sqrt": np.sqrt}, scope)
        return found if isinstance(found, tuple) else (found,)

    @staticmethod
    def accumulators(letter, values):
        return {f"{letter}{k}": v for k, v in enumerate(values)} | {letter: values[0]}

    def __call__(self, *args, axis=None, keepdims=False):
        arrays = np.broadcast_arrays(*args)
        axes = range(arrays[0].ndim) if axis is None else np.atleast_1d(np.array(axis, int)) % max(arrays[0].ndim, 1)
        shape = [1 if d in axes else n for d, n in enumerate(arrays[0].shape)]
        results = {at: None for at in np.ndindex(*shape)}
        for i, at in enumerate(np.ndindex(*arrays[0].shape)):
            scope = dict(zip(self.inputs, (x[at].item() for x in arrays)), i=i, n=arrays[0].size)
            to = tuple(0 if d in axes else k for d, k in enumerate(at))
            value, before = self.values(self.map, scope), results[to]
            if before is not None:
                value = self.values(self.reduce, self.accumulators("a", before) | self.accumulators("b", value))
            results[to] = value
        dtype = np.asarray(args[0]).dtype if self.dtype == "T" else self.dtype
        out = np.zeros(shape, dtype)
        for at, value in results.items():
            value = self.values(self.identity, {}) if value is None else value
            out[at] = self.values(self.post, self.accumulators("a", value))[0]
        return out if keepdims else out.reshape([n for d, n in enumerate(arrays[0].shape) if d not in axes])


def names():
    """NumPy's names without a prefix, but for Python's own."""
    keep = {"bool", "int", "float", "complex", "len", "range", "list", "tuple", "divmod"}
    found = {k: getattr(np, k) for k in dir(np) if not k.startswith("_") and k not in keep}
    found.update({k: getattr(builtins, k) for k in keep})
    found.update({k: hybrid(k) for k in ("min", "max", "sum", "abs", "round", "pow")})
    found["sliding_window_view"] = np.lib.stride_tricks.sliding_window_view
    found["np"] = np
    found["ReductionKernel"] = ReductionKernel
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
