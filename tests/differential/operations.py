"""What random expressions are made of: texts with places for operands and arguments, by what they do to errors.

{0} {1} {2} are operands; {axis} {axes} {index} ... are drawn by draw.py to fit the first one. The kinds:

EXACT     of exact operands the same to the last bit
ROUNDED   of exact operands within a few units in the last place
MOVING    elements go elsewhere, and their errors with them
LINEAR    sums of products of the operands: errors add up
BOUNDED   of exact operands within rounding of the largest that is added up
"""

import numpy as np

EXACT = """
np.select([{0} > 1, {0} < 0], [{0}, {1}], 0)
np.ix_([0, 1], [2])[{bit}]
{0}[np.ix_([0, -1], [1, 0])]
{0} // {1}
{0} % {1}
np.floor_divide({0}, {1})
np.remainder({0}, {1})
np.mod({0}, {1})
np.fmod({0}, {1})
divmod({0}, {1})[{bit}]
np.divmod({0}, {1})[{bit}]
np.sign({0})
np.floor({0})
np.ceil({0})
np.trunc({0})
np.round({0})
np.around({0}, {decimals})
np.rint({0})
np.fix({0})
{0}.round()
np.copysign({0}, {1})
np.nextafter({0}, {1})
np.signbit({0})
np.heaviside({0}, {1})
np.isfinite({0})
np.isinf({0})
np.isnan({0})
np.isposinf({0})
np.isneginf({0})
np.isreal({0})
np.iscomplex({0})
np.nan_to_num({0})
np.nan_to_num({0}, nan=1.5, posinf=2, neginf=-3)
np.isclose({0}, {1})
np.isclose({0}, {1}, rtol=0.25, atol=0.5, equal_nan=True)
np.allclose({0}, {1})
np.array_equal({0}, {1})
np.array_equal({0}, {0})
{0} == {1}
{0} != {1}
{0} < {1}
{0} <= {1}
{0} > {1}
{0} >= {1}
np.equal({0}, {1})
np.not_equal({0}, {1})
np.less({0}, {1})
np.less_equal({0}, {1})
np.greater({0}, {1})
np.greater_equal({0}, {1})
np.logical_and({0}, {1})
np.logical_or({0}, {1})
np.logical_xor({0}, {1})
np.logical_not({0})
{0} & {1}
{0} | {1}
{0} ^ {1}
~{0}
np.bitwise_and({0}, {1})
np.bitwise_or({0}, {1})
np.bitwise_xor({0}, {1})
np.bitwise_invert({0})
np.bitwise_count({0})
np.invert({0})
np.bitwise_not({0})
{0} << {shift}
{0} >> {shift}
np.bitwise_left_shift({0}, {shift})
np.bitwise_right_shift({0}, {shift})
np.left_shift({0}, {shift})
np.right_shift({0}, {shift})
np.sort({0}, axis={axis})
np.sort({0}, axis=None)
np.argsort({0}, axis={axis}, stable=True)
np.argmax({0})
np.argmax({0}, axis={axis}, keepdims={flag})
np.argmin({0}, axis={axis})
{0}.argmin()
np.any({0})
np.any({0}, axis={axes}, keepdims={flag})
np.all({0}, axis={axes})
{0}.all(axis={axis})
np.count_nonzero({0})
np.count_nonzero({0}, axis={axes}, keepdims={flag})
np.astype({0}, {safe})
{0}.astype({safe})
np.take_along_axis({0}, np.argsort({0}, axis={axis}, stable=True), axis={axis})
np.where({0} > {1}, {0}, {1})
np.where({0}, {1}, {2})
np.full({shape}, {0})
np.full_like({0}, {1})
np.zeros_like({0})
np.ones_like({0}, dtype={dtype})
np.asarray(np.empty_like({0}).shape)
np.zeros({0}.shape, dtype={dtype})
np.ones({shape}, dtype={dtype})
np.empty({shape}).size + {0}
np.eye({small}, {small}, k={offset}, dtype={dtype})
np.identity({small})
np.indices({shape})
np.arange({offset}, {shift})
np.arange({shift}, dtype={dtype})
np.size({0}) * {1}
np.ndim({0}) + {1}
np.asarray(np.shape({0}))
len({0}.shape) * {1}
{0}.nbytes + {0}.itemsize
np.result_type({0}, {1}) == {0}.dtype
np.promote_types({dtype}, {dtype}) == {0}.dtype
np.can_cast({dtype}, {dtype})
np.iinfo(np.int16).max + {0}
np.finfo(np.float32).eps + {0}
np.isdtype({0}.dtype, 'integral')
np.dtype({dtype}) == {0}.dtype
np.argwhere(np.atleast_1d({0}))
np.flatnonzero({0})
np.nonzero({0})[0]
np.searchsorted(np.sort({0}, axis=None), {1})
np.searchsorted(np.sort({0}, axis=None), {1}, side='right')
{0}[{0} > 0]
np.tri({small}, {small}, {offset}, dtype={dtype})
np.unravel_index({shift}, (3, 4))[{bit}] + {0}
np.ravel_multi_index((np.array([0, 1]), np.array([2, 0])), (2, 3)) + {offset}
np.diag_indices({small})[{bit}]
np.ravel({0})[:1].item() * 0.5
np.modf({0})[{bit}]
np.meshgrid({0}, {1})[{bit}]
np.meshgrid({0}, {1}, indexing='ij')[{bit}]
np.diff({0}.astype(np.int64), axis={axis}, n={bit})
np.ediff1d({0})
np.gcd({0}, {1})
np.trim_zeros(np.ravel({0}))
np.piecewise({0}, [{0} == 0], [1, 2])
np.lcm({0}, {small})
np.unique({0}, axis={axis})
np.unique({0}.astype(np.int8), axis=0, return_inverse=True, return_counts=True)[{bit}]
np.unique(np.sign({0}), axis=-1, return_index=True)[1]
np.nanargmax({0})
np.nanargmin({0}, axis={axis})
np.choose(({0} != 0).astype(np.uint8), [{1}, {2}])
np.choose(({0} != 0).astype(np.int64), [1, 2], mode='wrap')
np.choose(({0} != 0).astype(np.int64), [[1], [2]], mode='clip')
np.frexp({0})[1]
np.tril_indices({small}, {offset})[{bit}]
np.triu_indices({small}, {offset})[{bit}]
np.tril_indices_from({0}, {offset})[{bit}]
np.triu_indices_from({0})[{bit}]
np.diag_indices_from({0})[{bit}]
np.array_equiv({0}, {1})
np.issubdtype({0}.dtype, np.integer)
np.isrealobj({0})
np.iscomplexobj({0})
np.iterable({0})
np.asarray(np.broadcast_shapes({shape}, {shape}))
np.bitwise_or.reduce(np.atleast_1d({0}))
np.bitwise_xor.reduce({0}, axis={axis})
np.logical_xor.reduce(np.atleast_1d({0}), axis=-1, keepdims={flag})
np.logical_or.accumulate({0})
np.all({0}, axis={axis}, where={mask})
np.count_nonzero(np.atleast_1d({0}))
np.fromiter(np.ravel({0}).tolist(), dtype=np.float64)
np.nancumsum({0}.astype(np.int64), axis={axis})
np.bincount({0}.astype(np.uint8).ravel())
np.bincount({0}.astype(np.uint8).ravel(), minlength={shift})
np.digitize({0}, [-1.5, 0, 2])
np.digitize({0}, [5, 1, -2.5], right=True)
np.histogram({0}, bins={small})[0]
np.isin({0}, {1})
np.lexsort((np.atleast_1d({0}), np.atleast_1d({1})))
np.sort(np.partition({0}, 0, axis={axis}), axis={axis})
np.sort(np.take_along_axis({0}, np.argpartition({0}, 0, axis={axis}), axis={axis}), axis={axis})
np.unique({0})
np.unique({0}, return_inverse=True)[1]
np.unique({0}, return_counts=True)[{bit}]
np.sort(np.unique_values({0}))
np.unique_counts({0})[1]
np.unique_inverse({0})[1]
np.unique_all({0})[1]
np.modf({0})[{bit}]
np.tri({small}, 3, {offset}, dtype={dtype})
np.diag_indices({small})[{bit}]
np.ravel_multi_index(([{bit}, 1], [{bit}, 0]), (2, 3))
np.unravel_index(np.arange(5), (2, 3))[{bit}]
"""

