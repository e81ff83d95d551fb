/* The texts of a kernel as a tree: parameters, and statements over them. Parsed once; types are those of the text,
 * letters among them, until arguments say what the letters are (types.h). All memory is of one arena. */
#ifndef HEDDLE_KERNEL_TEXT_TREE_H
#define HEDDLE_KERNEL_TEXT_TREE_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/error.h"

#include <heddle/kernel.h>
#include <stdatomic.h>
#include <stdbool.h>

enum {
    KERNEL_MAX_PARAMETERS = 32, /* inputs and outputs together */
    KERNEL_MAX_DEPTH = 100,     /* nested brackets, signs, blocks */
    KERNEL_MAX_NODES = 8000,
    KERNEL_MAX_SYMBOLS = 500,
    KERNEL_MAX_CELLS = 1000,     /* numbers that all names have room for */
    KERNEL_MAX_EXTENT = 64,      /* of a local array */
    KERNEL_MAX_HELPERS = 32,     /* functions of the preamble */
    KERNEL_MAX_ARGUMENTS = 16,   /* of one of them */
    KERNEL_MAX_ACCUMULATORS = 8, /* of a reduction */
};

/* A dtype, or a letter ('T') that stands for one; 0 (HEDDLE_DTYPE_NONE): what the value has. KERNEL_ACCUMULATOR + k is a
 * letter that no text can have: what accumulator k of a reduction is. A letter + KERNEL_COMPLEX_OF: the complex dtype whose
 * parts are of the letter's. */
typedef unsigned char kernel_type;
enum { KERNEL_ACCUMULATOR = 128, KERNEL_COMPLEX_OF = 128 };
static inline int heddle__kernel_is_complex_of(kernel_type type)
{
    return type >= KERNEL_COMPLEX_OF + 'A';
}
static inline int heddle__kernel_is_letter(kernel_type type)
{
    return type >= 'A';
}
_Static_assert(HEDDLE_N_DTYPES < 'A', "letters are no dtypes");

enum kernel_operator {
    KERNEL_ADD,
    KERNEL_SUBTRACT,
    KERNEL_MULTIPLY,
    KERNEL_DIVIDE,
    KERNEL_MODULO,
    KERNEL_SHIFT_LEFT,
    KERNEL_SHIFT_RIGHT,
    KERNEL_BIT_AND,
    KERNEL_BIT_OR,
    KERNEL_BIT_XOR,
    KERNEL_LESS,
    KERNEL_LESS_EQUAL,
    KERNEL_GREATER,
    KERNEL_GREATER_EQUAL,
    KERNEL_EQUAL,
    KERNEL_NOT_EQUAL,
    KERNEL_AND,
    KERNEL_OR,
    KERNEL_NEGATE, /* of one operand from here on */
    KERNEL_INVERT,
    KERNEL_NOT,
};

enum kernel_function {
#define KERNEL_FUNCTION(ID, name, arity, rule) KERNEL_F_##ID,
#include "kernel_text/functions.def"
#undef KERNEL_FUNCTION
    KERNEL_N_FUNCTIONS
};

enum kernel_kind {
    /* values */
    KERNEL_NUMBER,  /* `value` of `type` */
    KERNEL_SYMBOL,  /* `symbol` */
    KERNEL_ELEMENT, /* [b] of a raw parameter or a local array `symbol`; op 1: b has an index for each axis, as a SYMBOL or a
                       PLACE */
    KERNEL_EXTENT,  /* of a raw parameter: elements, or with b those along axis b */
    KERNEL_PLACE, /* of the element in the result: its index along axis b, or, without b, along each */
    KERNEL_UNARY,  /* op a */
    KERNEL_BINARY, /* a op b */
    KERNEL_CHOICE, /* a ? b : c */
    KERNEL_CAST,   /* (type)a */
    KERNEL_CALL,   /* function op of a, b, c */
    KERNEL_INVOKE, /* helper `symbol` of a and what follows it by `next` */
    /* statements */
    KERNEL_BLOCK, /* a and what follows it by `next` */
    KERNEL_DECLARE, /* symbol = a, or 0 if there is no a; of an array a and what follows it by `next` */
    KERNEL_ASSIGN, /* a, a SYMBOL or an ELEMENT, = b */
    KERNEL_IF,     /* if (a) b else c */
    KERNEL_LOOP,   /* while (a) { b; c }, where `continue` goes to c; op 1: b comes first */
    KERNEL_BREAK,
    KERNEL_CONTINUE,
    KERNEL_RETURN, /* a, from a helper */
};

struct kernel_node {
    unsigned char kind, op;
    kernel_type type;
    int symbol;
    int number; /* of all nodes */
    size_t at;  /* byte of the operation's text; beyond its end, of the preamble's */
    struct kernel_node *a, *b, *c, *next;
    union heddle_scalar value;
};

