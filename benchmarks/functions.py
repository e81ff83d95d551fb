"""A line of each function of arrays, as the tables in expressions/ have them: what a survey of all finds is slow here and fast in a peer.

usage: functions.py SCALE > TABLE

SCALE divides the sizes: 1 is for GPUs (16 M elements), 16 for CPUs (1 M), 128 shows what a call costs.
"""
import math
import sys

K = int(sys.argv[1])
N = max((16 << 20) // K, 1)
R = math.isqrt(N)  # of a square
out = []


def line(name, setup, text):
    out.append(f"{name} | {setup} | {text}")


def f4(setup):
    """The same numbers as float32."""
    return setup.replace("x = ", "x = astype(").replace("z = ", "z = astype(") + ", float32)"


x = f"x = sin(arange({N}) * 0.37) * 5"
u = f"x = sin(arange({N}) * 0.37)"
p = f"x = abs(sin(arange({N}) * 0.37)) * 20 + 0.01"
z = f"z = cos(arange({N}) * 0.17) * 5"
k = f"k = astype(sin(arange({N}) * 0.37) * 1000, int64)"
for f, s in [(f, x) for f in "exp expm1 exp2 sin cos tan arctan sinh cosh tanh arcsinh cbrt floor rint trunc sign signbit isfinite sinc i0 square degrees nan_to_num fabs spacing".split()] + \
        [(f, u) for f in "arcsin arccos arctanh".split()] + [(f, p) for f in "log log2 log10 log1p sqrt reciprocal".split()]:
    line(f, s, f"y = {f}(x)")
    if f in "exp expm1 sin tan arctan tanh cbrt log log1p arcsin sinh".split():
        line(f + "_f32", f4(s), f"y = {f}(x)")
line("arccosh", p + " + 1", "y = arccosh(x)")
line("exp_wide", f"x = sin(arange({N}) * 0.37) * 700", "y = exp(x)")
line("sin_wide", f"x = sin(arange({N}) * 0.37) * 100000", "y = sin(x)")
line("sin_wide_f32", f"x = astype(sin(arange({N}) * 0.37) * 100000, float32)", "y = sin(x)")
for f in "copysign nextafter hypot arctan2 fmod remainder floor_divide logaddexp logaddexp2 maximum fmax heaviside ldexp float_power".split():
    a, b = (p, z) if f == "float_power" else (x, z)
    if f == "ldexp":
        b = f"z = astype(cos(arange({N}) * 0.17) * 5, int32)"
    line(f, a + "; " + b, f"y = {f}(x, z)")
    if f in "logaddexp remainder arctan2".split():
        line(f + "_f32", f4(a) + "; " + f4(b), f"y = {f}(x, z)")
line("power", p + "; " + z, "y = x ** z")
line("power_f32", f4(p) + "; " + f4(z), "y = x ** z")
line("power_half", p, "y = x ** 0.5 + x ** -1")
line("power_int", f"k = astype(arange({N}) % 13, int64)", "y = k ** 5")
line("power_ints", f"k = astype(arange({N}) % 13, int64); m = astype(arange({N}) % 7, int64)", "y = k ** m")
for f in "gcd lcm floor_divide remainder bitwise_xor left_shift".split():
    line(f + "_i64", f"k = astype(arange({N}) * 7919 % 1000 + 1, int64); m = astype(arange({N}) * 31 % 17 + 1, int64)", f"y = {f}(k, m)")
line("divide_i32", f"k = astype(arange({N}) * 7919 % 1000 + 1, int32); m = astype(arange({N}) * 31 % 17 + 1, int32)", "y = k // m + k % m")
line("truediv_i32", f"k = astype(arange({N}) * 7919 % 1000 + 1, int32); m = astype(arange({N}) * 31 % 17 + 1, int32)", "y = k / m")
line("mul_i8", f"k = astype(arange({N}) % 100, int8)", "y = k * k + k")
line("bit_count", k, "y = bitwise_count(k)")
line("modf", x, "a, b = modf(x); y = a + b")
line("divmod", x + "; " + z, "a, b = divmod(x, z); y = a + b")
c = f"c = sin(arange({N}) * 0.37) * 3 + 1j * cos(arange({N}) * 0.17)"
for f in "exp log sqrt sin tanh abs angle conj reciprocal square".split():
    line("c_" + f, c, f"y = {f}(c)" if f in "abs angle" else f"y = abs({f}(c))")
line("c_div", c, "y = real(c / (c + 2))")
line("c_pow", c, "y = abs(c ** 2.5)")
line("c_mul_f32", c.replace("c = ", "c = astype(") + ", complex64)", "y = abs(c * c + c)")
line("half_exp", f"x = astype(sin(arange({N}) * 0.37), float16)", "y = exp(x) * x")
# reductions
M = f"x = reshape(sin(arange({R}*{R}) * 0.37), ({R}, {R}))"
F = f"x = astype(reshape(sin(arange({R}*{R}) * 0.37), ({R}, {R})), float32)"
for f in "sum mean var std max argmax prod any all ptp nansum nanmax nanmean nanstd median nanmedian count_nonzero argmin cumsum".split():
    line(f, M, f"y = {f}(x)" if f != "cumsum" else "y = cumsum(x)")
    for ax in (0, 1):
        line(f"{f}_{ax}", M, f"y = {f}(x, axis={ax})")
for f in "sum max mean var argmin cumsum".split():
    for ax in (0, 1):
        line(f"{f}_f32_{ax}", F, f"y = {f}(x, axis={ax})")
line("sum_u8", f"k = astype(arange({N}) % 251, uint8)", "y = sum(k)")
line("sum_i8_0", f"k = astype(reshape(arange({R}*{R}) % 100, ({R}, {R})), int8)", "y = sum(k, axis=0)")
line("mean_i32_1", f"k = astype(reshape(arange({R}*{R}) % 1000, ({R}, {R})), int32)", "y = mean(k, axis=1)")
line("sum_bool_1", M, "y = sum(x > 0.5, axis=1)")
line("sum_c", c, "y = abs(sum(c)) + zeros(1)")
line("sum_mid", f"x = reshape(sin(arange({N//64}*64) * 0.37), (64, {N//4096}, 64))", "y = sum(x, axis=1)")
line("sum_02", f"x = reshape(sin(arange({N//64}*64) * 0.37), (64, {N//4096}, 64))", "y = sum(x, axis=(0, 2))")
line("sum_3", f"x = reshape(sin(arange({N//3}*3) * 0.37), ({N//3}, 3))", "y = sum(x * x, axis=1)")
line("max_3", f"x = reshape(sin(arange({N//3}*3) * 0.37), ({N//3}, 3))", "y = max(x, axis=1)")
line("sum_3_0", f"x = reshape(sin(arange({N//3}*3) * 0.37), (3, {N//3}))", "y = sum(x, axis=0)")
line("percentile", u, "y = percentile(x, [5, 50, 95])")
line("quantile_1", M, "y = quantile(x, 0.9, axis=1)")
line("average_w", u + "; w = abs(cos(arange(%d)))" % N, "y = average(x, weights=w) + zeros(1)")
line("norm_1", M, "y = linalg.norm(x, axis=1)")
line("cumprod", f"x = 1 + sin(arange({N}) * 0.37) * 1e-4", "y = cumprod(x)")
line("cummax", u, "y = maximum.accumulate(x)")
line("cumsum_i32", f"k = astype(arange({N}) % 100, int32)", "y = cumsum(k)")
line("diff_n2", u, "y = diff(x, n=2)")
line("gradient", u, "y = gradient(x)")
line("gradient2", M, "a, b = gradient(x); y = a + b")
line("trapezoid", u, "y = trapezoid(x, dx=0.1) + zeros(1)")
line("cov", f"x = reshape(sin(arange({N//64}*64) * 0.37), (64, {N//64}))", "y = cov(x)")
line("corrcoef", f"x = reshape(sin(arange({N//64}*64) * 0.37), (64, {N//64}))", "y = corrcoef(x)")
# order
line("histogram", u, "h, e = histogram(x, 64); y = h")
line("bincount_w", f"k = astype(arange({N}) * 7919 % 1000, int64); w = sin(arange({N}) * 0.37)", "y = bincount(k, weights=w, minlength=1000)")
line("digitize", u + "; b = linspace(-1, 1, 1000)", "y = digitize(x, b)")
line("searchsorted", u + "; b = linspace(-1, 1, 100000)", "y = searchsorted(b, x)")
line("interp", u + "; b = linspace(-1, 1, 1000); v = b * b", "y = interp(x, b, v)")
line("unique", f"k = astype(arange({N}) * 7919 % 10007, int64)", "y = unique(k)")
line("isin", f"k = astype(arange({N}) * 7919 % 10007, int64); m = astype(arange(1000) * 7, int64)", "y = isin(k, m)")
line("union1d", f"k = astype(arange({N//4}) * 7919 % 10007, int64); m = astype(arange({N//4}) * 7, int64)", "y = union1d(k, m)")
line("sort_0", M, "y = sort(x, axis=0)")
line("sort_1", M, "y = sort(x, axis=1)")
line("argsort_0", M, "y = argsort(x, axis=0)")
line("argsort_1", M, "y = argsort(x, axis=1)")
line("sort_i32", f"k = astype(arange({N//2}) * 7919 % 1000003, int32)", "y = sort(k)")
line("partition", f"x = sin(arange({N//4}) * 0.37)", "y = partition(x, 1000)[:1000]")
# selecting
line("where3", x + "; " + z, "y = where(x > 0, x, where(z > 0, z, -x))")
line("select", x + "; " + z, "y = select([x > 2, x > 0], [z, x], 0)")
line("mask", u, "y = x[x > 0.5]")
line("mask2", u + "; z = cos(arange(%d) * 0.17)" % N, "y = z[(x > 0.5) & (z < 0.5)]")
line("nonzero", u, "a, = nonzero(x > 0.9); y = a")
line("argwhere", M, "y = argwhere(x > 0.9)")
line("mask_set", u, "y = x + 0; y[x > 0.5] = 0")
line("take1", M + f"; i = astype(arange({R}) * 7 % {R}, int64)", "y = take(x, i, axis=1)")
line("take0", M + f"; i = astype(arange({R}) * 7 % {R}, int64)", "y = take(x, i, axis=0)")
line("fancy2", M + f"; i = astype(arange({N//4}) * 7919 % {R}, int64); j = astype(arange({N//4}) * 31 % {R}, int64)", "y = x[i, j]")
line("take_along", M + f"; i = astype(reshape(arange({R}*{R}) * 7 % {R}, ({R}, {R})), int64)", "y = take_along_axis(x, i, axis=1)")
line("gather_i32", f"x = astype(sin(arange({N}) * 0.37), float32); i = astype(arange({N}) * 7919 % {N}, int32)", "y = x[i]")
line("scatter_add", f"i = astype(arange({N}) * 7919 % 100000, int64); v = sin(arange({N}) * 0.37)", "y = zeros(100000); add.at(y, i, v)")
line("set_rows", M + f"; i = astype(arange({R//2}) * 2, int64)", "y = x + 0; y[i] = 1")
# shapes
line("transpose", M, "y = x.T + 0")
line("transpose_f32", F, "y = x.T * 2")
line("perm", f"x = reshape(sin(arange({N//64}*64) * 0.37), ({N//4096}, 64, 64))", "y = transpose(x, (2, 0, 1)) + 0")
line("flipud", M, "y = flipud(x) + 0")
line("fliplr", M, "y = fliplr(x) + 0")
line("rot90", M, "y = rot90(x) + 0")
line("roll1", u, "y = roll(x, 1000)")
line("tile", f"x = sin(arange({N//8}) * 0.37)", "y = tile(x, 8)")
line("repeat0", f"x = reshape(sin(arange({R}*{R//4}) * 0.37), ({R//4}, {R}))", "y = repeat(x, 4, axis=0)")
line("pad_c", M, "y = pad(x, 1)")
line("pad_edge", M, 'y = pad(x, 1, mode="edge")')
line("pad_wrap", M, 'y = pad(x, 2, mode="wrap")')
line("pad_refl", M, 'y = pad(x, 2, mode="reflect")')
line("tril", M, "y = tril(x)")
line("diag", M, "y = diag(x) + 0")
line("hstack", M, "y = hstack((x, x * 2))")
line("vstack", M, "y = vstack((x, x * 2))")
line("dstack", M, "y = dstack((x, x * 2))")
line("block", f"x = reshape(sin(arange({R//2}*{R//2}) * 0.37), ({R//2}, {R//2}))", "y = block([[x, x * 2], [x + 1, -x]])")
line("meshgrid", f"a = linspace(0, 1, {R})", "p, q = meshgrid(a, a); y = p * q + p")
line("step_neg", u, "y = x[::-1] + 0")
line("step3", u, "y = x[::3] * 2")
line("evenodd", u, "y = x[::2] + x[1::2]")
line("downsample", M, "y = x[::2, ::2] + 0")
line("set_step", u, "y = x + 0; y[::2] = 0")
line("broadcast", M + f"; v = arange({R})", "y = x * v + v[:, None]")
line("astype_i32", x, "y = astype(x, int32)")
line("astype_u8", x, "y = astype(abs(x), uint8)")
line("astype_f32", x, "y = astype(x, float32)")
line("ravel_T", M, "y = ravel(x.T)")
# products
line("kron", f"a = reshape(sin(arange({R//16}*{R//16})), ({R//16}, {R//16})); b = reshape(cos(arange(256)), (16, 16))", "y = kron(a, b)")
line("outer", f"a = sin(arange({R}))", "y = outer(a, a)")
line("inner", M, f"y = inner(x[:64], x[:256])")
line("tensordot", f"a = reshape(sin(arange({N//64}*64) * 0.37), ({N//4096}, 64, 64)); b = reshape(cos(arange(64*64*16)), (64, 64, 16))", "y = tensordot(a, b, 2)")
line("einsum_row", M, 'y = einsum("ij,ij->i", x, x)')
line("einsum_diag", M, 'y = einsum("ii->i", x)')
line("einsum_bmm", f"a = reshape(sin(arange({N//64}*64) * 0.37), ({N//4096}, 64, 64))", 'y = einsum("bij,bkj->bik", a, a)')
line("einsum_outer", f"a = reshape(sin(arange({N//256}) * 0.37), ({N//4096}, 16))", 'y = einsum("bi,bj->bij", a, a)')
line("mm_f64", f"a = reshape(sin(arange({R//4}*{R//4}) * 0.37), ({R//4}, {R//4}))", "y = a @ a")
line("mm_i64", f"a = reshape(astype(arange({R//8}*{R//8}) % 10, int64), ({R//8}, {R//8}))", "y = a @ a")
line("mm_c", f"a = reshape(sin(arange({R//4}*{R//4}) * 0.37), ({R//4}, {R//4})) + 1j", "y = abs(a @ a)")
line("matvec", M + f"; v = sin(arange({R}))", "y = x @ v")
line("vecmat", M + f"; v = sin(arange({R}))", "y = v @ x")
line("batch_mm4", f"a = reshape(sin(arange({N//16}*16) * 0.37), ({N//16}, 4, 4))", "y = a @ a")
line("batch_mv", f"a = reshape(sin(arange({N//64}*64) * 0.37), ({N//64}, 8, 8)); v = reshape(sin(arange({N//8})), ({N//64}, 8, 1))", "y = a @ v")
line("mat_pow", f"a = reshape(sin(arange({R//8}*{R//8}) * 0.37), ({R//8}, {R//8})) / {R//8}", "y = linalg.matrix_power(a, 10)")
line("cross", f"a = reshape(sin(arange({N//8}*3) * 0.37), ({N//8}, 3)); b = reshape(cos(arange({N//8}*3) * 0.17), ({N//8}, 3))", "y = cross(a, b)")
line("vander", f"a = sin(arange({N//16}))", "y = vander(a, 8)")
line("trace", M, "y = trace(x) + zeros(1)")
B = f"a = reshape(sin(arange({N//1024}*1024) * 0.37), ({N//1024}, 32, 32)) + 40 * eye(32)"
S = f"b = reshape(sin(arange({R//4}*{R//4}) * 0.37), ({R//4}, {R//4})); a = b + b.T + {R} * eye({R//4})"
for f in "det inv".split():
    line("b_" + f, B, f"y = linalg.{f}(a)")
    line(f, S, f"y = linalg.{f}(a) + zeros(1)" if f == "det" else f"y = linalg.{f}(a)")
line("cholesky", S, "y = linalg.cholesky(a)")
line("solve", S, "y = linalg.solve(a, a[:, :8])")
line("b_solve", B, "y = linalg.solve(a, a[:, :, :1])")
line("qr", f"a = reshape(sin(arange({R//8}*{R//8}) ** 2), ({R//8}, {R//8}))", "q, r = linalg.qr(a); y = abs(r)")
line("eigvalsh", f"b = reshape(sin(arange({R//8}*{R//8}) ** 2), ({R//8}, {R//8})); a = b + b.T", "y = linalg.eigvalsh(a)")
line("svdvals", f"a = reshape(sin(arange({R//16}*{R//16}) ** 2), ({R//16}, {R//16}))", "y = linalg.svd(a, compute_uv=False)")
line("lstsq_pinv", f"a = reshape(sin(arange({R//8}*32) ** 2), ({R//8}, 32))", "y = linalg.pinv(a)")
line("fft", u, "y = abs(fft.fft(x))")
line("rfft", u, "y = abs(fft.rfft(x))")
line("fft_rows", M, "y = abs(fft.fft(x, axis=1))")
line("fft_cols", M, "y = abs(fft.fft(x, axis=0))")
line("fft2", M, "y = abs(fft.fft2(x))")
line("fft_low", M, "f = fft.rfft2(x); y = fft.irfft2(f * 0.5)")
line("fft_odd", f"x = reshape(sin(arange({R//4}*1000) * 0.37), ({R//4}, 1000))", "y = abs(fft.fft(x))")
line("fftshift", M, "y = fft.fftshift(x)")
line("convolve", f"x = sin(arange({N//4}) * 0.37); h = ones(31) / 31", 'y = convolve(x, h, mode="same")')
line("correlate", f"x = sin(arange({N//4}) * 0.37); h = sin(arange(9))", 'y = correlate(x, h, mode="valid")')
line("polyval", u, "y = polyval([1, 2, 3, 4, 5, 6], x)")
line("unwrap", x, "y = unwrap(x)")
line("ediff1d", u, "y = ediff1d(x)")
line("nan_to_num2", p, "y = nan_to_num(log(x - 1))")
line("clip_arr", x + "; " + z, "y = clip(x, -abs(z), abs(z))")
line("arange_gen", "a = arange(3)", f"y = arange({N}) * 0.5 + sum(a)")
line("linspace_gen", "a = arange(3)", f"y = exp(linspace(0, 1, {N})) + sum(a)")
line("geomspace_gen", "a = arange(3)", f"y = geomspace(1, 1000, {N}) + sum(a)")
line("eye_gen", "a = arange(3)", f"y = eye({R}) + sum(a)")
# mixed chains
line("zscore_all", M, "y = (x - mean(x)) / std(x)")
line("zscore_0", M, "y = (x - mean(x, axis=0)) / std(x, axis=0)")
line("minmax_0", M, "y = (x - min(x, axis=0)) / (max(x, axis=0) - min(x, axis=0))")
line("logsumexp_0", M, "m = max(x, axis=0); y = m + log(sum(exp(x - m), axis=0))")
line("rank_count", f"x = sin(arange({R*4}) * 0.37)", "y = sum(astype(x[:, None] > x[None, :], int64), axis=1)")
line("kmeans", f"x = reshape(sin(arange({N//16}*4) * 0.37), ({N//16}, 4)); m = reshape(sin(arange(64)), (16, 4))", "y = argmin(sum((x[:, None, :] - m[None, :, :])**2, axis=2), axis=1)")
line("entropy", p, "q = x / sum(x); y = -sum(q * log(q)) + zeros(1)")
line("huber", x + "; " + z, "d = abs(x - z); y = mean(where(d < 1, 0.5 * d * d, d - 0.5)) + zeros(1)")
line("haversine", x + "; " + z, "y = 2 * arcsin(sqrt(sin(x / 2) ** 2 + cos(x) * cos(z) * sin(z / 2) ** 2 / 2))")
line("lj", x, "r = 1 / (x * x + 0.1); s = r * r * r; y = 4 * s * (s - 1)")
line("laplace9", M, "y = x[:-2, :-2] + x[:-2, 2:] + x[2:, :-2] + x[2:, 2:] - 4 * x[1:-1, 1:-1]")
line("laplace3d", f"x = reshape(sin(arange({N//4096}*4096) * 0.37), ({N//4096}, 64, 64))", "y = x[2:, 1:-1, 1:-1] + x[:-2, 1:-1, 1:-1] + x[1:-1, 2:, 1:-1] + x[1:-1, :-2, 1:-1] + x[1:-1, 1:-1, 2:] + x[1:-1, 1:-1, :-2] - 6 * x[1:-1, 1:-1, 1:-1]")
line("gauss_kernel", f"x = sin(arange({R}) * 0.37)", "y = exp(-0.5 * (x[:, None] - x[None, :]) ** 2)")
line("layernorm_f32", F, "d = x - mean(x, axis=1, keepdims=True); y = d / sqrt(mean(d * d, axis=1, keepdims=True) + 1e-5)")
line("gelu_f32", F, "y = 0.5 * x * (1 + tanh(0.79788456 * (x + 0.044715 * x * x * x)))")
line("cumsum_norm", M, "y = cumsum(x, axis=1) / (1 + arange(x.shape[1]))")
line("running_max_dd", u, "c = cumsum(x); y = max(maximum.accumulate(c) - c) + zeros(1)")
line("onehot", f"k = astype(arange({N//64}) * 7919 % 64, int64)", "y = astype(k[:, None] == arange(64)[None, :], float32)")
line("seg_mean", f"x = reshape(sin(arange({N//10}*10) * 0.37), ({N//10}, 10))", "y = mean(x, axis=1)")
line("sum_10_0", f"x = reshape(sin(arange({N//10}*10) * 0.37), (10, {N//10}))", "y = sum(x, axis=0)")
line("sum_100", f"x = reshape(sin(arange({N//100}*100) * 0.37), ({N//100}, 100))", "y = sum(x, axis=1)")
line("dist_pt", f"x = reshape(sin(arange({N//3}*3) * 0.37), ({N//3}, 3)); q = arange(3)", "y = sqrt(sum((x - q) ** 2, axis=1))")
line("norm_rows3", f"x = reshape(sin(arange({N//3}*3) * 0.37), ({N//3}, 3))", "y = x / sqrt(sum(x * x, axis=1, keepdims=True))")
line("rotate_pts", f"x = reshape(sin(arange({N//3}*3) * 0.37), ({N//3}, 3)); r = reshape(cos(arange(9)), (3, 3))", "y = x @ r.T")
print("\n".join(out))
