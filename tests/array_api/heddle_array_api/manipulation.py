"""Functions of shape and order."""
from .array import Array, as_handle
from .library import library


def _axes(axis):
    return axis if isinstance(axis, tuple) else (axis,)


def _handles(arrays):
    return [a._handle for a in arrays]


def broadcast_arrays(*arrays):
    return [Array(h) for h in library.heddle_broadcast_arrays(_handles(arrays), n_out=len(arrays))]


def broadcast_to(x, /, shape):
    return Array(library.heddle_broadcast_to(x._handle, tuple(shape)))


def concat(arrays, /, *, axis=0):
    if axis is None:
        return Array(library.heddle_concat_flat(_handles(arrays)))
    return Array(library.heddle_concat(_handles(arrays), axis))


def expand_dims(x, /, axis):
    return Array(library.heddle_expand_dims(x._handle, axis))


def flip(x, /, *, axis=None):
    return Array(library.heddle_flip_with(x._handle, axis=axis))


def moveaxis(x, source, destination, /):
    source, destination = _axes(source), _axes(destination)
    if len(source) != len(destination):
        raise ValueError(f"moveaxis: {len(source)} axes to {len(destination)} places")
    return Array(library.heddle_moveaxis(x._handle, source, destination))


def permute_dims(x, /, axes):
    return Array(library.heddle_permute_dims(x._handle, tuple(axes)))


def repeat(x, repeats, /, *, axis=None):
    return Array(library.heddle_repeat_with(x._handle, as_handle(repeats), axis=axis))


def reshape(x, /, shape, *, copy=None):
    return Array(library.heddle_reshape(x._handle, tuple(shape)))


def roll(x, /, shift, *, axis=None):
    if not isinstance(axis, tuple):
        return Array(library.heddle_roll_with(x._handle, shift, axis=axis))
    handle = x._handle
    for one_shift, one_axis in zip(shift if isinstance(shift, tuple) else (shift,) * len(axis), axis, strict=True):
        handle = library.heddle_roll_with(handle, one_shift, axis=one_axis)
    return Array(handle)


def squeeze(x, /, axis):
    return Array(library.heddle_squeeze(x._handle, _axes(axis)))


def stack(arrays, /, *, axis=0):
    return Array(library.heddle_stack(_handles(arrays), axis))


def tile(x, repetitions, /):
    return Array(library.heddle_tile(x._handle, tuple(repetitions)))


def unstack(x, /, *, axis=0):
    n = x.shape[axis]
    return tuple(Array(h) for h in library.heddle_unstack_with(x._handle, n, n_out=n, axis=axis))
