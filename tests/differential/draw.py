"""Random inputs, and arguments that fit an array."""
import numpy as np

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
          "complex64", "complex128"]
USUAL = ["int64", "float64", "float64", "float32"]
SHAPES = [(3, 4), (3, 4), (4,), (3, 1), (1, 4), (2, 3, 4), (4, 3), (3, 3), (3,), (), (1,), (0, 4), (2, 1, 4), (5,), (17, 4)]


def elements(random, dtype, shape):
    """Small numbers mostly, so that operations are defined; limits and what is no number at times."""
    n = int(np.prod(shape))
    kind = np.dtype(dtype).kind
    if kind == "b":
        values = [random.random() < 0.5 for _ in range(n)]
    elif kind in "iu":
        values = [random.randint(0 if kind == "u" else -9, 9) for _ in range(n)]
        if n and random.random() < 0.1:
            values[random.randrange(n)] = int(random.choice([np.iinfo(dtype).min, np.iinfo(dtype).max]))
    else:
        def number():
            return random.choice([random.randint(-16, 16) / 8, random.gauss(0, 3)])
        values = [number() + (1j * number() if kind == "c" else 0) for _ in range(n)]
        if n and kind == "f" and random.random() < 0.15:
            values[random.randrange(n)] = random.choice([np.nan, np.inf, -np.inf, -0.0, 1e30, 1e-40])
    return np.array(values, dtype).reshape(shape)


def inputs(random, count=4):
    shape = random.choice(SHAPES)
    made = {}
    for name in "abcdefgh"[:count]:
        dtype = random.choice(DTYPES if random.random() < 0.6 else USUAL)
        made[name] = elements(random, dtype, shape if random.random() < 0.6 else random.choice(SHAPES))
    return made


def scalar(random):
    return random.choice(["2", "3", "-1", "0.5", "1.5", "-2.0", "True", "7", "0", "1j", "100", "1"])


def _index(random, extent):
    kind = random.random()
    if kind < 0.3 and extent:
        return str(random.randrange(-extent, extent))
    if kind < 0.4:
        return "None"
    if kind < 0.5:
        return "..."
    start, stop = (random.choice(["", str(random.randint(-extent - 1, extent + 1))]) for _ in range(2))
    return f"{start}:{stop}" + random.choice(["", "", ":2", ":-1", ":-2"])


def arguments(random, value):
    """Values for the places of a text whose first operand is `value`."""
    value = np.asarray(value)
    ndim, shape = value.ndim, value.shape
    axis = random.randrange(-ndim, ndim) if ndim else None
    extent = shape[axis] if ndim else 1
    index = ", ".join(_index(random, s) for s in shape[:random.randint(1, max(ndim, 1))]) or "()"
    if index.count("...") > 1:
        index = "..."
    order = list(range(ndim))
    random.shuffle(order)
    some = tuple(sorted(random.sample(range(ndim), random.randint(0, ndim))))
    reshaped = random.choice([(-1,), shape[::-1], (1, *shape), (value.size,), (2, -1), (*shape[:1], -1)])
    floats = np.isfinite(value).all() and (np.abs(value) < 100).all() if value.dtype.kind != "c" else False
    return {
        "axis": axis, "axes": random.choice([axis, some, None]), "flag": random.choice([True, False]),
        "index": index, "order": tuple(order), "reshaped": reshaped, "bit": random.randint(0, 1),
        "broadcast": (2, *shape), "offset": random.randint(-2, 3), "shift": random.randint(0, 7),
        "small": random.randint(1, 3), "reps": random.choice([2, (2,), (1, 2), (2, 1, 1)]),
        "shape": random.choice([(2,), (2, 3), (), (0,), 4]), "decimals": random.randint(-1, 2),
        "parts": next((n for n in (3, 2) if extent and extent % n == 0), 1),
        "places": [random.randrange(-extent, extent) for _ in range(random.randint(1, 4))] if extent else [0],
        "mask": "True" if random.random() < 0.2 else "(np.arange(%d) %% 2 == 0)" % (shape[-1] if ndim else 1),
        "dtype": "np." + random.choice(DTYPES), "floating": "np." + random.choice(DTYPES[-4:-2]),
        # a dtype that all elements fit: what others become is not defined
        "safe": "np." + random.choice(["int8", "int32", "float32", "bool", "int64", "float64"] if floats
                                      else ["complex128"] if value.dtype.kind == "c" else ["float64", "bool"]),
    }
