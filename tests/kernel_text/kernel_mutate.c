/* 10,000 mutated texts of kernels, and of their preambles: each is an error that says where, or a kernel that records, or says why it cannot; and
 * nothing stays behind. What has no loops is computed, as a straight line and by the interpreter. */
#include "blocks_left.h"
#include "check.h"
#include "expr/mutate.h"
#include "graph/node.h"

#include <heddle.h>
#include <stdlib.h>

static const char *const valid[] = {
    "z = (x - y) * (x - y)",
    "T s = 0; for (int k = 0; k < 5; k++) { if (x > k) s += x - k; else s -= k; } z = s;",
    "float t = sinf(x) * 2.5f + pow(y, 3); z = t > 1 ? t : -t;",
    "int j = (int)x % 7; while (j > 0) { z += j--; }",
    "double a = x, b = 1; do { b = (b + a / b) / 2; } while (b * b > a + 1e-6); z = b;",
    "if (isnan(x)) { z = y; } else if (x < y) z = max(x, y); else { const T c = x; z = c * c; }",
    "uint64_t h = 0xcbf29ce484222325; h ^= (unsigned char)x; h *= 0x100000001b3; z = h >> 3;",
    "complex<double> c = x; c = c * c + y; z = abs(c) < 2 ? real(c) : c.imag();",
    "for (int k = 0, m = 9; k < m; ++k, --m) { if (k == 3) break; continue; } // end\nz = i + n",
    "/* of\ntwo lines */ z = x;",
    "z = x && !y || ~(int)x & 3 | 1 ^ 2 << 1;",
    "T a[4] = {x, y}; a[2] = a[0] + a[1]; a[(int)x & 3] += 2; z = a[3] - a[i];",
    "switch ((int)x & 3) { case 0: case 1: z = y; break; case 2: z = x; break; default: z = 1; }",
    "int at[] = {_ind.get()[0], 'a', 017}; z = at[0] * 2 + at[1] + at[2] + 0b11 + half(x);",
    "z = first(x, second(y, 3)) + (x > 0 ? second(x, 2) : first(y, x)) - fma(x, y, 2);",
};

static const char preamble[] =
    "T half(T v) { return v / 2; }\n"
    "T first(T a, T b) { if (a > b) return half(a); for (int k = 0; k < 3; k++) { if (b > k) "
    "return "
    "b; } return a; }\n"
    "inline float second(float v, int n) { int k = 0; while (k < n && v > 1) { v = v / 2; k++; } "
    "return v + k; }";

static const char *const tokens[] = {
    "(",          ")",     "{",        "}",         "[",      "]",
    ";",          ",",     "+",        "-",         "*",      "/",
    "%",          "<<",    ">>",       "<",         "<=",     "==",
    "!=",         "=",     "+=",       "++",        "--",     "&&",
    "||",         "!",     "~",        "?",         ":",      ".",
    "x",          "y",     "z",        "T ",        "i",      "n",
    "_ind",       "int ",  "float ",   "unsigned ", "const ", "auto ",
    "if (",       "else ", "for (",    "while (",   "do ",    "break;",
    "continue;",  "0",     "1",        "2.5",       "1e99",   "0xff",
    "9999999999", "1u",    "sin(",     "min(",      "abs(",   "complex<float>",
    "(T)",        "/*",    "*/",       "//",        "\n",     "\xc3",
    "$",          "#",     "\"",       " ",         "real(",  ".real()",
    "switch (",   "case ", "default:", "return ",   "[2]",    "= {",
    "_ind.get()", "'a'",   "010",      "fma(",      "half(",  "second(",
};

enum { N_VALID = sizeof valid / sizeof *valid, N_TOKENS = sizeof tokens / sizeof *tokens };

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void splice(char *text, size_t at, size_t removed, const char *put)
{
    const size_t n = strlen(text), n_put = strlen(put);
    if (at > n) at = n;
    if (removed > n - at) removed = n - at;
    if (n - removed + n_put >= MUTANT_MAX) return;
    memmove(text + at + n_put, text + at + removed, n - at - removed + 1);
    memcpy(text + at, put, n_put);
}

