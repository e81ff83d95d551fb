/* Variables (a hash table) and built-in names: constants, dtypes, np.
 * Entry points: heddle__expr_variable_get, heddle__expr_variable_set, heddle__expr_builtin. */
#include "expr/names.h"
#include "base/dtype.h"
#include "base/memory.h"
#include "expr/functions/functions.h"
#include "expr/value.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- Variables ---------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *name, size_t length)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)name[i]) * 1099511628211u;
    return h ^ (h >> 29);
}

/* The slot of a name, or the free one where it belongs; the table is never full. */
static struct variable *slot_of(struct variable *table, int64_t capacity, const char *name,
                                size_t length)
{
    const uint64_t mask = (uint64_t)capacity - 1;
    uint64_t i = hash_of(name, length) & mask;
    while (table[i].name && (table[i].length != length || memcmp(table[i].name, name, length) != 0))
        i = (i + 1) & mask;
    return &table[i];
}

static const struct value *find(const struct variable *table, int64_t capacity, const char *name,
                                size_t length)
{
    if (!capacity) return NULL;
    const struct variable *v = slot_of((struct variable *)(uintptr_t)table, capacity, name, length);
    return v->name && v->value.kind != VALUE_ABSENT ? &v->value : NULL;
}

const struct value *heddle__expr_local(const struct run *run, const char *name, size_t length)
{
    return find(run->variables, run->variable_capacity, name, length);
}

const struct value *heddle__expr_variable_get(const struct run *run, const char *name,
                                              size_t length)
{
    const struct value *const own = heddle__expr_local(run, name, length);
    return own || !run->globals ? own : find(run->globals, run->global_capacity, name, length);
}

static bool grow(struct run *run)
{
    const int64_t capacity = run->variable_capacity ? 2 * run->variable_capacity : 16;
    struct variable *table = heddle__calloc((size_t)capacity, sizeof *table);
    if (!table) return heddle__expr_no_memory(run);
    for (int64_t i = 0; i < run->variable_capacity; i++) {
        const struct variable *v = &run->variables[i];
        if (v->name) *slot_of(table, capacity, v->name, v->length) = *v;
    }
    heddle__free(run->variables);
    run->variables = table;
    run->variable_capacity = capacity;
    return true;
}

bool heddle__expr_variable_set(struct run *run, const char *name, size_t length, struct value value)
{
    if (2 * (run->n_variables + 1) > run->variable_capacity && !grow(run)) return false;
    struct variable *v = slot_of(run->variables, run->variable_capacity, name, length);
    run->n_variables += !v->name;
    *v = (struct variable){.name = name, .length = length, .value = value};
    return true;
}

/* ---- Built-in names --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    double value;
} constants[] = {
    {"pi", 3.14159265358979323846},
    {"e", 2.71828182845904523536},
    {"euler_gamma", 0.57721566490153286061},
    {"inf", INFINITY},
    {"nan", NAN},
};

static const struct {
    const char *name;
    enum heddle_dtype dtype;
    bool python;
} dtypes[] = {
    {"int", HEDDLE_INT64, true},          {"float", HEDDLE_FLOAT64, true},
    {"complex", HEDDLE_COMPLEX128, true},
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy)                                            \
    {#name, HEDDLE_##ID, HEDDLE_##ID == HEDDLE_BOOL},
#define HEDDLE_STORAGE_DTYPE HEDDLE_DTYPE
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
    {"bool_", HEDDLE_BOOL, false},        {"byte", HEDDLE_INT8, false},
    {"ubyte", HEDDLE_UINT8, false},       {"short", HEDDLE_INT16, false},
    {"ushort", HEDDLE_UINT16, false},     {"intc", HEDDLE_INT32, false},
    {"uintc", HEDDLE_UINT32, false},      {"int_", HEDDLE_INT64, false},
    {"uint", HEDDLE_UINT64, false},       {"intp", HEDDLE_INT64, false},
    {"uintp", HEDDLE_UINT64, false},      {"longlong", HEDDLE_INT64, false},
    {"ulonglong", HEDDLE_UINT64, false},  {"single", HEDDLE_FLOAT32, false},
    {"half", HEDDLE_FLOAT16, false},      {"double", HEDDLE_FLOAT64, false},
    {"csingle", HEDDLE_COMPLEX64, false}, {"cdouble", HEDDLE_COMPLEX128, false},
};

static const char *const modules[] = {"np", "cp", "xp", "numpy", "cupy"};

/* Of NumPy's. Their functions have rows with the whole name: "linalg.svd". */
static const char *const submodules[] = {"fft", "linalg", "random"};

static const char *const builders[] = {
    [BUILDER_MGRID] = "mgrid", [BUILDER_OGRID] = "ogrid", [BUILDER_ROWS] = "r_",
    [BUILDER_COLUMNS] = "c_",  [BUILDER_INDEX] = "s_",    [BUILDER_INDEX_TUPLE] = "index_exp"};

enum {
    N_BUILDERS = sizeof builders / sizeof *builders,
    N_CONSTANTS = sizeof constants / sizeof *constants,
    N_DTYPES = sizeof dtypes / sizeof *dtypes,
    N_MODULES = sizeof modules / sizeof *modules,
    N_SUBMODULES = sizeof submodules / sizeof *submodules,
};

/* All built-in names as variables, in a table that the first look-up of the process makes. */
enum { CAPACITY = 2048 };
static struct variable builtins[CAPACITY];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void add_builtin(const char *name, struct value value)
{
    struct variable *v = slot_of(builtins, CAPACITY, name, strlen(name));
    if (!v->name) *v = (struct variable){.name = name, .length = strlen(name), .value = value};
}

