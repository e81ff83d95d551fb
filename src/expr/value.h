/* Values of the expression language, and the state of one run of a text. A value is Python's
 * scalar, a tuple, a dtype, ... or an array; arrays belong to the scope that the run opened. */
#ifndef HEDDLE_EXPR_VALUE_H
#define HEDDLE_EXPR_VALUE_H

#include "base/arena.h"
#include "base/error.h"
#include "expr/lexer/lexer.h"

#include <heddle/create.h>
#include <heddle/index.h>
#include <heddle/random.h>
#include <heddle/reduce.h>

enum {
    HEDDLE_EXPR_MAX_DEPTH = 200, /* nested brackets, signs, not, ** */
    HEDDLE_EXPR_MAX_ARGS = 8,    /* parameters of a function */
    HEDDLE_EXPR_MAX_INDEX = 32,  /* indices in one pair of brackets */
};

enum value_kind {
    VALUE_ABSENT, /* an argument that was not given */
    VALUE_NONE,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_COMPLEX,
    VALUE_STRING,
    VALUE_DTYPE,
    VALUE_ELLIPSIS,
    VALUE_TUPLE,
    VALUE_LIST,
    VALUE_ARRAY,
    VALUE_FUNCTION,
    VALUE_METHOD,     /* a function with `array` as its first argument */
    VALUE_GENERATOR,  /* of random numbers */
    VALUE_DRAW,       /* a function that draws from `generator` */
    VALUE_DEFINITION, /* a function of the text's: def */
    VALUE_KERNEL,     /* a kernel from text, which the run owns */
    VALUE_MODULE,     /* np, np.linalg */
    VALUE_PYTHON,     /* one of Python's own functions: print, range, min */
    VALUE_LIMITS,     /* finfo and iinfo of a dtype */
    VALUE_BUILDER,    /* np.mgrid, ... */
    VALUE_SLICE,      /* slice(start, stop, step): three items */
    VALUE_TYPE,       /* np.ndarray, np.integer, list, ...: classes that are no dtype */
};

enum builder {
    BUILDER_MGRID,
    BUILDER_OGRID,
    BUILDER_ROWS,
    BUILDER_COLUMNS,
    BUILDER_INDEX,       /* np.s_ */
    BUILDER_INDEX_TUPLE, /* np.index_exp */
};

struct definition;
struct function;
struct python_function;
struct type;

struct value {
    enum value_kind kind;
    uint32_t
        identity; /* ARRAY: of the object that it is in Python, for `is`; NONE: of a call that changed a place */
    size_t at; /* byte of the text that errors point to */
    union {
        bool boolean;
        int64_t integer;
        struct {
            double re, im; /* FLOAT: re */
        };
        struct {
            const char *text; /* STRING: inside the quotes */
            size_t length;
        };
        struct {
            enum heddle_dtype dtype;
            bool python; /* int, float, bool, complex: calling it makes a Python scalar */
            bool class;  /* np.float64, not dtype('float64') */
        };
        struct {
            const struct value *items; /* TUPLE, LIST: in the run's arena */
            int64_t n;
        };
        struct {
            union {
                heddle_array *array;
                struct heddle_generator *generator; /* GENERATOR, DRAW: in the run's arena */
            };
            const struct function *function;
        };
        struct {
            struct heddle_kernel *kernel;
            int n_results;
            bool reduces; /* it is a ReductionKernel */
        };
        const struct definition *definition; /* in the run's arena */
        const struct python_function *python_function;
        enum builder builder;
        const struct type *type;
        const char
            *module; /* MODULE: NULL: np; else the beginning of its functions' names: "linalg" */
    };
};

struct variable {
    const char *name; /* NULL: a free slot */
    size_t length;
    struct value value;
};

struct run;
/* Writes what print(...) prints: n values in a line. */
typedef bool heddle__expr_printer(struct run *run, int64_t n, const struct value *values);

