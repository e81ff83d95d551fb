/* Text to tokens, as Python's tokenizer does, for the part of the language that Heddle has. It does not
 * allocate, and knows nothing of arrays. Entry points: lexer.h. */
#include "expr/lexer/lexer.h"
#include "expr/lexer/number.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of UTF-8 count as letters, as most of them are in Python. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static enum token_kind name_kind(const char *text, size_t length)
{
    switch (text[0]) {
#define HEDDLE_WORDS_OF(byte)                                                                      \
    break;                                                                                         \
    case byte:
#define HEDDLE_WORD(id, word)                                                                      \
    if (length == sizeof word - 1 && !memcmp(text, word, sizeof word - 1)) return TOKEN_##id;
#include "expr/lexer/keywords.def"
#undef HEDDLE_WORD
#undef HEDDLE_WORDS_OF
    default: break;
    }
    return TOKEN_NAME;
}

bool heddle__is_name(const char *text)
{
    size_t n = 0;
    if (!is_letter(text[0])) return false;
    while (is_letter(text[n]) || is_digit(text[n])) n++;
    return !text[n] && name_kind(text, n) == TOKEN_NAME;
}

const char *heddle__token_text(enum token_kind kind)
{
    switch (kind) {
    case TOKEN_END: return "the end of the text";
    case TOKEN_NEWLINE: return "the end of the statement";
    case TOKEN_NAME: return "a name";
    case TOKEN_INT:
    case TOKEN_LARGE:
    case TOKEN_FLOAT:
    case TOKEN_IMAGINARY: return "a number";
    case TOKEN_STRING: return "a string";
    case TOKEN_ERROR: return "an error";
    case TOKEN_AND: return "and";
    case TOKEN_OR: return "or";
    case TOKEN_NOT: return "not";
    case TOKEN_TRUE: return "True";
    case TOKEN_FALSE: return "False";
    case TOKEN_NONE: return "None";
    case TOKEN_IN: return "in";
    case TOKEN_IS: return "is";
    case TOKEN_KEYWORD: return "a keyword";
#define HEDDLE_TOKENS_OF(byte)
#define HEDDLE_TOKEN(id, text)                                                                     \
    case TOKEN_##id:                                                                               \
        return text;
#include "expr/lexer/tokens.def"
#undef HEDDLE_TOKEN
#undef HEDDLE_TOKENS_OF
    }
    return "?";
}

/* Skips blanks, comments, continued lines and, inside brackets, newlines. */
static void skip(struct lexer *lexer)
{
    for (;;) {
        const char *p = lexer->text + lexer->at;
        if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\f') {
            lexer->at++;
        } else if (*p == '\n' && lexer->depth > 0) {
            lexer->at++;
        } else if (*p == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n'))) {
            lexer->at += p[1] == '\n' ? 2 : 3;
        } else if (*p == '#') {
            lexer->at += strcspn(p, "\n");
        } else {
            return;
        }
    }
}

static void lex_number(struct lexer *lexer, struct token *token)
{
    const char *p = lexer->text + lexer->at;
    const struct number n = heddle__number(p);
    token->length = n.length;
    if (n.error) {
        token->error = n.error;
        token->too_large = n.too_large;
    } else if (is_letter(p[n.length]) || is_digit(p[n.length])) {
        token->error = "a number runs into a name";
    } else if (n.imaginary || n.floating) {
        token->kind = n.imaginary ? TOKEN_IMAGINARY : TOKEN_FLOAT;
        token->number = n.real;
    } else if (n.integer > INT64_MAX) {
        token->kind = TOKEN_LARGE;
        token->large = n.integer;
    } else {
        token->kind = TOKEN_INT;
        token->integer = (int64_t)n.integer;
    }
}

/* 'text', or '''text''' of several lines. */
static void lex_string(struct lexer *lexer, struct token *token)
{
    const char *const p = lexer->text + lexer->at;
    const bool triple = p[1] == p[0] && p[2] == p[0];
    const char stops[] = {p[0], '\\', triple ? 0 : '\n', 0};
    const size_t quote = triple ? 3 : 1;
    size_t n = quote + strcspn(p + quote, stops);
    while (triple && p[n] == p[0] && (p[n + 1] != p[0] || p[n + 2] != p[0]))
        n += 1 + strcspn(p + n + 1, stops);
    if (p[n] == p[0]) {
        token->kind = TOKEN_STRING;
        token->length = n + quote;
        token->quote = quote;
        return;
    }
    token->length = n;
    token->error = p[n] == '\\' ? "a backslash in a string is not supported"
                   : triple     ? "the string does not end"
                                : "the string does not end on its line";
}

static void lex_sign(struct lexer *lexer, struct token *token)
{
    const char *p = lexer->text + lexer->at;
    switch (*p) {
#define HEDDLE_TOKENS_OF(byte)                                                                     \
    break;                                                                                         \
    case byte:
#define HEDDLE_TOKEN(id, text)                                                                     \
    if ((sizeof text == 2 || p[1] == text[1]) && p[sizeof text - 2] == text[sizeof text - 2]) {    \
        token->kind = TOKEN_##id;                                                                  \
        token->length = sizeof text - 1;                                                           \
        return;                                                                                    \
    }
#include "expr/lexer/tokens.def"
#undef HEDDLE_TOKEN
#undef HEDDLE_TOKENS_OF
    default: break;
    }
    token->error = "this character is not part of the language";
}