static void make_builtins(void)
{
    size_t n = 0;
    for (const struct function *f; (f = heddle__expr_function_at(n)); n++) {
        struct value v = {.kind = VALUE_FUNCTION};
        v.function = f;
        add_builtin(f->name, v);
    }
    HEDDLE_ASSERT(n + N_CONSTANTS + N_DTYPES + N_MODULES + N_SUBMODULES + N_BUILDERS + 1 <=
                  CAPACITY / 2);
    for (size_t i = 0; i < N_CONSTANTS; i++)
        add_builtin(constants[i].name,
                    (struct value){.kind = VALUE_FLOAT, .re = constants[i].value});
    for (size_t i = 0; i < N_DTYPES; i++)
        add_builtin(dtypes[i].name, (struct value){.kind = VALUE_DTYPE,
                                                   .dtype = dtypes[i].dtype,
                                                   .python = dtypes[i].python,
                                                   .class = true});
    for (size_t i = 0; i < N_MODULES; i++)
        add_builtin(modules[i], (struct value){.kind = VALUE_MODULE});
    for (size_t i = 0; i < N_SUBMODULES; i++) /* as after `from numpy import *` */
        add_builtin(submodules[i], (struct value){.kind = VALUE_MODULE, .module = submodules[i]});
    for (size_t i = 0; i < N_BUILDERS; i++) {
        struct value v = {.kind = VALUE_BUILDER};
        v.builder = (enum builder)i;
        add_builtin(builders[i], v);
    }
    struct value class;
    const char *name;
    for (size_t i = 0; heddle__expr_type(i, &class, &name); i++) add_builtin(name, class);
    add_builtin("newaxis", (struct value){.kind = VALUE_NONE});
    add_builtin("Ellipsis", (struct value){.kind = VALUE_ELLIPSIS});
}

bool heddle__expr_builtin(const char *name, size_t length, struct value *out)
{
    pthread_once(&once, make_builtins);
    const struct variable *v = slot_of(builtins, CAPACITY, name, length);
    if (v->name) *out = v->value;
    return v->name;
}

const struct function *heddle__expr_function(const char *name, size_t length)
{
    struct value v;
    return heddle__expr_builtin(name, length, &v) && v.kind == VALUE_FUNCTION ? v.function : NULL;
}

bool heddle__expr_submodule(const char *name, size_t length, struct value *out)
{
    for (size_t i = 0; i < N_SUBMODULES; i++)
        if (strlen(submodules[i]) == length && !memcmp(submodules[i], name, length)) {
            *out = (struct value){.kind = VALUE_MODULE};
            out->module = submodules[i];
            return true;
        }
    return false;
}

bool heddle__expr_of_module(struct run *run, const char *module, size_t at, const char *name,
                            size_t length, struct value *out)
{
    char whole[64];
    const int shown = length > 60 ? 60 : (int)length;
    if (!module) {
        const bool found = heddle__expr_submodule(name, length, out) ||
                           (heddle__expr_builtin(name, length, out) && out->kind != VALUE_MODULE);
        out->at = at;
        return found || (!heddle__expr_known_missing(run, at, name, length) &&
                         heddle__expr_unknown_name(run, "np.", at, length, false));
    }
    const int n = snprintf(whole, sizeof whole, "%s.%.*s", module, shown, name);
    *out = (struct value){.kind = VALUE_FUNCTION, .at = at};
    if (n < (int)sizeof whole) out->function = heddle__expr_function(whole, (size_t)n);
    return out->function || heddle__expr_fail(run, HEDDLE_ENAME, at, "np.%s has no function '%.*s'",
                                              module, shown, name);
}

bool heddle__expr_dtype_of_name(const char *name, size_t length, enum heddle_dtype *out)
{
    static const char letters[] = "?bBhHiIlLqQefdFD";
    static const enum heddle_dtype of_letters[] = {
        HEDDLE_BOOL,    HEDDLE_INT8,    HEDDLE_UINT8,     HEDDLE_INT16,
        HEDDLE_UINT16,  HEDDLE_INT32,   HEDDLE_UINT32,    HEDDLE_INT64,
        HEDDLE_UINT64,  HEDDLE_INT64,   HEDDLE_UINT64,    HEDDLE_FLOAT16,
        HEDDLE_FLOAT32, HEDDLE_FLOAT64, HEDDLE_COMPLEX64, HEDDLE_COMPLEX128};
    struct value v;
    if (heddle__expr_builtin(name, length, &v) && v.kind == VALUE_DTYPE) {
        *out = v.dtype;
        return true;
    }
    if (length > 0 && strchr("<=|", name[0])) {
        name++;
        length--;
    }
    char code[8] = {0};
    if (length == 0 || length >= sizeof code) return false;
    memcpy(code, name, length);
    const char *letter = length == 1 ? strchr(letters, code[0]) : NULL;
    *out = letter ? of_letters[letter - letters] : heddle__dtype_from_npy(code);
    return *out != HEDDLE_DTYPE_NONE;
}

void heddle__expr_each_builtin(heddle__expr_name_visitor *visit, void *user)
{
    const struct function *f;
    for (size_t i = 0; (f = heddle__expr_function_at(i)); i++)
        visit(user, f->name, strlen(f->name));
    for (size_t i = 0; i < N_CONSTANTS; i++)
        visit(user, constants[i].name, strlen(constants[i].name));
    for (size_t i = 0; i < N_DTYPES; i++) visit(user, dtypes[i].name, strlen(dtypes[i].name));
    struct value class;
    const char *name;
    for (size_t i = 0; heddle__expr_type(i, &class, &name); i++) visit(user, name, strlen(name));
    visit(user, "newaxis", 7);
}
