"""Random programs beside what NumPy makes of them: values, and bounds of what rounding may add to each element."""
import re
import warnings

import numpy as np

import draw
import operations

ULPS = 8  # of one function, ours and NumPy's together
KINDS = [(kind, text) for kind in ("EXACT", "ROUNDED", "MOVING", "LINEAR", "BOUNDED", "ROOTS", "STATEMENTS")
         for text in getattr(operations, kind).split("\n") if text]


class Node:
    """A part of a program: its text, NumPy's value, and how far each element may be off (0: not at all)."""

    def __init__(self, text, value, error):
        self.text, self.value, self.error = text, value, error

    @property
    def exact(self):
        return not np.any(self.error)


def epsilon(value):
    kind = np.asarray(value).dtype
    return np.finfo(kind).eps if kind.kind in "fc" else 0.0


def largest(value):
    """Of the finite elements."""
    magnitude = np.abs(np.asarray(value).astype(np.complex128)).ravel()
    return max([1e-300, *magnitude[np.isfinite(magnitude)][:1], magnitude[np.isfinite(magnitude)].max(initial=0)])


class Program:
    """Statements that NumPy has run already, with the values of all variables."""

    def __init__(self, random):
        self.random = random
        self.inputs = draw.inputs(random)
        self.values = {"np": np, **{name: value.copy() for name, value in self.inputs.items()}}
        self.errors = {"np": np, **{name: np.zeros(value.shape) for name, value in self.inputs.items()}}
        self.nodes = [Node(name, value, 0.0) for name, value in self.inputs.items()]
        self.statements = []
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for _ in range(random.randint(1, 5)):
                self.grow()

    @property
    def text(self):
        return "\n".join(self.statements)

    def operand(self):
        if self.random.random() < 0.15:
            text = draw.scalar(self.random)
            return Node(f"({text})" if text.startswith("-") else text, eval(text), 0.0)
        return self.random.choice(self.nodes[-3:] if self.random.random() < 0.5 else self.nodes)

    def grow(self):
        """Adds a statement; none if twenty attempts do not fit."""
        for _ in range(20):
            kind, text = self.random.choice(KINDS)
            operands = [self.operand() for _ in range(3)]
            if not isinstance(operands[0].value, np.ndarray | np.generic):
                if not isinstance(operands[1].value, np.ndarray | np.generic) or "{1}" not in text:
                    continue
            node = self.attempt(kind, text, operands)
            if node:
                self.nodes.append(node)
                return

    def attempt(self, kind, text, operands):
        name = f"t{len(self.statements)}"
        places = draw.arguments(self.random, operands[0].value)
        pattern = text
        text = pattern.format(*(o.text for o in operands), t=name, **places)
        used = [o for i, o in enumerate(operands) if f"{{{i}}}" in pattern]
        try:
            if kind == "STATEMENTS":
                if not all(o.exact for o in used):
                    return None
                exec(text, self.values)
                value, statement = self.values[name], text
                error = ULPS * epsilon(value) * np.abs(value) * (np.asarray(value).dtype.kind == "c")
            else:
                value = eval(text, self.values)
                statement = f"{name} = {text}"
                error = self.bound(kind, text, used, value)
        except Exception:
            self.values.pop(name, None)
            return None
        shown = np.asarray(value)
        if (error is None or shown.dtype.name not in draw.DTYPES or shown.size > 3000 or shown.ndim > 6
                or any(re.search(where, text) and differs([o.value for o in used], shown)
                       for where, differs in operations.DIFFERENT)):
            self.values.pop(name, None)
            return None
        self.values[name] = value
        self.errors[name] = np.broadcast_to(np.asarray(error, float), shown.shape)
        self.statements.append(statement)
        return Node(name, value, self.errors[name])

    # ---- How far NumPy's value and ours may be apart

    def bound(self, kind, text, operands, value):
        """An array that broadcasts to the value's shape; None: nothing can be said."""
        shown = np.asarray(value)
        if shown.dtype.kind not in "fc":
            return 0.0 if all(o.exact for o in operands) else None
        eps, exact = epsilon(value), all(o.exact for o in operands)
        if kind == "MOVING":
            rounding = ULPS * eps * np.abs(shown) if text.startswith(("abs(", "np.absolute(")) else 0.0
            # errors are real; the parts of a number have those of the whole
            return rounding if exact else rounding + np.abs(eval(text.replace("imag", "real"), self.errors))
        if not exact:
            return None
        if kind == "EXACT" and not (shown.dtype.kind == "c" and "around" in text):
            return 0.0
        size = np.where(np.isfinite(shown), np.abs(shown), 0)
        if kind in ("ROUNDED", "EXACT"):
            n = max([np.size(o.value) for o in operands], default=1) if "prod" in text else 1
            scale = largest(value) if "space" in text or "arange" in text else size
            # of complex numbers each part within the size of the whole; powers are as exact as their logarithms
            complex_scale = 1 if shown.dtype.kind != "c" else 200 if "pow" in text or "**" in text else 8
            return ULPS * eps * n * complex_scale * scale + np.finfo(shown.dtype).smallest_normal
        n = max([np.size(o.value) for o in operands], default=1) + 4
        scale = 1.0
        for o in operands:
            scale = scale * max(largest(o.value), 1.0)
        terms = n * eps * scale * (n if kind == "LINEAR" else 1)
        if text.startswith(("np.var", "np.nanvar", "np.cov")):
            terms = terms * scale
        if kind == "ROOTS":
            terms = terms * scale
            return 1e-3 if "corrcoef" in text and eps > 1e-10 else 1e-9 if "corrcoef" in text else np.where(
                size > 0, terms / np.maximum(size, terms ** 0.5), terms ** 0.5)
        return terms


def compare(got, node):
    """What is wrong with our value, or None."""
    want = np.asarray(node.value)
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{got.dtype} {got.shape}, not {want.dtype} {want.shape}"
    if want.dtype.kind not in "fc":
        return None if np.array_equal(got, want) else "other elements"
    finite = np.isfinite(want)
    if not np.array_equal(np.isfinite(got), finite):
        return "not finite elsewhere"
    if want.dtype.kind == "f" and not np.array_equal(got[~finite], want[~finite], equal_nan=True):
        return "other infinities or NaNs"
    error = np.broadcast_to(np.asarray(node.error, float), want.shape)[finite]
    with np.errstate(all="ignore"):
        apart = np.abs(got[finite].astype(np.complex128) - want[finite])
        if (apart > error).any():
            worst = np.argmax(apart - error)
            return f"{got[finite][worst]} is not {want[finite][worst]} within {error[worst]:.3g}"
    return None