enum kernel_symbol_kind {
    KERNEL_INPUT,
    KERNEL_OUTPUT,
    KERNEL_LOCAL,
    KERNEL_INDEX, /* i: of the element, in C order */
    KERNEL_SIZE,  /* n: how many elements there are */
};

struct kernel_symbol {
    const char *name; /* in the text */
    int length;
    enum kernel_symbol_kind kind;
    kernel_type type;
    bool raw, constant;
    bool brief; /* its first character names it, too */
    int extent; /* of a local array; 0: a number */
    int cell;   /* of `n_cells`, the first that is its own */
    int depth;  /* of the block that has it; -1: that block has ended */
};

/* A function of the preamble: of numbers, one number. It calls those before it. */
struct kernel_helper {
    const char *name; /* in the text */
    int length;
    kernel_type type;
    int first, n;             /* its parameters are symbols first .. first + n - 1 */
    int result;               /* a symbol that has what it returns, where functions are followed */
    struct kernel_node *body; /* a BLOCK */
};

/* The parts of a loop over the elements of a block (reduction_loop.c): what the first element is, and the loop after it;
 * symbols of the place, of its end, of the step, and of the input that has the rows. NULL: the tree is none. */
struct kernel_lanes {
    struct kernel_node *first, *loop;
    int at, end, step, x;
};

/* Parameters are symbols 0 .. n_in + n_out - 1, the inputs first; then come i and n. */
struct kernel_tree {
    struct heddle_arena arena;
    const char *name, *in, *out, *body, *preamble; /* copies; preamble: or NULL */
    const char *what; /* the body is: "operation", or a part of a reduction */
    int n_in, n_out, n_symbols, n_nodes, n_cells, n_helpers;
    struct kernel_symbol symbols[KERNEL_MAX_SYMBOLS];
    struct kernel_helper helpers[KERNEL_MAX_HELPERS];
    struct kernel_node *statements; /* a BLOCK */
    bool uses_index;                /* i, or that along an axis */
    struct kernel_lanes lanes;      /* of a loop over rows, how its elements go together */
    bool letters[128];              /* that stand for types: those of parameters */
    _Atomic(void *) programs;       /* what families made of it, which goes with it */
    void (*_Atomic free_programs)(void *programs);
    heddle_kernel_loop *loop; /* the same by a function of the caller's, or NULL */
    enum heddle_status code;  /* not HEDDLE_OK: what was wrong, and `message` says where */
    char message[HEDDLE_ERROR_TEXT_MAX];
};

/* Parses. The texts are copied; `preamble` has functions, or is NULL. What is wrong is in `tree`; free it all the same. */
void heddle__kernel_parse(struct kernel_tree *tree, const char *in, const char *out,
                          const char *body, const char *name);
void heddle__kernel_parse_with(struct kernel_tree *tree, const char *preamble, const char *in,
                               const char *out, const char *body, const char *name);
void heddle__kernel_free_tree(struct kernel_tree *tree);

/* The texts of a reduction (kernel.h of include/heddle), but for the map: each is a tree. Values are assigned to outputs
 * without names, one for each accumulator. */
struct kernel_reduction {
    struct kernel_tree reduce;   /* of a0, a1, ..., b0, b1, ... */
    struct kernel_tree post;     /* of a0, a1, ..., n: the outputs of the kernel */
    struct kernel_tree identity; /* of nothing */
    bool has_identity, commutative;
    int n;                                      /* accumulators */
    kernel_type types[KERNEL_MAX_ACCUMULATORS]; /* that are named; else 0 */
};

/* Parses the map into `map`, whose outputs are the accumulators, and the other texts into *r. What is wrong with any of them
 * is in `map`; free all of them. */
void heddle__kernel_parse_reduction(struct kernel_tree *map, struct kernel_reduction *r,
                                    const char *in, const char *out, const char *map_text,
                                    const char *reduce, const char *post, const char *identity,
                                    const char *types, const char *name);
void heddle__kernel_free_reduction(struct kernel_reduction *r);

/* Whether the map can be computed in a loop: it reads nothing by index. */
bool heddle__kernel_loops(const struct kernel_tree *map);
/* A kernel whose elements each reduce a block of a row (kernel_rows, form.h): inputs of the map, raw but for the scalars,
 * whose bits are set; an output for each accumulator. False: no memory, or too many operations; free it all the same. */
bool heddle__kernel_make_loop(struct kernel_tree *tree, const struct kernel_tree *map,
                              const struct kernel_reduction *texts, unsigned scalars);

const char *heddle__kernel_operator_text(enum kernel_operator op);

/* The function of a name; KERNEL_N_FUNCTIONS: there is none. *single: by its suffix it is float32's. */
enum kernel_function heddle__kernel_function_of(const char *name, int length, bool *single);
const char *heddle__kernel_function_name(enum kernel_function function);
int heddle__kernel_function_arity(enum kernel_function function);

#endif