ROUNDED = """
np.fft.fftfreq({small}, 0.25) * {0}
np.fft.rfftfreq({small}) + {0}
{0} / {1}
{0} ** {1}
{0} ** 2
np.divide({0}, {1})
np.true_divide({0}, {1})
np.power({0}, {1})
np.pow({0}, {1})
np.float_power({0}, {1})
np.reciprocal({0})
np.square({0})
np.sqrt({0})
np.cbrt({0})
np.exp({0})
np.exp2({0})
np.expm1({0})
np.log({0})
np.log1p({0})
np.log2({0})
np.log10({0})
np.hypot({0}, {1})
np.sin({0})
np.cos({0})
np.tan({0})
np.asin({0})
np.arcsin({0})
np.acos({0})
np.arccos({0})
np.atan({0})
np.arctan({0})
np.atan2({0}, {1})
np.arctan2({0}, {1})
np.sinh({0})
np.cosh({0})
np.tanh({0})
np.asinh({0})
np.arcsinh({0})
np.acosh({0})
np.arccosh({0})
np.atanh({0})
np.arctanh({0})
np.degrees({0})
np.radians({0})
np.rad2deg({0})
np.deg2rad({0})
np.angle({0})
np.sinc({0})
np.abs({0})
np.prod({0})
np.prod({0}, axis={axes}, keepdims={flag})
{0}.prod(axis={axis})
np.nanprod({0}, axis={axis})
np.cumprod({0}, axis={axis})
np.nancumprod({0}, axis={axis})
np.add.outer({0}, {1}) * 1
np.power.outer({0}, [1, 2])
np.ldexp({0}, {small})
np.frexp({0})[0]
np.spacing({0})
np.i0({0})
np.hanning({shift})
np.hamming({shift})
np.blackman({shift})
np.bartlett({shift})
np.kaiser({shift}, {small})
np.cumulative_prod({0}, axis={axis}, include_initial={flag})
{0}.astype({dtype})
np.linspace({offset}, {shift}, {small})
np.linspace({offset}, {shift}, {small}, endpoint={flag}, dtype={floating})
np.arange({offset}, {shift}, 0.25)
np.vander({0}, 3)
np.vander({0}, {small}, increasing=True)
np.logspace({offset}, {small}, {shift}, base=2.0)
np.geomspace({small}, 50, {shift})
"""

