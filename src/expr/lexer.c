/* Text to tokens, as Python's tokenizer does for the part of the language that there is.
 * Does not allocate and knows nothing of arrays. Entry points: lexer.h. */
#include "expr/lexer.h"
#include "expr/number.h"

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

static const struct {
    const char *text;
    enum token_kind kind;
} keywords[] = {
    {"and", TOKEN_AND},          {"or", TOKEN_OR},
    {"not", TOKEN_NOT},          {"True", TOKEN_TRUE},
    {"False", TOKEN_FALSE},      {"None", TOKEN_NONE},
    {"if", TOKEN_KEYWORD},       {"else", TOKEN_KEYWORD},
    {"elif", TOKEN_KEYWORD},     {"for", TOKEN_KEYWORD},
    {"while", TOKEN_KEYWORD},    {"in", TOKEN_KEYWORD},
    {"is", TOKEN_KEYWORD},       {"lambda", TOKEN_KEYWORD},
    {"def", TOKEN_KEYWORD},      {"return", TOKEN_KEYWORD},
    {"import", TOKEN_KEYWORD},   {"from", TOKEN_KEYWORD},
    {"as", TOKEN_KEYWORD},       {"class", TOKEN_KEYWORD},
    {"with", TOKEN_KEYWORD},     {"del", TOKEN_KEYWORD},
    {"pass", TOKEN_KEYWORD},     {"assert", TOKEN_KEYWORD},
    {"try", TOKEN_KEYWORD},      {"except", TOKEN_KEYWORD},
    {"finally", TOKEN_KEYWORD},  {"raise", TOKEN_KEYWORD},
    {"global", TOKEN_KEYWORD},   {"nonlocal", TOKEN_KEYWORD},
    {"yield", TOKEN_KEYWORD},    {"async", TOKEN_KEYWORD},
    {"await", TOKEN_KEYWORD},    {"break", TOKEN_KEYWORD},
    {"continue", TOKEN_KEYWORD},
};

static const struct {
    const char *text;
    enum token_kind kind;
} spelled[] = {
#define HEDDLE_TOKEN(id, text) {text, TOKEN_##id},
#include "expr/tokens.def"
#undef HEDDLE_TOKEN
};

static enum token_kind name_kind(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i].text) == length && !memcmp(keywords[i].text, text, length))
            return keywords[i].kind;
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
    case TOKEN_KEYWORD: return "a keyword";
#define HEDDLE_TOKEN(id, text)                                                                     \
    case TOKEN_##id:                                                                               \
        return text;
#include "expr/tokens.def"
#undef HEDDLE_TOKEN
    }
    return "?";
}

/* Blanks, comments, continued lines, and inside brackets newlines. */
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
    token->integer = n.integer;
    token->number = n.real;
    token->kind = n.error       ? TOKEN_ERROR
                  : n.imaginary ? TOKEN_IMAGINARY
                  : n.floating  ? TOKEN_FLOAT
                                : TOKEN_INT;
    token->error = n.error;
    token->too_large = n.too_large;
    if (!n.error && (is_letter(p[n.length]) || is_digit(p[n.length]))) {
        token->kind = TOKEN_ERROR;
        token->error = "a number runs into a name";
    }
}

static void lex_string(struct lexer *lexer, struct token *token)
{
    const char *p = lexer->text + lexer->at;
    const char quote[] = {p[0], '\\', '\n', 0};
    const size_t n = strcspn(p + 1, quote);
    token->length = n + 2;
    token->kind = TOKEN_STRING;
    if (p[n + 1] == p[0]) return;
    token->kind = TOKEN_ERROR;
    token->length = n + 1;
    token->error = p[n + 1] == '\\' ? "a backslash in a string is not supported"
                                    : "the string does not end on its line";
}

struct token heddle__lex(struct lexer *lexer)
{
    skip(lexer);
    const char *p = lexer->text + lexer->at;
    struct token token = {.at = lexer->at, .length = 1, .kind = TOKEN_ERROR};
    if (!*p) {
        token.kind = TOKEN_END;
        token.length = 0;
    } else if (*p == '\n' || *p == ';') {
        token.kind = TOKEN_NEWLINE;
    } else if (is_letter(*p)) {
        while (is_letter(p[token.length]) || is_digit(p[token.length])) token.length++;
        token.kind = name_kind(p, token.length);
    } else if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
        lex_number(lexer, &token);
    } else if (*p == '"' || *p == '\'') {
        lex_string(lexer, &token);
    } else {
        token.error = "this character is not part of the language";
        for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) {
            const size_t n = strlen(spelled[i].text);
            if (strncmp(spelled[i].text, p, n)) continue;
            token.kind = spelled[i].kind;
            token.length = n;
            break;
        }
    }
    switch (token.kind) {
    case TOKEN_OPEN:
    case TOKEN_OPEN_INDEX:
    case TOKEN_OPEN_DICT: lexer->depth++; break;
    case TOKEN_CLOSE:
    case TOKEN_CLOSE_INDEX:
    case TOKEN_CLOSE_DICT: lexer->depth -= lexer->depth > 0; break;
    default: break;
    }
    lexer->at += token.length;
    return token;
}

static bool assigns(enum token_kind kind)
{
    switch (kind) {
    case TOKEN_SET:
    case TOKEN_ADD_SET:
    case TOKEN_SUB_SET:
    case TOKEN_MUL_SET:
    case TOKEN_DIV_SET:
    case TOKEN_FLOOR_SET:
    case TOKEN_MOD_SET:
    case TOKEN_POW_SET:
    case TOKEN_MATMUL_SET:
    case TOKEN_AND_SET:
    case TOKEN_OR_SET:
    case TOKEN_XOR_SET:
    case TOKEN_LEFT_SET:
    case TOKEN_RIGHT_SET: return true;
    default: return false;
    }
}

bool heddle__statement_assigns(struct lexer lexer, size_t *at)
{
    for (;;) {
        const struct token token = heddle__lex(&lexer);
        if (token.kind == TOKEN_END || token.kind == TOKEN_ERROR) return false;
        if (token.kind == TOKEN_NEWLINE && lexer.depth == 0) return false;
        if (lexer.depth == 0 && assigns(token.kind)) {
            *at = token.at;
            return true;
        }
    }
}

bool heddle__text_ends_assigning(const char *text)
{
    struct lexer lexer = {.text = text};
    bool last = false, inside = false; /* a statement */
    for (;;) {
        const struct lexer before = lexer;
        const struct token token = heddle__lex(&lexer);
        if (token.kind == TOKEN_END || token.kind == TOKEN_ERROR) return last;
        size_t at;
        if (token.kind != TOKEN_NEWLINE && !inside) last = heddle__statement_assigns(before, &at);
        inside = token.kind != TOKEN_NEWLINE || lexer.depth > 0;
    }
}
