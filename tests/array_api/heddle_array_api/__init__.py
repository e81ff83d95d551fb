"""The Python Array API standard over Heddle's C functions, for the standard's public test suite.

It calls the library by ctypes alone. Python and NumPy do no arithmetic in it: what a test finds, it finds in the
library. Elements travel through NumPy's arrays.
"""
from . import dtypes as _dtypes, fft, linalg
from .array import Array
from .creation import *
from .creation import __array_namespace_info__
from .dlpack import from_dlpack
from .dtypes import can_cast, finfo, iinfo, isdtype
from .functions import *
from .library import library as _library
from .manipulation import *
from .sets import unique_all, unique_counts, unique_inverse, unique_values
from .statistics import *

__array_api_version__ = "2024.12"
__version__ = _library.heddle_version().decode()

e, inf, nan, pi, newaxis = 2.718281828459045, float("inf"), float("nan"), 3.141592653589793, None
globals().update(_dtypes.by_name)
