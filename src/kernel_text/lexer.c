/* Tokens of kernel texts, C's. Never reads past the terminating zero. Entry point: heddle__kernel_lex. */
#include "kernel_text/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Over spaces and comments. False: a comment has no end. */
static bool skip(struct kernel_reader *r)
{
    const char *const text = r->text;
    size_t at = r->next;
    for (;;) {
        at += strspn(text + at, " \t\r\n\v\f");
        if (text[at] == '/' && text[at + 1] == '/') {
            at += strcspn(text + at, "\n");
        } else if (text[at] == '/' && text[at + 1] == '*') {
            const char *const end = strstr(text + at + 2, "*/");
            if (!end) break;
            at = (size_t)(end - text) + 2;
        } else {
            r->next = at;
            return true;
        }
    }
    r->next = at;
    return false;
}

static void wrong(struct kernel_token *t, const char *error)
{
    t->kind = TOKEN_ERROR;
    t->error = error;
}

/* 12u, 0xffll: of the first of C's types that holds it; int is int32, long int64. */
static void integer(struct kernel_token *t, uint64_t n, bool decimal, const char *suffix,
                    size_t n_suffix)
{
    bool is_unsigned = false;
    int longs = 0;
    for (size_t i = 0; i < n_suffix; i++) {
        const char c = (char)(suffix[i] | 32);
        if (c == 'u' && !is_unsigned)
            is_unsigned = true;
        else if (c == 'l' && longs < 2)
            longs++;
        else
            return wrong(t, "a number goes on with what is no suffix of integers");
    }
    const bool wide = longs > 0;
    if (!is_unsigned && !wide && n <= INT32_MAX)
        t->type = HEDDLE_INT32;
    else if ((is_unsigned || !decimal) && !wide && n <= UINT32_MAX)
        t->type = HEDDLE_UINT32;
    else if (!is_unsigned && n <= INT64_MAX)
        t->type = HEDDLE_INT64;
    else if (is_unsigned || !decimal)
        t->type = HEDDLE_UINT64;
    else
        return wrong(t, "the integer is beyond int64");
    t->value = heddle__convert((union heddle_scalar){.u64 = n}, HEDDLE_UINT64, t->type);
}

static void floating(struct kernel_token *t, const char *text, const char *suffix, size_t n_suffix)
{
    const bool single = n_suffix == 1 && (*suffix | 32) == 'f';
    if (n_suffix > 0 && !single)
        return wrong(t, "a number goes on with what is no suffix of floating numbers");
    char digits[128];
    const size_t n = (size_t)(suffix - text);
    if (n >= sizeof digits) return wrong(t, "the number has too many digits");
    memcpy(digits, text, n);
    digits[n] = 0;
    const double x = strtod(digits, NULL);
    t->type = single ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64;
    t->value = heddle__convert((union heddle_scalar){.f64 = x}, HEDDLE_FLOAT64, t->type);
}

static size_t digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* The length of a floating number without its suffix; 0: it is an integer. */
static size_t floating_length(const char *s)
{
    size_t n = digits(s);
    const bool point = s[n] == '.';
    if (point) n += 1 + digits(s + n + 1);
    if ((s[n] | 32) == 'e') {
        const size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
        const size_t exponent = digits(s + n + 1 + sign);
        if (exponent) return n + 1 + sign + exponent;
    }
    return point ? n : 0;
}

static size_t number(struct kernel_token *t, const char *s)
{
    t->kind = TOKEN_NUMBER;
    const bool hex = s[0] == '0' && (s[1] | 32) == 'x', binary = s[0] == '0' && (s[1] | 32) == 'b';
    size_t n = hex || binary ? 0 : floating_length(s);
    const bool is_floating = n > 0;
    if (hex)
        n = 2 + strspn(s + 2, "0123456789abcdefABCDEF");
    else if (binary)
        n = 2 + strspn(s + 2, "01");
    else if (!n)
        n = digits(s);
    const bool octal = !hex && !binary && n > 1 && s[0] == '0';
    size_t suffix = 0;
    while (is_letter(s[n + suffix]) || is_digit(s[n + suffix])) suffix++;
    if (is_floating) {
        floating(t, s, s + n, suffix);
    } else if ((hex || binary) && n == 2) {
        wrong(t, hex ? "a hexadecimal number has no digits" : "a binary number has no digits");
    } else if (octal && strspn(s, "01234567") < n) {
        wrong(t, "an octal number, which the 0 in front makes it, has digits up to 7");
    } else {
        errno = 0;
        const uint64_t value = strtoull(s + (binary ? 2 : 0), NULL,
                                        hex      ? 16
                                        : binary ? 2
                                        : octal  ? 8
                                                 : 10);
        if (errno == ERANGE)
            wrong(t, "the integer is beyond uint64");
        else
            integer(t, value, !hex && !binary && !octal, s + n, suffix);
    }
    return n + suffix;
}

/* 'a', '\n': an int, as in C. */
static size_t character(struct kernel_token *t, const char *s)
{
    static const char escaped[] = "0abtnvfr\\'\"";
    static const char values[] = {0, 7, 8, 9, 10, 11, 12, 13, '\\', '\'', '"'};
    const bool escapes = s[1] == '\\';
    const char *const at = escapes && s[2] ? strchr(escaped, s[2]) : NULL;
    const size_t n = escapes ? 4 : 3;
    t->kind = TOKEN_NUMBER;
    t->type = HEDDLE_INT32;
    if (!s[1] || s[1] == '\'' || s[1] == '\n' || (escapes && !at) || s[n - 1] != '\'' || s[1] < 0) {
        wrong(t, "a character between ' and '");
        return 1;
    }
    t->value.i32 = at ? values[at - escaped] : s[1];
    return n;
}

/* The longest sign at s. */
static size_t sign(const char *s)
{
    static const char *const longer[] = {
        "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
        "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (!strncmp(s, longer[i], strlen(longer[i]))) return strlen(longer[i]);
    return strchr("+-*/%<>=!&|^~?:;,.()[]{}", *s) ? 1 : 0;
}

void heddle__kernel_lex(struct kernel_reader *r)
{
    struct kernel_token *const t = &r->token;
    const bool ends = skip(r);
    const char *const s = r->text + r->next;
    *t = (struct kernel_token){.at = r->next};
    size_t n = 0;
    if (!ends) {
        wrong(t, "a comment has no end");
    } else if (!*s) {
        t->kind = TOKEN_END;
    } else if (is_letter(*s)) {
        t->kind = TOKEN_NAME;
        while (is_letter(s[n]) || is_digit(s[n])) n++;
    } else if (is_digit(*s) || (*s == '.' && is_digit(s[1]))) {
        n = number(t, s);
    } else if (*s == '\'') {
        n = character(t, s);
    } else if ((n = sign(s)) > 0) {
        t->kind = TOKEN_SIGN;
        for (size_t i = 0; i < n; i++) t->sign |= (unsigned)s[i] << 8 * i;
    } else {
        wrong(t, "a character that no kernel has");
    }
    t->length = (int)n;
    r->next += n;
    if (t->kind != TOKEN_ERROR) return;
    heddle__kernel_fail(r, HEDDLE_ESYNTAX, t->at, "%s", t->error);
    r->next += strlen(r->text + r->next); /* nothing follows an error */
}
