/* What the parsing files share: the reader of one text of a kernel. */
#ifndef HEDDLE_KERNEL_TEXT_READER_H
#define HEDDLE_KERNEL_TEXT_READER_H

#include "kernel_text/tree.h"

enum kernel_token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_SIGN, /* `sign`: up to three characters as a number, see SIGN */
    TOKEN_ERROR,
};

#define SIGN1(a) ((unsigned)(a))
#define SIGN2(a, b) ((unsigned)(a) | (unsigned)(b) << 8)
#define SIGN3(a, b, c) (SIGN2(a, b) | (unsigned)(c) << 16)

struct kernel_token {
    enum kernel_token_kind kind;
    size_t at;
    int length;
    unsigned sign;
    kernel_type type; /* NUMBER */
    union heddle_scalar value;
    const char *error; /* ERROR: what is wrong */
};

struct kernel_reader {
    struct kernel_tree *tree;
    const char *text, *what; /* what: "inputs", "outputs", "preamble", or what the body is */
    size_t next;             /* byte after `token` */
    struct kernel_token token;
    size_t shift;             /* of places in nodes */
    int depth, blocks, loops; /* nested: of all kinds, blocks, loops */
    int breaks; /* loops that a break may leave: a case of a switch hides those around */
    const struct kernel_helper *helper; /* in whose body it is, or NULL */
};

/* A name or a sign of the text, as two arguments for "%.*s". */
#define KERNEL_SPELLED(r) (r)->token.length > 40 ? 40 : (r)->token.length, (r)->text + (r)->token.at

/* Puts the next token into r->token; TOKEN_ERROR is reported. */
void heddle__kernel_lex(struct kernel_reader *r);
/* Takes the token if it is this sign. */
bool heddle__kernel_take(struct kernel_reader *r, unsigned sign);
bool heddle__kernel_expect(struct kernel_reader *r, unsigned sign, const char *where);
bool heddle__kernel_is_word(const struct kernel_reader *r, const char *word);
bool heddle__kernel_take_word(struct kernel_reader *r, const char *word);

/* Sets the first error. False. */
bool heddle__kernel_fail(struct kernel_reader *r, enum heddle_status code, size_t at,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
bool heddle__kernel_unexpected(struct kernel_reader *r, const char *wanted);
/* One level deeper; leave by r->depth--. */
bool heddle__kernel_enter(struct kernel_reader *r);

/* NULL: too many, or no memory; that is reported. */
struct kernel_node *heddle__kernel_node(struct kernel_reader *r, enum kernel_kind kind, size_t at);
/* Room for another value of a local array, or of a name that the text has not. False, -1: too many. */
bool heddle__kernel_extend(struct kernel_reader *r, int symbol, int extent);
int heddle__kernel_hidden(struct kernel_reader *r, kernel_type type);
int heddle__kernel_symbol(struct kernel_reader *r, enum kernel_symbol_kind kind, kernel_type type);
/* The innermost symbol of the token's name; -1: none. */
int heddle__kernel_find(const struct kernel_reader *r);

/* If a type is there, takes it; `letters`: also one that no parameter has. */
bool heddle__kernel_take_type(struct kernel_reader *r, bool letters, kernel_type *type);
/* Whether what follows is a type, as in a cast or a declaration. */
bool heddle__kernel_at_type(const struct kernel_reader *r);

/* A function of the preamble, by the token; -1: none. Parses all of them. */
int heddle__kernel_find_helper(const struct kernel_reader *r);
bool heddle__kernel_helpers(struct kernel_reader *r);

bool heddle__kernel_parameters(struct kernel_reader *r, enum kernel_symbol_kind kind, int *n);
/* After `type name [`: the extent of a local array, and its values into n->a and what follows it. */
bool heddle__kernel_array(struct kernel_reader *r, struct kernel_node *n, kernel_type type,
                          int *extent);
/* i and n, after the parameters; `known`: whether the text may name them. A local may hide them. */
bool heddle__kernel_add_names(struct kernel_reader *r, bool known);
/* A copy in the tree's arena. NULL: that is reported. */
const char *heddle__kernel_copy(struct kernel_tree *tree, const char *text);
struct kernel_node *heddle__kernel_expression(struct kernel_reader *r);
/* What an assignment may change: a name, or an element of a raw output. */
struct kernel_node *heddle__kernel_target(struct kernel_reader *r);
struct kernel_node *heddle__kernel_statements(struct kernel_reader *r);
/* { ... }, after the bracket. */
struct kernel_node *heddle__kernel_block(struct kernel_reader *r);

#endif
