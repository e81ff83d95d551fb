#!/usr/bin/env python3
"""Random expressions, by the language and by NumPy: dtypes, shapes, and values within the rounding that is allowed.

    differential.py [--count N] [--seed S] [--only I]

The binding of tests/array_api runs the texts in this process (HEDDLE_LIBRARY, HEDDLE_INCLUDE: see there). A failure
prints the program; --only runs one again. Exits with 77 where there is no NumPy >= 2.3.
"""
import argparse
import ctypes
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "array_api"))
try:
    import numpy as np
    if np.lib.NumpyVersion(np.__version__) < "2.3.0":
        raise ImportError
except ImportError:
    print("skipped: no NumPy >= 2.3")
    sys.exit(77)

LIMIT = 40  # of failures that are worth printing

import operations
from expressions import KINDS, Program, compare
from heddle_array_api.array import Array, from_numpy
from heddle_array_api.headers import rows
from heddle_array_api.library import INCLUDE, Handle, declared, library


def run(program):
    """Our values of all variables."""
    names = list(program.inputs)
    binding = declared.structs["heddle_binding"]
    handles = [from_numpy(program.inputs[name]) for name in names]
    wanted = [node.text for node in program.nodes if node.text not in program.inputs]
    inputs = (binding * len(names))(*((n.encode(), h._as_parameter_) for n, h in zip(names, handles)))
    outputs = (binding * len(wanted))(*((n.encode(), None) for n in wanted))
    library.heddle_expr_run(program.text.encode(), len(names), inputs, len(wanted), outputs)
    return {name: np.asarray(Array(Handle(output.array))) for name, output in zip(wanted, outputs)}


def check(number, seed):
    """The failure of a program as text, or None."""
    program = Program(random.Random(f"{seed}.{number}"))
    if not program.statements:
        return None
    try:
        values = run(program)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    else:
        problems = [(name, compare(values[name], node)) for node in program.nodes
                    if (name := node.text) in values]
        problem = next((f"{name}: {text}" for name, text in problems if text), None)
    if not problem:
        return None
    shown = "\n".join(f"    {name} = {value!r}" for name, value in program.inputs.items())
    return f"program {number}: {problem}\n{shown}\n    " + program.text.replace("\n", "\n    ")


def functions_of_the_language():
    """The names in its tables, as they are written in src/expr/functions."""
    text = "".join(path.read_text() for path in (pathlib.Path(INCLUDE).parent / "src/expr/functions").rglob("*.c"))
    macros = "PLAIN|UNARY|BINARY|REDUCE|REDUCE_DTYPE|STACK|TRIANGLE|VARIANCE|CLOSE"
    names = {name for pair in re.findall(rf'\b(?:{macros})\((\w+)|\{{"([\w.]+)",\s+"[^"]*",\s+\w', text) for name in pair if name}
    names |= {row[1] for row in rows(INCLUDE, "ops", "HEDDLE_OP")}
    return names - {"name"}  # a macro's own parameter


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=int)
    arguments = parser.parse_args()
    texts = " ".join(text for _, text in KINDS)
    # Random numbers are other ones than NumPy's: tests/random has their tests.
    missing = sorted(name for name in functions_of_the_language()
                     if name not in operations.APART and not name.startswith(("random.", "Generator.")) and not re.search(rf"\b{name}\(", texts))
    failures = []
    numbers = [arguments.only] if arguments.only is not None else range(arguments.count)
    for number in numbers:
        if failure := check(number, arguments.seed):
            failures.append(failure)
            print(failure, file=sys.stderr)
            if len(failures) >= LIMIT:
                break
    print(f"{len(numbers)} programs, {len(failures)} failures")
    if missing:
        print(f"functions that no expression has: {missing}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