/* One run of a text. */
struct run {
    const char *text;
    struct lexer lexer;
    struct token token; /* the next one */
    int depth;
    struct heddle_arena arena; /* items of tuples and lists */
    struct value *stack;       /* items and arguments being collected */
    int64_t n_stack, stack_capacity;
    struct variable *variables; /* open addressing; capacity a power of two */
    int64_t n_variables, variable_capacity;
    size_t signs_end; /* in the text: no '=' stands from there on */
    const struct variable
        *globals; /* while a function of the text's runs: the text's variables; else NULL */
    int64_t global_capacity;
    struct value last;    /* of the last statement */
    struct value changed; /* what a call in the statement made of the place that it changed */
    uint32_t n_arrays;    /* made so far */
    struct heddle_generator random;     /* np.random's own */
    struct heddle_generator *generator; /* of the method that is being called; NULL: `random` */
    struct owned_kernel *kernels;       /* that were made (making/kernels.c) */
    heddle__expr_printer *print;        /* what print(...) writes with; NULL: nothing is written */
    void *print_data;
    enum heddle_status code;
    char message[HEDDLE_ERROR_TEXT_MAX];
};

/* ---- Errors: each returns false; the first one of a run stays --------------------------------- */

bool heddle__expr_fail(struct run *run, enum heddle_status code, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool heddle__expr_no_memory(struct run *run);

/* ---- Variables and names ------------------------------------------------------------------------ */

/* The value of a variable; NULL: there is none. */
const struct value *heddle__expr_variable_get(const struct run *run, const char *name,
                                              size_t length);
/* The same of those alone that the function has, which is being run. */
const struct value *heddle__expr_local(const struct run *run, const char *name, size_t length);
bool heddle__expr_variable_set(struct run *run, const char *name, size_t length,
                               struct value value);

/* The value of a built-in name (functions, constants, dtypes, np); false: there is none. */
bool heddle__expr_builtin(const char *name, size_t length, struct value *out);
const struct function *heddle__expr_function(const char *name, size_t length);
/* A function of Python's own by its name without np. */
bool heddle__expr_python(const char *name, size_t length, struct value *out);
/* np.linalg and its kin by the name without np; false: it is none. */
bool heddle__expr_submodule(const char *name, size_t length, struct value *out);
/* The value of a module's name; on failure the error that says what it is. */
bool heddle__expr_of_module(struct run *run, const char *module, size_t at, const char *name,
                            size_t length, struct value *out);
/* If it is a name of NumPy's that is not there, sets the error that says so. */
bool heddle__expr_known_missing(struct run *run, size_t at, const char *name, size_t length);
/* Sets the error HEDDLE_ENAME with the nearest name, if one is near. */
bool heddle__expr_unknown_name(struct run *run, const char *what, size_t at, size_t length,
                               bool with_variables);
bool heddle__expr_unknown_attribute(struct run *run, size_t at, size_t length);

/* ---- Conversions ---------------------------------------------------------------------------------- */

/* "an array", "a tuple", ... */
const char *heddle__expr_value_name(const struct value *v);
bool heddle__expr_is_scalar(const struct value *v);   /* bool, int, float, complex */
bool heddle__expr_is_list(const struct value *v);     /* a tuple, too */
bool heddle__expr_is_function(const struct value *v); /* of any kind, and methods */
/* Whether it is a string of these characters. */
bool heddle__expr_is_text(const struct value *v, const char *text);
/* Makes an array: of a weak scalar or, with `strong`, of int64, float64, ...; of lists as asarray does. */
bool heddle__expr_to_array(struct run *run, const struct value *v, bool strong, heddle_array **out);
/* Makes an array of the dtype, or with HEDDLE_DTYPE_NONE as above, strong. Python's integers that the dtype lacks are
 * HEDDLE_ERANGE; elements of arrays are converted as heddle_astype does. */
bool heddle__expr_to_array_of(struct run *run, const struct value *v, enum heddle_dtype dtype,
                              heddle_array **out);
bool heddle__expr_to_dtype(struct run *run, const struct value *v, enum heddle_dtype *out);
/* NumPy's "same_kind" casts: to a kind that holds as much, of any size. */
bool heddle__expr_same_kind(enum heddle_dtype from, enum heddle_dtype to);
bool heddle__expr_to_int(struct run *run, const struct value *v, const char *what, int64_t *out);
bool heddle__expr_to_bool(struct run *run, const struct value *v, const char *what, bool *out);
/* As many integers as v has, which may be an array of one axis, too, and is evaluated then; to be freed with heddle__free. */
bool heddle__expr_to_many_ints(struct run *run, const struct value *v, const char *what,
                               int64_t **out, int64_t *n);
/* Puts an integer, or a tuple of them, into out[room]; *n: how many. */
bool heddle__expr_to_ints(struct run *run, const struct value *v, const char *what, int room,
                          int64_t *out, int *n);
bool heddle__expr_dtype_of_name(const char *name, size_t length, enum heddle_dtype *out);

bool heddle__expr_from_int(struct value *out, size_t at, int64_t i); /* true */
/* Makes a value of an array that the API returned; if that is an error, wraps it. */
bool heddle__expr_from_array(struct run *run, heddle_array *a, size_t at, struct value *out);

/* ---- Values of arrays: these two evaluate ------------------------------------------------------------ */

/* Python's number of an array of one element. */
bool heddle__expr_item(struct run *run, heddle_array *a, size_t at, struct value *out);
/* Python's nested lists of its elements; HEDDLE_ERANGE: they are many. */
bool heddle__expr_to_list(struct run *run, heddle_array *a, size_t at, struct value *out);

/* ---- The stack of values being collected ----------------------------------------------------------- */

bool heddle__expr_push(struct run *run, struct value v);
/* Makes a tuple or a list of what is above `base`, and takes it off. */
bool heddle__expr_take(struct run *run, int64_t base, enum value_kind kind, size_t at,
                       struct value *out);

/* ---- Operators --------------------------------------------------------------------------------------- */
/* `out` may be an operand. */

bool heddle__expr_binary(struct run *run, enum token_kind op, size_t at, const struct value *a,
                         const struct value *b, struct value *out);
bool heddle__expr_unary(struct run *run, enum token_kind op, size_t at, const struct value *a,
                        struct value *out);
/* a after an augmented assignment: of the dtype and shape that it had. */
bool heddle__expr_in_place(struct run *run, size_t at, const struct value *before,
                           struct value *after);
/* Python's arithmetic of scalars. */
bool heddle__expr_fold_binary(struct run *run, enum token_kind op, size_t at, const struct value *a,
                              const struct value *b, struct value *out);
bool heddle__expr_fold_unary(struct run *run, enum token_kind op, size_t at, const struct value *a,
                             struct value *out);
/* Whether a value that is no array is true in Python. */
bool heddle__expr_truth(const struct value *v);

/* ---- Calls, attributes, indices -------------------------------------------------------------------- */

/* Calls `f` with n positional values and n_keywords keyword ones after them, named by `keywords`
 * (STRING values). `args` may be changed. */
bool heddle__expr_call(struct run *run, const struct value *f, size_t at, const struct value *args,
                       int64_t n, const struct value *keywords, int64_t n_keywords,
                       struct value *out);
bool heddle__expr_call_python(struct run *run, const struct value *f, size_t at,
                              const struct value *args, int64_t n, const struct value *keywords,
                              int64_t n_keywords, struct value *out);
/* Functions of the text's. */
bool heddle__expr_call_definition(struct run *run, const struct value *f, size_t at,
                                  const struct value *args, int64_t n, const struct value *keywords,
                                  int64_t n_keywords, struct value *out);
/* The function that chooses by element where `f` has an `if`; others as they are. */
bool heddle__expr_by_element(struct run *run, const struct value *f, struct value *out);
/* Kernels from text: a call; the end of the run, which owns them. */
bool heddle__expr_call_kernel(struct run *run, const struct value *f, size_t at,
                              const struct value *args, int64_t n, const struct value *keywords,
                              int64_t n_keywords, struct value *out);
void heddle__expr_release_kernels(struct run *run);
bool heddle__expr_attribute(struct run *run, const struct value *v, size_t at, const char *name,
                            size_t length, struct value *out);

/* An index item as parsed: a slice, or a value. */
struct subscript {
    bool slice;
    struct value value;      /* of a slice the start */
    struct value stop, step; /* of a slice; None: not given */
};
bool heddle__expr_to_indices(struct run *run, const struct subscript *s, int n,
                             struct heddle_index *index);
bool heddle__expr_getitem(struct run *run, const struct value *v, size_t at,
                          const struct subscript *s, int n, struct value *out);
bool heddle__expr_setitem(struct run *run, const struct value *v, size_t at,
                          const struct subscript *s, int n, const struct value *to,
                          struct value *out);

/* What np.mgrid[...], ogrid, r_, c_, s_ and index_exp make of an index. */
bool heddle__expr_build(struct run *run, const struct value *builder, size_t at,
                        const struct subscript *s, int n, struct value *out);

/* Whether a function works element by element; whether a call of `f` changes its first argument. */
bool heddle__expr_is_elementwise(const struct function *f);
bool heddle__expr_changes_argument(const struct value *f);

/* ---- Identity and classes -------------------------------------------------------------------------- */

/* `a is b` and `a in b`. */
bool heddle__expr_is(const struct value *a, const struct value *b);
bool heddle__expr_in(struct run *run, size_t at, const struct value *a, const struct value *b,
                     bool *out);
/* The class of a value; of a dtype what it is a scalar's class. */
bool heddle__expr_type_of(struct run *run, const struct value *v, struct value *out);
/* Whether a value is of a class, or of one of a tuple of them. */
bool heddle__expr_is_instance(struct run *run, const struct value *v, const struct value *of,
                              bool *out);
/* Whether a dtype is below a class: int32 below integer. */
bool heddle__expr_is_subtype(struct run *run, const struct value *dtype, const struct value *of,
                             bool *out);
/* Class number i of those that have names in np; false: there are no more. */
bool heddle__expr_type(size_t i, struct value *out, const char **name);
/* "numpy.ndarray" */
const char *heddle__expr_type_name(const struct value *type);
/* The class that a function of Python's is, as list. */
bool heddle__expr_class_of_function(const struct value *f, struct value *out);
const char *heddle__expr_python_name(const struct value *f);

/* ---- Places: what can be assigned to ---------------------------------------------------------------- */

enum { HEDDLE_EXPR_MAX_STEPS = 4 };
enum place_kind { PLACE_INDEX, PLACE_FLAT, PLACE_REAL, PLACE_IMAG, PLACE_SHAPE };

/* A name and what follows it: a[index].flat[index], ... */
struct place {
    struct token name;
    int n;
    struct place_step {
        enum place_kind kind;
        size_t at;
        const struct subscript *index; /* in the run's arena */
        int n_index;
    } steps[HEDDLE_EXPR_MAX_STEPS];
};

/* Parses a place at the cursor, up to the first thing that is none. */
bool heddle__expr_parse_place(struct run *run, struct place *place);
bool heddle__expr_place_get(struct run *run, const struct place *place, struct value *out);
/* Gives the variable the value that it has after an assignment to the place. */
bool heddle__expr_place_set(struct run *run, const struct place *place, const struct value *to);
/* Assigns to the place that the text has from `at` up to `end`; nothing happens if what is there is new. */
bool heddle__expr_change(struct run *run, size_t at, size_t end, const struct value *to);

/* What out= and where= of a call say. */
struct destination {
    bool given;
    bool spreads;   /* the result broadcasts to out= */
    size_t at, end; /* the text of out= */
    struct value out, where;
};
/* The result of a call, put where out= says. */
bool heddle__expr_put_out(struct run *run, size_t at, const struct destination *to,
                          struct value *result);

/* ---- Running ------------------------------------------------------------------------------------------ */

/* Parses and evaluates run->text; the variables hold the inputs. */
bool heddle__expr_parse(struct run *run);
/* Parses and runs the statement at the cursor, which `before` has not read. */
bool heddle__expr_parse_statement(struct run *run, struct lexer before);
/* Parses `def ...` at the cursor, with its decorators. */
bool heddle__expr_parse_definition(struct run *run);
/* Parses and runs `import ...` or `from ... import ...` at the cursor. */
bool heddle__expr_parse_import(struct run *run);
/* Parses an assignment at the cursor, with its sign at `sign_at`. */
bool heddle__expr_parse_assignment(struct run *run, size_t sign_at);
/* Parses the arguments at the cursor, calls *f with them and makes it the result. `start`: where the text of f begins. */
bool heddle__expr_parse_call(struct run *run, size_t start, struct value *f);
/* Parses an expression, or several as a tuple without brackets. */
bool heddle__expr_parse_list(struct run *run, struct value *out);
/* Parses an expression at the cursor. */
bool heddle__expr_parse_expression(struct run *run, struct value *out);
/* Parses [ ... ] at the cursor into s[HEDDLE_EXPR_MAX_INDEX]. */
bool heddle__expr_parse_subscript(struct run *run, struct subscript *s, int *n);
/* Parser steps. */
void heddle__expr_advance(struct run *run);
bool heddle__expr_is_word(const struct run *run, const char *word);
bool heddle__expr_expect(struct run *run, enum token_kind kind, const char *context);
bool heddle__expr_unexpected(struct run *run, const char *expected);
bool heddle__expr_enter(struct run *run, size_t at);

#endif