/* Written in place and read by member: a copy right after it would wait for the stores. */
void heddle__lex(struct lexer *lexer, struct token *token)
{
    skip(lexer);
    const char *p = lexer->text + lexer->at;
    *token = (struct token){.at = lexer->at, .length = 1, .kind = TOKEN_ERROR};
    if (!*p) {
        token->kind = TOKEN_END;
        token->length = 0;
    } else if (*p == '\n' || *p == ';') {
        token->kind = TOKEN_NEWLINE;
    } else if (is_letter(*p)) {
        size_t n = 1;
        while (is_letter(p[n]) || is_digit(p[n])) n++;
        token->length = n;
        token->kind = name_kind(p, n);
    } else if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
        lex_number(lexer, token);
    } else if (*p == '"' || *p == '\'') {
        lex_string(lexer, token);
    } else {
        lex_sign(lexer, token);
    }
    switch (token->kind) {
    case TOKEN_OPEN:
    case TOKEN_OPEN_INDEX:
    case TOKEN_OPEN_DICT: lexer->depth++; break;
    case TOKEN_CLOSE:
    case TOKEN_CLOSE_INDEX:
    case TOKEN_CLOSE_DICT: lexer->depth -= lexer->depth > 0; break;
    default: break;
    }
    lexer->at += token->length;
}

enum token_kind heddle__assigned_operator(enum token_kind kind)
{
    switch (kind) {
    case TOKEN_SET: return TOKEN_SET;
    case TOKEN_ADD_SET: return TOKEN_ADD;
    case TOKEN_SUB_SET: return TOKEN_SUB;
    case TOKEN_MUL_SET: return TOKEN_MUL;
    case TOKEN_DIV_SET: return TOKEN_DIV;
    case TOKEN_FLOOR_SET: return TOKEN_FLOOR;
    case TOKEN_MOD_SET: return TOKEN_MOD;
    case TOKEN_POW_SET: return TOKEN_POW;
    case TOKEN_MATMUL_SET: return TOKEN_MATMUL;
    case TOKEN_AND_SET: return TOKEN_BIT_AND;
    case TOKEN_OR_SET: return TOKEN_BIT_OR;
    case TOKEN_XOR_SET: return TOKEN_BIT_XOR;
    case TOKEN_LEFT_SET: return TOKEN_LEFT;
    case TOKEN_RIGHT_SET: return TOKEN_RIGHT;
    default: return TOKEN_ERROR;
    }
}

bool heddle__statement_assigns(struct lexer lexer, size_t *at)
{
    struct token token;
    for (;;) {
        heddle__lex(&lexer, &token);
        if (token.kind == TOKEN_END || token.kind == TOKEN_ERROR) return false;
        if (token.kind == TOKEN_NEWLINE && lexer.depth == 0) return false;
        if (lexer.depth == 0 && heddle__assigned_operator(token.kind) != TOKEN_ERROR) {
            *at = token.at;
            return true;
        }
    }
}

/* Whether the token is one of the words, which blanks separate. */
static bool is_word(const struct lexer *lexer, const struct token *token, const char *words)
{
    for (const char *p = words; token->kind == TOKEN_NAME && *p; p += *p == ' ') {
        const size_t n = strcspn(p, " ");
        if (n == token->length && !memcmp(lexer->text + token->at, p, n)) return true;
        p += n;
    }
    return false;
}

bool heddle__statement_changes(struct lexer lexer)
{
    static const char functions[] = "at put place putmask put_along_axis copyto fill_diagonal";
    static const char methods[] = "sort fill resize partition put";
    struct token token;
    bool module = false, changes = false; /* the token before is np; a word of the list */
    for (;;) {
        heddle__lex(&lexer, &token);
        if (token.kind == TOKEN_OPEN && lexer.depth == 1) break;
        if (token.kind == TOKEN_END || token.kind == TOKEN_NEWLINE || token.kind == TOKEN_ERROR)
            return false;
        if (token.kind == TOKEN_DOT || lexer.depth > 0) continue;
        changes =
            is_word(&lexer, &token, functions) || (!module && is_word(&lexer, &token, methods));
        module = is_word(&lexer, &token, "np numpy cp cupy xp");
    }
    while (lexer.depth > 0 && token.kind != TOKEN_END) heddle__lex(&lexer, &token);
    heddle__lex(&lexer, &token);
    return changes && (token.kind == TOKEN_END || token.kind == TOKEN_NEWLINE);
}

bool heddle__text_ends_assigning(const char *text)
{
    struct lexer lexer = {.text = text};
    struct token token;
    bool last = false, inside = false; /* of a statement */
    for (;;) {
        const struct lexer before = lexer;
        heddle__lex(&lexer, &token);
        if (token.kind == TOKEN_END || token.kind == TOKEN_ERROR) return last;
        size_t at;
        if (token.kind != TOKEN_NEWLINE && !inside)
            last = heddle__statement_assigns(before, &at) || heddle__statement_changes(before);
        inside = token.kind != TOKEN_NEWLINE || lexer.depth > 0;
    }
}