MOVING = """
np.fft.fftshift({0})
np.fft.ifftshift({0}, axes={axis})
+{0}
-{0}
abs({0})
np.absolute({0})
np.fabs({0})
np.positive({0})
np.negative({0})
np.conj({0})
np.conjugate({0})
{0}.conj()
np.real({0})
np.imag({0})
{0}.real
{0}.imag
{0}.T
{0}.mT
{0}[{index}]
{0}[{index}]
{0}[{index}]
{0}.copy()
np.copy({0})
np.asarray({0})
np.array({0})
np.asanyarray({0})
np.ascontiguousarray({0})
np.asfortranarray({0})
{0}.flat[1:]
np.reshape({0}, {reshaped})
{0}.reshape({reshaped})
{0}.flatten()
np.ravel({0})
{0}.ravel()
np.permute_dims({0}, {order})
np.transpose({0}, {order})
{0}.transpose({order})
np.transpose({0})
np.matrix_transpose({0})
np.moveaxis({0}, {axis}, {axis})
np.rollaxis({0}, {axis})
np.swapaxes({0}, {axis}, {axis})
{0}.swapaxes({axis}, {axis})
np.expand_dims({0}, {axis})
np.squeeze({0})
{0}[None].squeeze(0)
np.atleast_1d({0})
np.atleast_2d({0})
np.atleast_3d({0})
np.broadcast_to({0}, {broadcast})
np.broadcast_arrays({0}, {1})[{bit}]
np.flip({0})
np.flip({0}, axis={axes})
np.flipud({0})
np.fliplr({0})
np.rot90({0}, {offset})
np.roll({0}, {offset})
np.roll({0}, {offset}, axis={axis})
np.tile({0}, {reps})
np.repeat({0}, {small})
np.repeat({0}, {small}, axis={axis})
{0}.repeat({small}, axis={axis})
np.pad({0}, {bit})
np.pad({0}, ({bit}, {small}), mode='edge')
np.pad({0}, 1, mode='reflect')
np.pad({0}, {bit}, mode='wrap')
np.pad({0}, ({bit}, {small}), mode='symmetric')
np.pad({0}, ({bit}, 2), constant_values=(1, 2))
np.lib.stride_tricks.sliding_window_view({0}, {small}, axis={axis})
np.insert({0}, [0, {bit}, {bit}], 1, axis={axis})
np.insert(np.ravel({0}), slice(0, 2), [1, 2])
np.delete({0}, slice({bit}, None, 2), axis={axis})
np.delete(np.ravel({0}), [True] + [False] * (np.size({0}) - 1))
np.apply_along_axis(np.flip, {axis}, {0})
np.apply_along_axis(np.diag, {axis}, {0})
np.diagflat({0}, {offset})
np.take({0}, [0, 7], axis={axis}, mode='wrap')
np.take({0}, [-9, 7], mode='clip')
np.meshgrid({0}, {1}, sparse=True)[{bit}]
np.diagonal({0}, {offset})
np.linalg.diagonal(np.atleast_2d({0}), offset={offset})
np.linalg.matrix_transpose(np.atleast_2d({0}))
np.diagonal({0}, {offset}, 0, -1)
{0}.diagonal()
np.diag({0}, {offset})
np.tril({0}, {offset})
np.triu({0}, {offset})
np.concat([{0}, {1}], axis={axis})
np.concatenate(({0}, {1}))
np.concat(({0}, {1}), axis=None)
np.stack([{0}, {0}], axis={axis})
np.vstack([{0}, {1}])
np.hstack([{0}, {1}])
np.dstack([{0}, {0}])
np.column_stack([{0}, {1}])
np.append({0}, {1})
np.append({0}, {1}, axis={axis})
np.unstack({0}, axis={axis})[0]
np.split({0}, {parts}, axis={axis})[-1]
np.array_split({0}, {small}, axis={axis})[0]
np.hsplit({0}, {parts})[0]
np.vsplit({0}, {parts})[-1]
np.dsplit({0}, 1)[0]
np.take({0}, {places}, axis={axis})
np.take({0}, [0, -1])
{0}.take({places}, axis={axis})
np.where({mask}, {0}, {1})
np.delete({0}, {bit}, axis={axis})
np.delete({0}, [0, -1])
np.insert({0}, {bit}, {0}, axis=0)
np.insert(np.ravel({0}), {bit}, 1)
np.resize({0}, {shape})
np.block([{0}, {0}])
{0}.view()
np.array({0}.tolist())
np.compress([True, False, True], {0}, axis={axis})
np.extract({mask}, {0})
{0}[np.array({places})]
{0}[..., np.array([0, -1])]
{0}[{mask}]
np.resize({0}, {shape})
np.insert({0}, {bit}, 1, axis={axis})
np.delete({0}, 0, axis={axis})
np.delete({0}, {places}, axis={axis})
np.block([[{0}, {0}], [{0}, {0}]])
np.reshape({0}, {reshaped}, order='F')
{0}.ravel(order='F')
{0}.view()
np.array({0}.tolist(), dtype=np.complex128)
"""

