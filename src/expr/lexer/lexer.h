/* Tokens of the expression language. The lexer allocates nothing and never reads past the
 * terminating zero; newlines inside brackets are not tokens. */
#ifndef HEDDLE_EXPR_LEXER_H
#define HEDDLE_EXPR_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_NEWLINE, /* newline or ';' */
    TOKEN_NAME,
    TOKEN_INT,
    TOKEN_LARGE, /* an integer beyond int64 */
    TOKEN_FLOAT,
    TOKEN_IMAGINARY,
    TOKEN_STRING,
    TOKEN_ERROR,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_IN,
    TOKEN_IS,
    TOKEN_TRUE,
    TOKEN_FALSE,
    TOKEN_NONE,
    TOKEN_KEYWORD, /* any other keyword of Python's */
#define HEDDLE_TOKENS_OF(byte)
#define HEDDLE_TOKEN(id, text) TOKEN_##id,
#include "expr/lexer/tokens.def"
#undef HEDDLE_TOKEN
#undef HEDDLE_TOKENS_OF
};

struct token {
    enum token_kind kind;
    bool too_large;    /* ERROR: an integer beyond uint64 */
    size_t at, length; /* bytes of the text */
    union {
        int64_t integer;   /* INT */
        uint64_t large;    /* LARGE */
        double number;     /* FLOAT, IMAGINARY */
        size_t quote;      /* STRING: bytes of the quotes at each end */
        const char *error; /* ERROR: what is wrong; the caret goes under `at` */
    };
};

struct lexer {
    const char *text;
    size_t at;
    int64_t depth; /* open brackets */
};

/* The next token; at the end always END. */
void heddle__lex(struct lexer *lexer, struct token *token);

/* The spelling of a token kind that has one, or a description: "a name". */
const char *heddle__token_text(enum token_kind kind);

/* Whether `text` is a name, and not one of Python's keywords. */
bool heddle__is_name(const char *text);

/* The operator of an augmented assignment's sign; TOKEN_SET for '=', TOKEN_ERROR for any other kind. */
enum token_kind heddle__assigned_operator(enum token_kind kind);

/* Whether the statement that begins at `lexer` assigns, and, if so, the offset of the '='. */
bool heddle__statement_assigns(struct lexer lexer, size_t *at);

/* Whether the statement that begins at `lexer` is a call that changes what it is given: np.put(a, ...), a.sort(). */
bool heddle__statement_changes(struct lexer lexer);

/* Whether the last statement of a text assigns, or changes a variable. */
bool heddle__text_ends_assigning(const char *text);

#endif
