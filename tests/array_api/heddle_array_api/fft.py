"""The extension fft."""
from .array import Array
from .library import declared, library


def _norm(name):
    return declared.enumerators[f"HEDDLE_FFT_{name.upper()}"]


def _along_one(name):
    call = getattr(library, f"heddle_fft_{name}_with")

    def transform(x, /, *, n=None, axis=-1, norm="backward"):
        return Array(call(x._handle, n=n, axis=axis, norm=_norm(norm)))
    return transform


def _along_several(name):
    call = getattr(library, f"heddle_fft_{name}_with")

    def transform(x, /, *, s=None, axes=None, norm="backward"):
        return Array(call(x._handle, s=s, axes=axes, norm=_norm(norm)))
    return transform


fft, ifft, rfft, irfft, hfft, ihfft = map(_along_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = map(_along_several, ("fftn", "ifftn", "rfftn", "irfftn"))


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    return Array(library.heddle_fft_fftfreq_with(n, d=d, dtype=dtype))


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    return Array(library.heddle_fft_rfftfreq_with(n, d=d, dtype=dtype))


def _tuple(axes):
    return (axes,) if isinstance(axes, int) else axes


def fftshift(x, /, *, axes=None):
    return Array(library.heddle_fft_fftshift_with(x._handle, axes=_tuple(axes)))


def ifftshift(x, /, *, axes=None):
    return Array(library.heddle_fft_ifftshift_with(x._handle, axes=_tuple(axes)))