LINEAR = """
{0} + {1}
{0} + {1}
{0} * {1}
{0} * {1}
np.add({0}, {1})
np.multiply({0}, {1})
np.sum({0})
np.sum({0}, axis={axes}, keepdims={flag})
np.sum({0}, axis={axis}, dtype={floating})
{0}.sum(axis={axis})
np.nansum({0}, axis={axis})
np.nancumsum({0}, axis={axis})
np.sum({0}, where={mask})
np.sum({0}, axis={axis}, initial=1)
np.mean({0}, where={mask})
np.add.reduceat({0}, [0, {bit}], axis={axis})
np.apply_over_axes(np.sum, np.atleast_1d({0}), [0, -1])
np.mean({0})
np.mean({0}, axis={axes}, keepdims={flag})
{0}.mean(axis={axis})
np.cumsum({0})
np.cumsum({0}, axis={axis})
np.cumulative_sum({0}, axis={axis}, include_initial={flag})
np.trace({0}, {offset})
np.linalg.trace(np.atleast_2d({0}), offset={offset})
{0}.trace()
{0} @ {1}
{0} @ {0}.mT
np.matmul({0}, {1})
np.dot({0}, {1})
{0}.dot({1})
np.inner({0}, {1})
np.outer({0}, {1})
np.linalg.outer(np.ravel({0}), np.ravel({1}))
np.linalg.tensordot({0}, {1}, axes={bit})
np.linalg.vecdot({0}, {1})
np.linalg.matmul({0}, {1})
np.linalg.matrix_power(np.ravel({0})[:4].reshape(2, 2), {bit})
np.kron({0}, {1})
np.einsum('...,...', {0}, {1})
np.einsum('...i,i...->i', {0}, {0}.T)
np.linalg.multi_dot([np.atleast_2d({0}).T, np.atleast_2d({0})])
np.tensordot({0}, {1}, axes={bit})
np.vecdot({0}, {1})
np.vdot({0}, {0})
np.trapezoid({0})
np.convolve({0}, {1})
np.convolve({0}, {1}, 'same')
np.correlate({0}, {1}, 'full')
np.correlate({0}, {1})
np.fft.fft({0}, axis={axis})
np.fft.fft({0}, {small}, {axis}, 'ortho')
np.fft.ifft({0}, axis={axis}, norm='forward')
np.fft.fftn({0}, axes=[{axis}])
np.fft.ifftn(np.atleast_1d({0}), norm='forward')
np.fft.fft2(np.atleast_2d({0}))
np.fft.ifft2(np.atleast_2d({0}), norm='ortho')
np.fft.rfft({0}.real, axis={axis})
np.fft.irfft({0}, {small}, axis={axis}, norm='forward')
np.fft.rfftn({0}.real, [{small}], [{axis}])
np.fft.irfftn({0}, [{small}], [{axis}], norm='forward')
np.fft.rfft2(np.atleast_2d({0}).real)
np.fft.irfft2(np.atleast_2d({0}), [{small}, {small}])
np.fft.hfft({0}, {small}, axis={axis})
np.fft.ihfft({0}.real, axis={axis}, norm='forward')
np.polyval([2, 1], {0})
{0}.item(0) * np.ones(2)
"""

