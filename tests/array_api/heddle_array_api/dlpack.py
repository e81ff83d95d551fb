"""DLPack: tensors in Python's capsules."""
import ctypes

from .array import ANYWHERE, Array, place
from .library import declared, library

_NAMES = {True: b"dltensor_versioned", False: b"dltensor"}
_USED = {True: b"used_dltensor_versioned", False: b"used_dltensor"}  # capsules do not copy their names
_STRUCTS = {True: declared.structs["heddle_dl_versioned"], False: declared.structs["heddle_dl_unversioned"]}
_COPY = {None: "HEDDLE_COPY_IF_NEEDED", True: "HEDDLE_COPY_ALWAYS", False: "HEDDLE_COPY_NEVER"}

# Capsules as addresses, since one that is being destroyed must not be referred to.
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _Destructor)(
    ("PyCapsule_New", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))
_is = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_SetName", ctypes.pythonapi))


@_Destructor
def _destroy(capsule):
    """Gives back a tensor that nobody took."""
    for versioned, name in _NAMES.items():
        if _is(capsule, name):
            tensor = _pointer(capsule, name)
            deleter = _STRUCTS[versioned].from_address(tensor).deleter
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(tensor)


def _place_of(device):
    kind, number = device
    return {1: library.heddle_cpu, 2: library.heddle_gpu}[int(kind)](number)


def _stream_of(device, stream):
    """A stream as the protocol numbers it, as an address: nobody named is the default one; -1: nobody waits."""
    if int(device[0]) not in (2, 13) or stream == -1:
        return None
    return 1 if stream is None else stream


def to_capsule(array, stream, max_version, dl_device, copy):
    versioned = max_version is not None and max_version[0] >= 1
    export = library.heddle_to_dlpack_with if versioned else library.heddle_to_dlpack_unversioned_with
    out = ctypes.POINTER(_STRUCTS[versioned])()
    export(array._handle, ctypes.byref(out), copy=declared.enumerators[_COPY[copy]],
           place=0 if dl_device is None else _place_of(dl_device),
           stream=_stream_of(dl_device or device_of(array), stream))
    return _new(ctypes.addressof(out.contents), _NAMES[versioned], _destroy)


def device_of(array):
    device = declared.structs["heddle_dl_device"]()
    library.heddle_dlpack_device(array._handle, ctypes.byref(device))
    return device.type, device.id


def from_dlpack(x, /, *, device=None, copy=None):
    named = {}
    if int(x.__dlpack_device__()[0]) == 2:  # the producer lets our stream wait for its work; then we wait for that
        pointer = ctypes.c_void_p()
        library.heddle_stream(library.heddle_gpu(x.__dlpack_device__()[1]), ctypes.byref(pointer))
        named["stream"] = pointer.value
    try:
        capsule = x.__dlpack__(max_version=(1, 0), copy=copy and None, **named)  # Heddle copies: some cannot
    except TypeError:  # of before DLPack 1.0
        capsule = x.__dlpack__(**named)
    versioned = bool(_is(id(capsule), _NAMES[True]))
    tensor = ctypes.cast(_pointer(id(capsule), _NAMES[versioned]), ctypes.POINTER(_STRUCTS[versioned]))
    _rename(id(capsule), _USED[versioned])
    take = library.heddle_from_dlpack_with if versioned else library.heddle_from_dlpack_unversioned_with
    handle = take(tensor, copy=declared.enumerators[_COPY[copy]], place=place(device),
                  stream=named.get("stream"))
    return Array(handle, device or (x.device if isinstance(x, Array) else ANYWHERE))