/* The text `from` with one or two places changed. */
static void mutate(uint64_t *state, const char *from, char out[MUTANT_MAX])
{
    snprintf(out, MUTANT_MAX, "%s", from);
    for (uint64_t k = 1 + next(state) % 2; k > 0; k--) {
        const size_t at = next(state) % (strlen(out) + 1), few = next(state) % 4;
        const char byte[2] = {(char)(1 + next(state) % 255), 0};
        switch (next(state) % 5) {
        case 0: splice(out, at, 0, tokens[next(state) % N_TOKENS]); break;
        case 1: splice(out, at, few, tokens[next(state) % N_TOKENS]); break;
        case 2: splice(out, at, few, ""); break;
        case 3: splice(out, at, 1, byte); break;
        default: splice(out, at, 0, valid[next(state) % N_VALID]); break;
        }
    }
}

static int n_good, n_compared, n_preambles, n_reductions;

static const char *const loops_and_functions[] = {"for", "while", "do",     "sin",
                                                  "pow", "abs(c", "complex"};

/* The value as a straight line beside that of the interpreter, which is asked for by a loop that data end. */
static void compare(const char *text, heddle_array *x, heddle_array *z)
{
    char inside[MUTANT_MAX + 100];
    float straight[3], other[3];
    for (size_t i = 0; i < sizeof loops_and_functions / sizeof *loops_and_functions; i++)
        if (strstr(text, loops_and_functions[i])) return;
    snprintf(inside, sizeof inside,
             "int once_ = 0; while (once_ < 1 + (x != x && once_ < 0)) { %s\n; once_++; }", text);
    heddle_kernel *const k =
        heddle_kernel_with_preamble(preamble, "T x, T y", "T z", inside, "inside");
    heddle_array *const w = heddle_kernel_apply(k, HEDDLE_ARRAYS(x, x));
    heddle_kernel_release(k);
    if (heddle_status_of(w) != HEDDLE_OK) return; /* a bracket that closes ours */
    CHECK_EQ(heddle_read(heddle_astype(z, HEDDLE_FLOAT32), straight, sizeof straight), HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_astype(w, HEDDLE_FLOAT32), other, sizeof other), HEDDLE_OK);
    for (int i = 0; i < 3; i++)
        CHECK(straight[i] == other[i] || (isnan(straight[i]) && isnan(other[i])), "'%s': %g, %g",
              text, (double)straight[i], (double)other[i]);
    n_compared++;
}

static void check_one(const char *text, enum heddle_dtype dtype)
{
    static const double three[3] = {0.5, -2, 3};
    heddle_scope scope = heddle_scope_open();
    heddle_kernel *const k =
        heddle_kernel_with_preamble(preamble, "T x, T y", "T z", text, "mutant");
    heddle_array *const x =
        heddle_astype(heddle_asarray(three, HEDDLE_FLOAT64, HEDDLE_SHAPE(3)), dtype);
    heddle_array *const z = heddle_kernel_apply(k, HEDDLE_ARRAYS(x, x));
    const enum heddle_status status = heddle_status_of(z);
    n_good += status == HEDDLE_OK;
    CHECK(status != HEDDLE_EINTERNAL && status != HEDDLE_ENOMEM, "'%s'", text);
    if (heddle_kernel_status(k) != HEDDLE_OK) {
        CHECK_EQ(status, heddle_kernel_status(k));
        CHECK(strstr(heddle_kernel_error(k), "operation, line ") != NULL, "'%s': %s", text,
              heddle_kernel_error(k));
    } else if (status != HEDDLE_OK) {
        CHECK_HAS(heddle_error(z), "kernel 'mutant'");
    }
    heddle_kernel_release(k);
    if (status == HEDDLE_OK) compare(text, x, z);
    heddle_scope_close(scope);
}

