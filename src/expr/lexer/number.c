/* Number literals. They are read in the C locale: in others a program would read "1,5".
 * Entry points: number.h. */
#include "expr/lexer/number.h"

#include <float.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 400 /* of a literal */

static locale_t c_locale;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

double heddle__strtod(const char *text)
{
    pthread_once(&once, make_locale);
    return c_locale ? strtod_l(text, NULL, c_locale) : strtod(text, NULL);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

/* Reads digits of a base with single underscores between them; appends the digits to `to`. */
static size_t digits(const char *text, int base, char *to, size_t *n_to)
{
    size_t n = 0;
    while (digit(text[n]) < base || (text[n] == '_' && n > 0 && digit(text[n + 1]) < base)) {
        if (text[n] != '_' && *n_to < MAX_DIGITS) to[(*n_to)++] = text[n];
        n++;
    }
    return n;
}

static void to_integer(struct number *n, const char *text, size_t length, int base)
{
    uint64_t v = 0;
    for (size_t i = 0; i < length; i++) {
        const uint64_t d = (uint64_t)digit(text[i]);
        if (v > (UINT64_MAX - d) / (uint64_t)base) {
            n->too_large = true;
            n->error = "the integer does not fit int64, nor uint64";
            return;
        }
        v = v * (uint64_t)base + d;
    }
    n->integer = v;
    n->real = (double)v;
}

/* The value of [0-9]*[.][0-9]*[e[+-][0-9]+] when that needs no more than one rounding: digits up to
 * 2^53 and powers of ten up to 22 are doubles, so that their product or quotient is what strtod
 * gives. */
static bool short_decimal(const char *text, double *out)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t whole = 0;
    int places = 0, exponent = 0; /* after the point */
    bool point = false;
    for (; *text && *text != 'e'; text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        whole = 10 * whole + (uint64_t)digit(*text);
        places += point;
        if (whole > UINT64_C(1) << 53) return false;
    }
    if (*text == 'e') {
        const bool negative = text[1] == '-';
        for (text += 1 + (negative || text[1] == '+'); *text; text++) {
            exponent = 10 * exponent + digit(*text);
            if (exponent > 1000) return false;
        }
        places += negative ? exponent : -exponent;
    }
    if (places < -22 || places > 22 || FLT_EVAL_METHOD != 0) return false;
    *out = places < 0 ? (double)whole * powers[-places] : (double)whole / powers[places];
    return true;
}

/* Most literals: a few digits and nothing of a number after them. */
static bool short_integer(const char *text, struct number *n)
{
    enum { MOST = 9 };
    uint64_t v = 0;
    size_t length = 0;
    while (length <= MOST && text[length] >= '0' && text[length] <= '9')
        v = 10 * v + (uint64_t)(text[length++] - '0');
    const char after = text[length];
    if (length > MOST || (text[0] == '0' && length > 1) || after == '.' || after == '_' ||
        (after >= 'A' && after <= 'Z') || (after >= 'a' && after <= 'z'))
        return false;
    n->length = length;
    n->integer = v;
    n->real = (double)v;
    return true;
}

struct number heddle__number(const char *text)
{
    struct number n = {0};
    if (short_integer(text, &n)) return n;
    char clean[MAX_DIGITS + 4];
    size_t length = 0;

    /* 0x, 0o, 0b */
    const char mark = (char)(text[1] | 0x20);
    if (text[0] == '0' && (mark == 'x' || mark == 'o' || mark == 'b')) {
        const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : 2;
        const size_t start = text[2] == '_' ? 3 : 2;
        n.length = start + digits(text + start, base, clean, &length);
        if (n.length == start)
            n.error = "digits are missing";
        else if (length == MAX_DIGITS)
            n.error = "the number is too long";
        else
            to_integer(&n, clean, length, base);
        return n;
    }

    /* whole . fraction e exponent j */
    const char *p = text;
    p += digits(p, 10, clean, &length);
    const size_t whole = length;
    if (*p == '.') {
        n.floating = true;
        clean[length++] = '.';
        p++;
        p += digits(p, 10, clean, &length);
    }
    if (*p == 'e' || *p == 'E') {
        const size_t sign = p[1] == '+' || p[1] == '-';
        if (digit(p[1 + sign]) < 10) {
            n.floating = true;
            clean[length++] = 'e';
            if (sign) clean[length++] = p[1];
            p += 1 + sign;
            p += digits(p, 10, clean, &length);
        }
    }
    n.length = (size_t)(p - text);
    clean[length] = 0;
    if (length >= MAX_DIGITS) {
        n.error = "the number is too long";
        return n;
    }
    n.imaginary = *p == 'j' || *p == 'J';
    n.length += n.imaginary;
    if (n.floating || n.imaginary) {
        if (!short_decimal(clean, &n.real)) n.real = heddle__strtod(clean);
        return n;
    }
    if (clean[0] == '0' && strspn(clean, "0") != whole)
        n.error = "leading zeros are not allowed; an octal number is 0o17";
    else
        to_integer(&n, clean, whole, 10);
    return n;
}
