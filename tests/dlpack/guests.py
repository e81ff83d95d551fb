#!/usr/bin/env python3
"""Arrays given to another library and back, in one process: guests.py numpy | cupy | torch | jax.

What is checked: equal elements, no copy where the layout needs none, each deleter called once (from any thread, after a
shut-down, too), the order of streams under load in both directions, and that nothing leaks. Exits with 77 where the
library is not there.
"""
import ctypes
import gc
import pathlib
import sys
import threading
import time

try:
    import numpy as np
    np.unstack
except (ImportError, AttributeError):
    print("skipped: no NumPy >= 2.1")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "array_api"))
import heddle_array_api as xp
from heddle_array_api import dlpack
from heddle_array_api.library import declared, library

failures = []


def check(what, condition):
    if not condition:
        failures.append(what)


# ---- The other libraries: make, values, address, and on GPUs a stream with work that is pending --------------------------


class NumPy:
    gpu = False
    dtypes = "bool int8 uint16 int32 int64 float32 float64 complex64 complex128".split()
    views = True

    def make(self, array):
        return array.copy()

    def values(self, guest):
        return np.asarray(guest)

    def address(self, guest):
        return guest.ctypes.data

    def take(self, array):
        return np.from_dlpack(array)

    def settle(self):
        pass

    def memory_used(self):
        return 0


class CuPy(NumPy):
    gpu = True

    def __init__(self):
        import cupy
        self.cupy, self.side = cupy, cupy.cuda.Stream(non_blocking=True)
        self.sleep = cupy.RawKernel(r"""extern "C" __global__ void hold(long long cycles)
            { const long long from = clock64(); while (clock64() - from < cycles) continue; }""", "hold")

    def make(self, array):
        return self.cupy.asarray(array)

    def values(self, guest):
        return self.cupy.asnumpy(guest)

    def address(self, guest):
        return guest.data.ptr

    def take(self, array):
        return self.cupy.from_dlpack(array)

    def on_side(self):
        return self.side

    def hold(self):
        self.sleep((1,), (1,), (np.int64(200_000_000),))

    def write(self, guest, value):
        guest.fill(value)

    def settle(self):
        self.cupy.cuda.Device().synchronize()

    def memory_used(self):
        self.cupy.get_default_memory_pool().free_all_blocks()
        free, total = self.cupy.cuda.runtime.memGetInfo()
        return total - free


class Torch(NumPy):
    dtypes = "bool int8 int32 int64 float32 float64 complex64 complex128".split()

    def __init__(self):
        import torch
        self.torch, self.gpu = torch, torch.cuda.is_available()
        self.side = torch.cuda.Stream() if self.gpu else None

    def make(self, array):
        return self.torch.asarray(array.copy(), device="cuda" if self.gpu else "cpu")

    def values(self, guest):
        return guest.cpu().resolve_conj().numpy()

    def address(self, guest):
        return guest.data_ptr()

    def take(self, array):
        return self.torch.from_dlpack(array)

    def on_side(self):
        return self.torch.cuda.stream(self.side)

    def hold(self):
        self.torch.cuda._sleep(200_000_000)

    def write(self, guest, value):
        guest.fill_(value)

    def settle(self):
        if self.gpu:
            self.torch.cuda.synchronize()

    def memory_used(self):
        if not self.gpu:
            return 0
        self.torch.cuda.empty_cache()
        free, total = self.torch.cuda.mem_get_info()
        return total - free


class Jax(NumPy):
    dtypes = "int8 uint16 int32 int64 float32 float64 complex64 complex128".split()
    views = False  # its arrays have none

    def __init__(self):
        import jax
        jax.config.update("jax_enable_x64", True)
        self.jax, self.gpu = jax, jax.devices()[0].platform == "gpu"

    def make(self, array):
        return self.jax.device_put(array.copy()).block_until_ready()

    def address(self, guest):
        return guest.unsafe_buffer_pointer()

    def take(self, array):
        return self.jax.dlpack.from_dlpack(array)

    def settle(self):
        self.jax.effects_barrier()


# ---- What is checked ---------------------------------------------------------------------------------------------------