/* The preamble mutated: an error of it, or of the operation that calls it. */
static void check_preamble(const char *text, enum heddle_dtype dtype)
{
    static const double three[3] = {0.5, -2, 3};
    heddle_scope scope = heddle_scope_open();
    heddle_kernel *const k = heddle_kernel_with_preamble(
        text, "T x", "T z", "z = first(half(x), second(x, 4))", "mutant");
    heddle_array *const x =
        heddle_astype(heddle_asarray(three, HEDDLE_FLOAT64, HEDDLE_SHAPE(3)), dtype);
    heddle_array *const z = heddle_kernel_apply(k, HEDDLE_ARRAYS(x));
    const enum heddle_status status = heddle_status_of(z);
    n_preambles += status == HEDDLE_OK;
    CHECK(status != HEDDLE_EINTERNAL && status != HEDDLE_ENOMEM, "'%s'", text);
    if (status != HEDDLE_OK)
        CHECK(strstr(heddle_error(z), "line ") != NULL, "'%s': %s", text, heddle_error(z));
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

/* Texts of a reduction, of which one is mutated: map, reduction, post-map, identity, types. */
static const char *const parts[] = {"x * y, i", "a0 + b0 * 2, a1 < b1 ? a1 : b1 + 0 * a1",
                                    "z = sqrt(a0) + n; if (a1 > 2) z = a1", "0, INFINITY",
                                    "float, int"};
enum { N_PARTS = sizeof parts / sizeof *parts };

static void check_reduction(uint64_t *state, int part, enum heddle_dtype dtype)
{
    static const double six[6] = {0.5, -2, 3, 1, 7, 2};
    char text[MUTANT_MAX];
    const char *t[N_PARTS];
    mutate(state, parts[part], text);
    for (int i = 0; i < N_PARTS; i++) t[i] = i == part ? text : parts[i];
    heddle_scope scope = heddle_scope_open();
    heddle_kernel *const k = heddle_kernel_reduction("T x, T y", "T z", t[0], t[1], t[2],
                                                     .identity = t[3], .type = t[4]);
    heddle_array *const x =
        heddle_astype(heddle_asarray(six, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3)), dtype);
    heddle_array *const z = heddle_kernel_reduce(k, HEDDLE_ARRAYS(x, x), .axis = 1);
    const enum heddle_status status = heddle_status_of(z);
    CHECK(status != HEDDLE_EINTERNAL && status != HEDDLE_ENOMEM, "'%s'", text);
    if (heddle_kernel_status(k) != HEDDLE_OK) CHECK_EQ(status, heddle_kernel_status(k));
    if (status != HEDDLE_OK) CHECK_HAS(heddle_error(z), "kernel 'reduction'");
    n_reductions += status == HEDDLE_OK;
    heddle_kernel_release(k);
    if (status == HEDDLE_OK && !strstr(text, "for") && !strstr(text, "while") &&
        !strstr(text, "do"))
        CHECK(heddle_eval(z) == HEDDLE_OK, "'%s': %s", text, heddle_error(z));
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 10000;
    uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x9e3779b97f4a7c15u;
    heddle__node_pooling(false);
    for (int i = 0; i < n; i++) {
        char text[MUTANT_MAX];
        mutate(&state, valid[next(&state) % N_VALID], text);
        check_one(text, i % 2 ? HEDDLE_FLOAT32 : HEDDLE_INT32);
        if (i % 4 == 0) {
            mutate(&state, preamble, text);
            check_preamble(text, i % 8 ? HEDDLE_FLOAT32 : HEDDLE_INT32);
        }
        check_reduction(&state, i % N_PARTS, i % 2 ? HEDDLE_FLOAT32 : HEDDLE_INT32);
        const int64_t left = blocks_left();
        CHECK(left == 0, "%lld blocks are left by '%s'", (long long)left, text);
        if (left != 0) break;
    }
    fprintf(stderr, "%d of %d mutants are kernels, %d were computed\n", n_good, n, n_compared);
    CHECK(n_good > n / 50 && n_compared > n / 100 && n_preambles > n / 200 &&
          n_reductions > n / 50);
    return check_done();
}
