"""The library, and how Python values become arguments of its functions.

HEDDLE_LIBRARY is the shared library (else the linker's), HEDDLE_INCLUDE the folder of the headers (else that of this
source tree), CC the compiler whose preprocessor reads them (else cc).
"""
import ctypes
import ctypes.util
import os
import pathlib

from .headers import Declarations

INCLUDE = os.environ.get("HEDDLE_INCLUDE") or str(pathlib.Path(__file__).parents[3] / "include")
declared = Declarations(INCLUDE, os.environ.get("CC", "cc").split())
_shared = ctypes.CDLL(os.environ.get("HEDDLE_LIBRARY") or ctypes.util.find_library("heddle") or "libheddle.so")


class AxisError(ValueError, IndexError):
    """As NumPy has it: either is expected."""


# What a Python program expects of a mistake like this.
_EXCEPTIONS = {"HEDDLE_EAXIS": AxisError, "HEDDLE_EDTYPE": TypeError, "HEDDLE_EINDEX": IndexError,
               "HEDDLE_ERANGE": OverflowError, "HEDDLE_ENOMEM": MemoryError, "HEDDLE_EUNSUPPORTED": NotImplementedError,
               "HEDDLE_EIO": OSError, "HEDDLE_EDEVICE": RuntimeError, "HEDDLE_EINTERNAL": RuntimeError}
_STATUS = {number: name for name, number in declared.enumerators.items() if name.startswith("HEDDLE_E")}


class Handle:
    """One reference to an array of the library."""

    __slots__ = ("_as_parameter_",)

    def __init__(self, pointer):
        self._as_parameter_ = pointer

    def __del__(self, release=_shared.heddle_release, pointer_type=ctypes.c_void_p):
        release(pointer_type(self._as_parameter_))


def _raise(status, text):
    raise _EXCEPTIONS.get(_STATUS.get(status), ValueError)(text.decode())


def _plain(value):
    """What a field of a struct or an element of a list holds of it."""
    return getattr(value, "_as_parameter_", value)


def options(tag, **named):
    """A struct of options with the fields that are named. An axis is a number, a tuple of them, or None; other lists
    are structs of a count and elements."""
    struct = declared.structs[tag]()
    struct.size = ctypes.sizeof(struct)
    for name, value in named.items():
        if value is None:
            continue
        if name == "axis" and isinstance(value, tuple):
            struct.axes.count = len(value) or -1  # -1: given, and none
            struct.axes.at[:len(value)] = value
        elif name == "axis":
            struct.axis, struct.has_axis = value, True
        elif isinstance(value, (tuple, list)):
            getattr(struct, name).count = len(value) or -1
            getattr(struct, name).at[:len(value)] = value
        else:
            setattr(struct, name, _plain(value))
    return struct


class Function:
    """A function of the library. A list or a tuple stands for its elements, and for their count if the function has
    that before them; named options for the last argument; of a function with several results `n_out` are returned."""

    def __init__(self, name):
        self.result, self.parameters = declared.functions[name]
        self.call = getattr(_shared, name)
        self.call.restype = self.result.ctype
        self.call.argtypes = [p.ctype for p in self.parameters]
        last = self.parameters[-1].c_type if self.parameters else ""
        self.options = last[len("struct "):-1] if last.endswith("_options*") else None

    def __call__(self, *args, n_out=None, **named):
        values, kept, out = [], [], None
        for arg in args:
            if isinstance(arg, (list, tuple)):
                if self.parameters[len(values)].c_type == "int":
                    values.append(len(arg))
                element = self.parameters[len(values)].ctype._type_
                arg = (element * max(len(arg), 1))(*map(_plain, arg))
            values.append(arg)
            kept.append(arg)
        if n_out is not None:
            out = (ctypes.c_void_p * max(n_out, 1))()
            values.append(out)
        if self.options:
            values.append(ctypes.byref(options(self.options, **named)))
            kept.append(named)
        result = self.call(*values)
        if self.result.c_type == "heddle_array*":
            return owned(result)
        if self.result.c_type == "enum heddle_status" and result:
            _raise(result, library.heddle_last_error())
        return [owned(pointer) for pointer in out[:n_out]] if out is not None else result


def owned(pointer):
    """The handle of an array that a call has made; raises its error."""
    handle = Handle(pointer)
    status = _shared.heddle_status_of(ctypes.c_void_p(pointer))
    if status:
        _raise(status, library.heddle_error(handle))
    return handle


class _Library:
    """library.heddle_add is that function."""

    def __getattr__(self, name):
        function = Function(name)
        setattr(self, name, function)
        return function


library = _Library()