def address(array):
    """Where the library has an array, without a copy."""
    capsule = array.__dlpack__(max_version=(1, 0), copy=False)
    tensor = dlpack._STRUCTS[True].from_address(dlpack._pointer(id(capsule), dlpack._NAMES[True])).tensor
    return (tensor.data or 0) + tensor.byte_offset


def to_guest(guest, array):
    """Theirs of an array that may be anywhere: they take what is on their GPU, or in host memory, only."""
    if guest.gpu:
        return guest.take(array.to_device("gpu:0"))
    on_host = array.__dlpack_device__()[0] == 1  # where there are GPUs, work may have gone there
    return guest.take(array if on_host else array.to_device("cpu:0"))


def round_trips(guest):
    numbers = np.arange(24).reshape(4, 6)
    for dtype in guest.dtypes:
        theirs = guest.make(numbers.astype(dtype))
        views = {"C": theirs}
        if guest.views:
            views |= {"F": theirs.T, "offset": theirs[1:], "rows": theirs[::2], "halves": theirs[:, 1:4], "gaps": theirs[:, 1:],
                      "columns": theirs[:, ::3]}
        for name, view in views.items():
            expected = guest.values(view)
            ours = xp.from_dlpack(view)
            check(f"{dtype}, {name}: elements", np.array_equal(np.asarray(ours), expected))
            back = to_guest(guest, ours)
            check(f"{dtype}, {name}: there and back", np.array_equal(guest.values(back), expected))
            guest.settle()
        shared = xp.from_dlpack(theirs, copy=False)
        check(f"{dtype}: shared", address(shared) == guest.address(theirs))
        check(f"{dtype}: shared there and back", guest.address(guest.take(shared)) == guest.address(theirs))
        copied = xp.from_dlpack(theirs, copy=True)
        check(f"{dtype}: copied", address(copied) != guest.address(theirs)
              and np.array_equal(np.asarray(copied), guest.values(theirs)))
    if guest.views:
        theirs = guest.make(numbers.astype("float32"))
        for name, view in {"F": theirs.T, "offset": theirs[1:], "rows": theirs[::2],
                           "halves": theirs[:, 1:4]}.items():
            check(f"{name} without a copy", np.array_equal(np.asarray(xp.from_dlpack(view, copy=False)),
                                                           guest.values(view)))
        try:
            xp.from_dlpack(theirs[:, 1:], copy=False)
            check("gaps without a copy are refused", False)
        except ValueError:
            pass


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Producer:
    """A tensor over memory of NumPy's, made by hand, that counts how often it is given back."""

    def __init__(self, array, versioned):
        self.array, self.versioned, self.n_deleted = array, versioned, 0
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.tensor = dlpack._STRUCTS[versioned]()
        if versioned:
            self.tensor.major = 1
        self.tensor.deleter = ctypes.cast(self._deleter(), ctypes.c_void_p).value
        self.tensor.tensor.data = array.ctypes.data
        self.tensor.tensor.device.type = 1
        self.tensor.tensor.ndim = array.ndim
        self.tensor.tensor.dtype.code, self.tensor.tensor.dtype.bits, self.tensor.tensor.dtype.lanes = 2, 64, 1
        self.tensor.tensor.shape = self.shape

    def _deleter(self):
        def deleted(_):
            self.n_deleted += 1
        self.kept = Deleter(deleted)
        return self.kept

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, **named):
        if not self.versioned and "max_version" in named:
            raise TypeError("a producer of before DLPack 1.0")
        return dlpack._new(ctypes.addressof(self.tensor), dlpack._NAMES[self.versioned], dlpack._destroy)


def in_time(condition):
    for _ in range(5000):
        if condition():
            return True
        time.sleep(0.001)
    return False


