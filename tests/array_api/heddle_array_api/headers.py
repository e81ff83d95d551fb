"""What the public headers declare, as ctypes needs it: structs, enumerators and functions.

Nothing of the C interface is written a second time here: the C preprocessor reads heddle.h, and each declaration is
taken from what it prints. So a function, an option or a dtype that is new in the headers is there at once.
"""
import ctypes
import re
import subprocess

PLAIN = {
    "void": None, "bool": ctypes.c_bool, "_Bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int,
    "int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16,
    "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t, "double": ctypes.c_double,
}


class Parameter:
    """A parameter of a function: its name, its ctypes type, and the C type without const and spaces."""

    def __init__(self, name, c_type, ctype):
        self.name, self.c_type, self.ctype = name, c_type, ctype


class Declarations:
    """structs: classes by tag. enumerators: numbers by name. functions: (result, parameters) by name."""

    def __init__(self, include, compiler):
        self.types = dict(PLAIN)
        self.structs, self.enumerators, self.functions = {}, {}, {}
        for text in _declarations(include, compiler):
            self._take(text)

    def _take(self, text):
        if match := re.fullmatch(r"struct (\w+) \{(.*)\}", text):
            self._take_struct(*match.groups())
        elif match := re.fullmatch(r"enum (?:\w+ )?\{(.*)\}", text):
            self._take_enum(match[1])
        elif match := re.fullmatch(r"typedef ([\w ]+?) (\w+)", text):
            if not match[1].startswith("struct"):
                self.types[match[2]] = self.types[match[1]]
        elif text.startswith("typedef"):
            pass  # a pointer to a struct, or a function type: pointers without a class
        elif match := re.fullmatch(r"(.*?)(heddle_\w+)\((.*)\)", text):
            self.functions[match[2]] = self._function(match[1], match[3])

    def _take_struct(self, tag, body):
        fields = []
        for field in filter(None, (f.strip() for f in body.split(";"))):
            if match := re.search(r"\(\*(\w+)\)", field):
                fields.append((match[1], ctypes.c_void_p))
                continue
            base, names = re.fullmatch(r"((?:const )?(?:struct |enum )?\w+) (.*)", field).groups()
            for name in names.split(","):
                parameter = self._parameter(f"{base} {name.strip()}", in_struct=True)
                fields.append((parameter.name, parameter.ctype))
        self.structs[tag] = type(tag, (ctypes.Structure,), {"_fields_": fields})

    def _take_enum(self, body):
        number = -1
        for entry in filter(None, (e.strip() for e in body.split(","))):
            name, _, value = entry.partition("=")
            number = int(value) if value else number + 1
            self.enumerators[name.strip()] = number

    def _function(self, result, parameters):
        result = self._parameter(f"{result.strip()} result" if "*" not in result else result + "result")
        if parameters.strip() == "void":
            return result, []
        return result, [self._parameter(p.strip()) for p in parameters.split(",")]

    def _parameter(self, text, in_struct=False):
        text = re.sub(r"\bconst\b|\bextern\b", " ", text)
        match = re.fullmatch(r"\s*((?:struct |enum )?\s*\w+)\s*([*\s]*)(\w+)\s*(?:\[([\w +]*)\])?", text)
        base, stars, name, extent = match.groups()
        base = " ".join(base.split())
        pointers = stars.count("*")
        if extent is not None and not in_struct:
            pointers += 1
        c_type = base + "*" * pointers
        ctype = self._ctype(base, pointers)
        if extent is not None and in_struct:
            ctype = ctype * sum(int(self.enumerators.get(term, term)) for term in extent.split(" + "))
        return Parameter(name, c_type, ctype)

    def _ctype(self, base, pointers):
        kind, _, tag = base.partition(" ")
        if kind == "enum":
            plain = ctypes.c_int
        elif kind == "struct":
            plain = self.structs.get(tag)
        else:
            plain = self.types.get(base)
        if not pointers:
            return plain
        if plain is ctypes.c_char and pointers == 1:
            return ctypes.c_char_p
        ctype = ctypes.POINTER(plain) if plain else ctypes.c_void_p
        for _ in range(pointers - 1):
            ctype = ctypes.POINTER(ctype)
        return ctype


def _declarations(include, compiler):
    """Each declaration of the public headers, in order, on one line."""
    preprocessed = subprocess.run([*compiler, "-E", "-I", include, "-x", "c", "-"], input="#include <heddle.h>\n",
                                  capture_output=True, text=True, check=True).stdout
    ours, lines = False, []
    for line in preprocessed.splitlines():
        if match := re.match(r'# \d+ "([^"]*)"', line):
            ours = re.search(r"/heddle(/\w+)?\.(h|def)$", match[1]) is not None
        elif ours:
            lines.append(line)
    text = re.sub(r'__attribute__\(\(visibility\("default"\)\)\)', "", " ".join(lines))
    depth, start = 0, 0
    for at, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == ";" and depth == 0:
            yield " ".join(text[start:at].split())
            start = at + 1


def rows(include, table, macro):
    """The rows of a .def file: lists of their columns."""
    with open(f"{include}/heddle/{table}.def") as file:
        for row in re.findall(rf"^{macro}\((.*)\)$", file.read(), re.M):
            yield [column.strip() for column in row.split(",")]