BOUNDED = """
np.linalg.cholesky(4 * np.eye(3) + np.isfinite({0}).sum() % 3, upper={flag})
np.linalg.solve(4 * np.eye(3) + np.isfinite({0}).sum() % 3, [1, 2, 3])
np.linalg.inv(4 * np.eye(3) + np.isfinite({0}).sum() % 3)
np.round(np.linalg.det(4 * np.eye(3) + np.isfinite({0}).sum() % 3), 6)
np.linalg.slogdet(4 * np.eye(3) + np.isfinite({0}).sum() % 3)[{bit}]
np.round(np.linalg.qr(np.arange(12.0).reshape(4, 3) ** 2 + np.isfinite({0}).sum() % 3)[{bit}], 9)
np.logaddexp({0}, {1})
{0} - {1}
np.subtract({0}, {1})
np.maximum({0}, {1})
np.minimum({0}, {1})
np.fmax({0}, {1})
np.fmin({0}, {1})
np.clip({0}, {1}, {2})
np.clip({0}, 0, 2)
{0}.clip(-1, 3)
np.max({0})
np.max({0}, axis={axis}, initial=1)
np.min({0}, where={mask}, initial=2)
np.maximum.accumulate({0}, axis={axis})
np.minimum.accumulate({0})
np.maximum.reduceat({0}, [0, {bit}], axis={axis})
np.gradient(np.ravel({0}), edge_order=2)
np.gradient(np.ravel({0})[:4], [0, 1, 3, 3.5])
np.ediff1d({0}, to_begin=1, to_end=[2, 3])
np.subtract.reduce({0}, axis={axis})
np.apply_along_axis(np.max, {axis}, {0})
np.logaddexp2({0}, {1})
np.linspace({0}, {1}, 4)
np.max({0}, axis={axes}, keepdims={flag})
np.min({0}, axis={axis})
np.amax({0}, axis={axis})
np.amin({0})
{0}.max()
np.nanmax({0}, axis={axis})
np.nanmin({0})
np.ptp({0}, axis={axis})
np.diff({0}, axis={axis})
np.diff({0}, axis={axis}, prepend={0}, append={0})
np.gradient({0}, axis={axis})
np.cross({0}[..., :3], {1}[..., :3])
np.linalg.cross({0}[..., :3], {1}[..., :3])
np.linalg.vector_norm({0}, ord=1, axis={axis})
np.linalg.norm(np.ravel({0}), 1)
np.linalg.matrix_norm(np.atleast_2d({0}), ord=1)
np.average({0}, axis={axis})
np.average({0}, weights=np.ones_like({0}))
np.nanmean({0}, axis={axis})
np.var({0})
np.var({0}, axis={axes}, keepdims={flag})
np.nanvar({0}, axis={axis})
np.cov({0})
np.cov({0}, rowvar=False, bias=True)
np.trapezoid({0}, dx=0.5, axis={axis})
np.convolve(np.ravel({0}), [1.0, 2.0])
np.convolve(np.ravel({0}), [1.0, 2.0, 0.5], mode='same')
np.correlate(np.ravel({0}), [1.0, 2.0], mode='valid')
np.interp({0}, [0.0, 1.0, 2.5], [1.0, 3.0, -1.0])
np.polyval([1.0, 2.0, 3.0], {0})
np.vander(np.ravel({0})[:3], {small})
np.unwrap(np.ravel({0}))
np.median({0})
np.median({0}, axis={axes}, keepdims={flag})
np.nanmedian({0}, axis={axis})
np.quantile({0}, 0.3, axis={axis})
np.percentile({0}, [20, 70], axis={axis}, method='lower')
np.nanquantile({0}, [0.1, 0.5], axis={axis})
np.nanpercentile({0}, 40)
np.histogram_bin_edges({0}, {small})
np.interp({0}, [-2, 0.5, 3], [1, 4, -2])
np.unwrap({0}, period=3.0)
"""

