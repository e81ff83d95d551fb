/* Mutations: bytes changed, removed, doubled, tokens put in or swapped, expressions spliced.
 * Entry points: mutate.h. */
#include "mutate.h"

#include <string.h>

static const char *const valid[] = {
#define VALUE(text, dtype, ndim, value) text,
#include "expr_values.def"
#undef VALUE
    "sqrt(sum(abs(a)**2))",
    "0.25*(a[1:,1:-1] + a[:-1,1:-1] + b[:, 2:] + b[1:,:-2])",
    "d = a - b; d / maximum(abs(a), abs(b))",
    "@fuse\ndef f(x, y=2):\n  d = x - y\n  return d * d\nf(a, b) + f(b)",
    "@vectorize\ndef g(x):\n  if x > 2:\n    return 1\n  elif x < 0: x = 3\n  return x\ng(a)",
    "x = where(a > 2, a, zeros_like(b, dtype='f4'))\nx[::-1, None] *= -1\nsum(x, axis=(0, -1))",
    "concat([a.T, b.T[::-1]], axis=1).reshape(-1, 3).mean(axis=0, keepdims=True)",
};

static const char *const tokens[] = {
    "(",         ")",
    "[",         "]",
    ",",         ":",
    "::",        "...",
    "+",         "-",
    "*",         "**",
    "/",         "//",
    "%",         "@",
    "~",         "<<",
    ">>",        "&",
    "|",         "^",
    "<",         "<=",
    "==",        "!=",
    "=",         "+=",
    "//=",       ".",
    ";",         "\n",
    "\\\n",      "#",
    "'",         "\"",
    "a",         "b",
    "x",         "n",
    "m",         "q",
    "np.",       "None",
    "def f(",    "return ",
    "if ",       "else:",
    "\n  ",      "@vectorize\n",
    "0",         "1",
    "-1",        "2.5",
    "1j",        "0x",
    "1e",        "1_",
    "True",      "not ",
    " and ",     " or ",
    " if ",      " is ",
    "lambda",    "axis=",
    "dtype=",    "keepdims=True",
    "'f4'",      "float32",
    "int",       ".T",
    ".shape",    ".sum()",
    ".reshape(", "9223372036854775807",
    "1e999",     "\xc3",
    "\xff",      "{",
    ":=",        "sum(",
    "zeros(",    "array([",
    "arange(",   "concat(",
    "a[0]=",     "import ",
    "$",         " ",
    "\t",
};

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

const char *valid_expression(size_t i)
{
    return i < sizeof valid / sizeof *valid ? valid[i] : NULL;
}

/* Replaces `removed` bytes at `at` by a text, if there is room. */
static void splice(char *text, size_t at, size_t removed, const char *put, size_t n_put)
{
    const size_t n = strlen(text);
    if (at > n) at = n;
    if (removed > n - at) removed = n - at;
    if (n - removed + n_put >= MUTANT_MAX) return;
    memmove(text + at + n_put, text + at + removed, n - at - removed + 1);
    memcpy(text + at, put, n_put);
}

void mutate_expression(uint64_t *state, char out[MUTANT_MAX])
{
    const size_t n_valid = sizeof valid / sizeof *valid, n_tokens = sizeof tokens / sizeof *tokens;
    strncpy(out, valid[next(state) % n_valid], MUTANT_MAX - 1);
    out[MUTANT_MAX - 1] = 0;
    for (uint64_t k = 1 + next(state) % 4; k > 0; k--) {
        const size_t at = next(state) % (strlen(out) + 1);
        const char *const token = tokens[next(state) % n_tokens];
        const char *const other = valid[next(state) % n_valid];
        const char byte = (char)(1 + next(state) % 255);
        const size_t few = next(state) % 4;
        char piece[8];
        switch (next(state) % 6) {
        case 0: splice(out, at, 0, token, strlen(token)); break;
        case 1: splice(out, at, 1, token, strlen(token)); break;
        case 2: splice(out, at, few, "", 0); break;
        case 3: splice(out, at, 1, &byte, 1); break;
        case 4: splice(out, at, few, other, strlen(other)); break;
        default: /* doubled */
            memcpy(piece, out + at / 2, strnlen(out + at / 2, sizeof piece));
            splice(out, at, 0, piece, strnlen(out + at / 2, sizeof piece));
            break;
        }
    }
}
