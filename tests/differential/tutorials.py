#!/usr/bin/env python3
"""Lines as tutorials have them (tutorials.txt), by the language and by NumPy: dtypes, shapes and values.

    tutorials.py [--verbose]

A section, which begins with ###, is a session of its own. `> ` is an expression whose value is compared; `~ ` one whose dtype and
shape are, as of random numbers; other lines are statements. The binding of tests/array_api runs them. Exits with 77
where there is no NumPy >= 2.3.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "array_api"))
try:
    import numpy as np
    if np.lib.NumpyVersion(np.__version__) < "2.3.0":
        raise ImportError
except ImportError:
    print("skipped: no NumPy >= 2.3")
    sys.exit(77)

from heddle_array_api.array import Array
from heddle_array_api.library import Handle, declared, library


def value_of(text):
    """What `result` is after the text."""
    binding = declared.structs["heddle_binding"]
    outputs = (binding * 1)((b"result", None))
    library.heddle_expr_run(text.encode(), 0, (binding * 0)(), 1, outputs)
    return np.asarray(Array(Handle(outputs[0].array)))


def difference(got, wanted, values):
    """What is wrong, or None."""
    wanted = np.asarray(wanted)
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return f"{got.dtype} of {got.shape}, not {wanted.dtype} of {wanted.shape}"
    if not values:
        return None
    single = wanted.dtype in ("f4", "c8")
    close = np.allclose(got, wanted, rtol=1e-4 if single else 1e-9, atol=1e-5 if single else 1e-11, equal_nan=True)
    return None if close else f"{got!r}, not {wanted!r}"


def run(section):
    """How many lines a section has, and those that fail, with what is wrong."""
    known, text, failures, n = {"np": np}, ["import numpy as np"], [], 0
    for line in filter(None, section.splitlines()[1:]):
        n += 1
        is_value, is_drawn = line.startswith("> "), line.startswith("~ ")
        try:
            if not is_value and not is_drawn:
                exec(line, known)
                text.append(line)
                value_of("\n".join([*text, "result = np.zeros(1)"]))
                continue
            wanted = eval(line[2:], known)
            parts = wanted if isinstance(wanted, tuple) and not all(isinstance(p, int) for p in wanted) else None
            for i, part in enumerate(parts or [wanted]):
                index = f"[{i}]" if parts else ""
                got = value_of("\n".join([*text, f"result = np.asarray(({line[2:]}){index})"]))
                problem = difference(got, part, is_value)
                if problem:
                    raise AssertionError(problem)
        except Exception as error:
            failures.append((line, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"))
    return n, failures


def main():
    text = (pathlib.Path(__file__).parent / "tutorials.txt").read_text()
    lines = failed = 0
    for section in text.split("### ")[1:]:
        n, failures = run(section)
        lines += n
        failed += len(failures)
        for line, problem in failures:
            print(f"{section.splitlines()[0]}: {line}\n    {problem}")
    print(f"{lines} lines, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
