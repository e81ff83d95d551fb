"""The array object: operators, indexing, conversions, attributes."""
import operator

import numpy

from . import dtypes
from .library import declared, library

ANYWHERE = "anywhere"  # the device of arrays that the library places: heddle_place_name's word for it


class Array:
    """A value of the library. An assignment or an in-place operator gives it another one, so no two share elements."""

    __slots__ = ("_handle", "_device")

    def __init__(self, handle, device=ANYWHERE):
        self._handle, self._device = handle, device

    # ---- attributes

    @property
    def dtype(self):
        return dtypes.by_number[library.heddle_dtype_of(self._handle)]

    @property
    def device(self):
        return self._device

    @property
    def ndim(self):
        return library.heddle_ndim(self._handle)

    @property
    def shape(self):
        return tuple(library.heddle_shape(self._handle)[:self.ndim])

    @property
    def size(self):
        return library.heddle_size(self._handle)

    @property
    def T(self):
        if self.ndim != 2:
            raise ValueError("T is of matrices: permute_dims orders other axes")
        return self.mT

    @property
    def mT(self):
        return Array(library.heddle_matrix_transpose(self._handle))

    # ---- conversions

    def __array__(self, dtype=None, copy=None):
        """The elements as NumPy's array, a copy."""
        out = numpy.empty(self.shape, self.dtype.name)
        library.heddle_read(self._handle, out.ctypes.data, out.nbytes)
        return out if dtype is None else out.astype(dtype)

    def _item(self):
        if self.size != 1 or self.ndim:
            raise TypeError(f"one element is needed, not shape {self.shape}")
        return self.__array__().item()

    def __bool__(self):
        return bool(self._item())

    def __int__(self):
        return int(self._item())

    def __float__(self):
        return float(self._item())

    def __complex__(self):
        return complex(self._item())

    def __index__(self):
        return operator.index(self._item())

    def __repr__(self):
        return f"array({numpy.array2string(self.__array__(), separator=', ')}, dtype={self.dtype})"

    def to_device(self, device, /, *, stream=None):
        return Array(library.heddle_to(self._handle, place(device)), device)

    def __dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
        from .dlpack import to_capsule
        return to_capsule(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self, /):
        from .dlpack import device_of
        return device_of(self)

    def __array_namespace__(self, /, *, api_version=None):
        import heddle_array_api
        if api_version not in (None, heddle_array_api.__array_api_version__):
            raise ValueError(f"version {api_version} of the standard")
        return heddle_array_api

    # ---- elements

    def __getitem__(self, key, /):
        return Array(library.heddle_getitem(self._handle, _indices(key)))

    def __setitem__(self, key, value, /):
        self._handle = library.heddle_set_item(self._handle, _indices(key), as_handle(value))


def place(device):
    """The library's number of a device's name."""
    kind, _, number = (device or ANYWHERE).partition(":")
    if kind == ANYWHERE:
        return 0
    return {"cpu": library.heddle_cpu, "gpu": library.heddle_gpu}[kind](int(number))


def as_handle(value):
    """An operand: an array, or a Python scalar, whose dtype is weak."""
    if isinstance(value, Array):
        return value._handle
    if isinstance(value, (bool, numpy.bool_)):
        return library.heddle_scalar_bool(value)
    if isinstance(value, int):
        return library.heddle_scalar_int(value) if -2**63 <= value < 2**63 else from_numpy(numpy.asarray(value))
    if isinstance(value, float):
        return library.heddle_scalar_float(value)
    if isinstance(value, complex):
        return library.heddle_scalar_complex(value.real, value.imag)
    raise TypeError(f"neither an array nor a Python scalar: {type(value).__name__}")


def from_numpy(values):
    """A handle of a copy of a NumPy array."""
    values = numpy.ascontiguousarray(values).reshape(values.shape)
    if values.dtype.name not in dtypes.by_name:
        raise TypeError(f"no dtype of the standard: {values.dtype}")
    return library.heddle_asarray_with(values.ctypes.data, dtypes.by_name[values.dtype.name], values.shape)


def _indices(key):
    """Python's key as the library's list of indices."""
    return [_index(k) for k in (key if isinstance(key, tuple) else (key,))]


def _index(key):
    kinds, index = declared.enumerators, declared.structs["heddle_index"]()
    if key is None:
        index.kind = kinds["HEDDLE_INDEX_NEWAXIS"]
    elif key is Ellipsis:
        index.kind = kinds["HEDDLE_INDEX_ELLIPSIS"]
    elif isinstance(key, slice):
        for end in ("start", "stop"):
            if (value := getattr(key, end)) is not None:
                setattr(index, end, operator.index(value))
                setattr(index, "has_" + end, True)
        if key.step is not None and operator.index(key.step) == 0:
            raise ValueError("the step of a slice is 0")
        index.step = operator.index(1 if key.step is None else key.step)
    elif isinstance(key, Array) and (key.ndim > 0 or key.dtype is dtypes.by_name["bool"]):
        index.kind, index.by = kinds["HEDDLE_INDEX_ARRAY"], key._handle._as_parameter_
    else:
        index.kind, index.start = kinds["HEDDLE_INDEX_INT"], operator.index(key)
    return index


def _is_operand(value):
    return isinstance(value, (Array, bool, int, float, complex))


def _add_operators():
    """__add__, __radd__, __iadd__ and the others."""
    binary = {"add": "add", "and": "bitwise_and", "eq": "equal", "floordiv": "floor_divide", "ge": "greater_equal",
              "gt": "greater", "le": "less_equal", "lshift": "bitwise_left_shift", "lt": "less", "matmul": "matmul",
              "mod": "remainder", "mul": "multiply", "ne": "not_equal", "or": "bitwise_or", "pow": "pow",
              "rshift": "bitwise_right_shift", "sub": "subtract", "truediv": "divide", "xor": "bitwise_xor"}
    for name, function in binary.items():
        call = getattr(library, "heddle_" + function)

        def forward(self, other, /, call=call):
            if not _is_operand(other):
                return NotImplemented
            return Array(call(self._handle, as_handle(other)))

        def reflected(self, other, /, call=call):
            if not _is_operand(other):
                return NotImplemented
            return Array(call(as_handle(other), self._handle))

        def in_place(self, other, /, call=call):
            if not _is_operand(other):
                return NotImplemented
            result = Array(call(self._handle, as_handle(other)))
            if (result.dtype, result.shape) != (self.dtype, self.shape):
                raise TypeError(f"in place: {self.dtype} {self.shape} would become {result.dtype} {result.shape}")
            self._handle = result._handle
            return self

        setattr(Array, f"__{name}__", forward)
        if name not in ("eq", "ne", "lt", "le", "gt", "ge"):
            setattr(Array, f"__r{name}__", reflected)
            setattr(Array, f"__i{name}__", in_place)
    for name, function in {"abs": "abs", "invert": "bitwise_invert", "neg": "negative", "pos": "positive"}.items():
        setattr(Array, f"__{name}__", lambda self, /, call=getattr(library, "heddle_" + function):
                Array(call(self._handle)))


_add_operators()
Array.__hash__ = None