def lifetimes(guest):
    memory = np.arange(1e5)
    for versioned in (True, False):
        once, refused = Producer(memory, versioned), Producer(memory, versioned)
        ours = xp.from_dlpack(once)
        twice = ours + ours
        del ours
        check("a tensor that is needed was given back", once.n_deleted == 0 or float(twice[7]) == 14)
        check("elements", float(twice[99]) == 198)
        del twice
        check(f"given back once, not {once.n_deleted} times", in_time(lambda: once.n_deleted) and once.n_deleted == 1)
        refused.__dlpack__()  # nobody takes it
        gc.collect()
        check("a capsule that nobody took", refused.n_deleted == 1)
    theirs = [to_guest(guest, xp.asarray(memory + i) + 1.0) for i in range(8)]
    expected = [guest.values(t).copy() for t in theirs]
    if not guest.gpu:
        library.heddle_shutdown()
    for i, value in enumerate(expected):
        check("after a shut-down", np.array_equal(value, memory + i + 1) and
              np.array_equal(guest.values(theirs[i]), value))
    threads = [threading.Thread(target=theirs.pop) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def load(n=200):
    """Work that is pending when it is handed over: n kernels, none of which is known to be zero."""
    x = xp.asarray(np.zeros(1 << 18))
    one = xp.asarray(np.ones(1 << 18))
    for i in range(n):
        x = x + one
        if i % 10 == 9:
            library.heddle_eval(x._handle)
    return x


def exported_under_load(guest):
    for round in range(4):
        values = guest.values(to_guest(guest, load()))
        check(f"handed over under load, {values[0]} for 200", (values == 200).all())


def imported_under_load(guest):
    """Their stream is busy, then writes; we read."""
    for round in range(4):
        with guest.on_side():
            theirs = guest.make(np.zeros(1 << 18))
            guest.hold()
            guest.write(theirs, round + 1)
            total = float(xp.sum(xp.from_dlpack(theirs) + 0.0))
        check(f"read before it was written, {total}", total == (round + 1) * (1 << 18))


def given_back_under_load(guest):
    """They give our memory back while their stream has yet to read it; we compute on."""
    for round in range(4):
        ours = (xp.asarray(np.full(1 << 18, 1.0 + round)) + 0.0).to_device("gpu:0")
        with guest.on_side():
            theirs = guest.take(ours)
            guest.hold()
            read = theirs + 0
            del theirs, ours
            others = [(xp.asarray(np.full(1 << 18, -1.0)) * (i + 1.0)).to_device("gpu:0") for i in range(16)]
            for other in others:
                library.heddle_wait(other._handle)
        guest.settle()
        check(f"written before it was read, {guest.values(read)[0]}", (guest.values(read) == 1 + round).all())


def jax_under_load(guest):
    jnp = guest.jax.numpy
    for _ in range(4):
        x = guest.make(np.ones((512, 512)))
        for _ in range(100):
            x = jnp.matmul(x, x) / 512  # ones again; none waits
        check("read before it was written", float(xp.sum(xp.from_dlpack(x))) == 512 * 512)


def statistics():
    out = declared.structs["heddle_statistics"]()
    library.heddle_statistics_get(ctypes.byref(out))
    return out.arrays_live, out.bytes_live


def leaks(guest):
    theirs = guest.make(np.arange(1 << 17, dtype="float64"))

    def turn():
        ours = xp.from_dlpack(theirs)
        guest.settle()
        return float(guest.values(to_guest(guest, ours * 2.0))[3])

    def now():
        gc.collect()
        guest.settle()
        in_time(lambda: statistics()[0] == before[0]) if before else None
        return statistics()

    before = None
    for _ in range(20):
        turn()
    before = now()
    used = guest.memory_used()
    for _ in range(200):
        turn()
    after = now()
    check(f"arrays and bytes that live: {before}, later {after}", after[0] == before[0] and after[1] <= before[1] + (1 << 21))
    check("memory of the GPU", guest.memory_used() <= used + (16 << 20))


def main(name):
    library.heddle_start()  # before anybody else's memory is on a GPU
    try:
        guest = {"numpy": NumPy, "cupy": CuPy, "torch": Torch, "jax": Jax}[name]()
        guest.make(np.ones(1))
    except Exception as error:  # not there, or no device for it
        print(f"skipped: {name}: {error}")
        sys.exit(77)
    round_trips(guest)
    lifetimes(guest)
    exported_under_load(guest)
    if name == "jax":
        jax_under_load(guest)
    elif guest.gpu:
        imported_under_load(guest)
        given_back_under_load(guest)
    leaks(guest)
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{name} on {'a GPU' if guest.gpu else 'the host'}: {len(failures)} failures")
    sys.exit(bool(failures))


main(sys.argv[1])