# Square roots of what is BOUNDED.
ROOTS = """
np.std({0})
np.std({0}, axis={axes}, keepdims={flag})
{0}.std(axis={axis})
np.nanstd({0}, axis={axis})
np.corrcoef({0})
np.linalg.norm({0})
np.linalg.norm({0}, axis={axis}, keepdims={flag})
np.linalg.vector_norm({0}, axis={axes}, keepdims={flag})
np.linalg.matrix_norm(np.atleast_2d({0}))
"""

# Statements: {t} is a new variable.
STATEMENTS = """
{t} = {0}.copy(); {t}[{index}] = {1}
{t} = {0}.copy(); {t}[{index}] += {1}
{t} = {0}.copy(); {t} += {1}
{t} = {0}.copy(); {t} *= {1}
{t} = {0}.copy(); {t} -= 1
{t} = {0}.copy(); {t}[{index}].sort()
{t} = {0}.copy(); {t}.sort(axis={axis})
{t} = {0}.copy(); {t}.fill(2)
{t} = {0}.copy(); np.put({t}, [0, -1], {1})
{t} = {0}.copy(); np.place({t}, {mask}, [1, 2])
{t} = {0}.copy(); np.putmask({t}, {mask}, {1})
{t} = {0}.copy(); np.copyto({t}, {0}.T)
{t} = {0}.copy(); np.fill_diagonal({t}, 3, wrap={flag})
{t} = {0}.copy(); {t}.flat[1:] = 2
{t} = {0}.copy(); {t}[{index}][...] = 1
{t} = {0}.copy(); np.add({t}, {0}, out={t})
{t} = {0}.copy(); np.negative({0}, out={t}, where={mask})
"""

# Where the library means something else, and says so (docs/expressions.md): what these texts match is left out if the
# condition holds of the operands' values and of NumPy's result.
def _complex(operands, _):
    return any(np.asarray(o).dtype.kind == "c" for o in operands)


DIFFERENT = [
    # complex numbers have no order but that of sort
    (r"maximum|minimum|np.max,|fmax|fmin|max\(|min\(|clip|searchsorted|argmax|argmin|ptp|less|greater| [<>]=? ", _complex),
    (r"median|quantile|percentile|histogram|digitize", _complex),
    # of nothing there is no quantile, and no place in an order
    (r"quantile|percentile|partition", lambda operands, result: np.size(operands[0]) == 0),
    # the dtype of nanquantile of float32 depends on the axis; between infinities there is no number
    (r"nanquantile|nanpercentile", lambda operands, result: np.asarray(operands[0]).dtype == "f4"),
    # between infinity and a number NumPy has nan even where no part of infinity is taken
    (r"quantile|percentile|median", lambda operands, result: not np.isfinite(operands[0]).all()),
    # steps of unsigned numbers and of bool wrap round in NumPy
    (r"unwrap", lambda operands, result: np.asarray(operands[0]).dtype.kind in "ub"),
    (r"cov", lambda operands, result: np.size(operands[0]) == 0),
    # rounded beyond int64
    (r"around|round", lambda operands, result: result.dtype.kind in "iu" and (np.abs(np.float64(operands[0])) > np.iinfo(result.dtype).max - 1000.0).any()),
    # weighted slopes, where NumPy weights the elements
    (r"gradient\(np.ravel", lambda operands, result: not (np.abs(np.asarray(operands[0], np.complex128)) < 1e6).all()),
    # of an infinity NumPy's is nan
    (r"np\.i0", lambda operands, result: not np.isfinite(np.asarray(operands[0], np.complex128)).all()),
    # of unsigned choices and negative numbers NumPy makes unsigned ones
    (r"choose", lambda operands, result: result.dtype.kind == "u"),
    # NumPy's differences of integers wrap where the dtype does not hold them
    (r"quantile|percentile", lambda operands, result: np.asarray(operands[0]).dtype.kind in "iu"
     and np.ptp(np.asarray(operands[0], float)) > np.iinfo(np.asarray(operands[0]).dtype).max * 0.49),
    # 0 * inf, with which NumPy begins a polynomial
    (r"polyval", lambda operands, result: not np.isfinite(operands[0]).all()),
    # integers of Python's that int64 does not hold
    (r"tolist|item", lambda operands, result: np.asarray(operands[0]).dtype == np.uint64),
    # functions of real numbers take all integers as float64, where NumPy has float32 and float16
    (r"", lambda operands, result: result.dtype == "f4" and all(np.asarray(o).dtype.kind in "biu" for o in operands)),
    # a reciprocal is floating, a clipped array keeps its dtype, bool ** 2 is what bool ** 3 is
    (r"reciprocal", lambda operands, result: result.dtype.kind in "biu"),
    (r"clip", lambda operands, result: result.dtype != np.asarray(operands[0]).dtype),
    (r"\*\* 2$", lambda operands, result: np.asarray(operands[0]).dtype == bool),
    # products of matrices are of numbers
    (r"@|matmul|dot|inner|tensordot", lambda operands, result: result.dtype == bool),
    # NumPy's BLAS leaves out what is multiplied by 0, also infinity
    (r"@|matmul|dot|einsum|inner|tensordot|convolve|correlate", lambda operands, _: not all(np.isfinite(o).all() for o in operands)),
    # numbers that a dtype cannot hold, and parts that it has no room for
    (r"astype|full|;", lambda operands, result: _complex(operands, result) and result.dtype.kind != "c"),
    (r"where|concat|append", lambda operands, result: any(np.ndim(o) == 0 for o in operands)
     and any(np.asarray(o).dtype.kind == "u" for o in [*operands, result])),
    (r"around|round", lambda operands, result: result.dtype.kind in "iu" and (np.abs(operands[0].astype(float)) > 1e15).any()),
    (r"\.astype|full", lambda operands, result: result.dtype.kind in "iu" and any(
        np.asarray(o).dtype.kind == "f" and not (np.abs(o) < (0 if result.dtype.kind == "u" else 100)).all()
        for o in operands)),
    # NumPy's differences of integers wrap
    (r"unwrap", lambda operands, result: np.asarray(operands[0]).dtype.kind in "biu"),
    # vectors of two numbers have no cross product, nothing has no correlation
    (r"cross", lambda operands, result: any(np.shape(o)[-1:] != (3,) for o in operands)),
    (r"corrcoef|cov", lambda operands, result: np.size(operands[0]) == 0),
    # an array without axes is a number
    (r"(?<![=!<>])=(?!=).*;|; .*=", lambda operands, result: result.ndim == 0),
]

# In the language's tables, but not in random expressions, and why.
APART = {
    "erf": "not NumPy's", "erfc": "not NumPy's", "unstack": "in MOVING", "range": "Python's", "list": "Python's",
    "tuple": "Python's", "print": "Python's", "float": "Python's", "int": "Python's", "complex": "Python's",
    "bool": "Python's", "row_stack": "NumPy 2.4 has only vstack",
    "constant": "a mode of pad", "left": "a side of searchsorted", "C": "an order",
    "isscalar": "an array of no axes is a number here",
    "topk": "not NumPy's", "linalg.expm": "SciPy's", "linalg.lu": "SciPy's", "linalg.solve_triangular": "SciPy's",
    **dict.fromkeys(
        ["polyfit", "roots"] + ["linalg." + name for name in "eigh eigvalsh eig eigvals svd svdvals cond matrix_rank pinv lstsq".split()],
        "errors depend on the condition of the operands; tests/families has their bounds"),
}
