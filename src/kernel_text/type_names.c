/* Names of types: dtypes, C's, letters. Entry points: heddle__kernel_take_type, heddle__kernel_at_type. */
#include "kernel_text/reader.h"

#include <string.h>

static const struct {
    const char *name;
    enum heddle_dtype dtype;
} names[] = {
    {"float", HEDDLE_FLOAT32},   {"double", HEDDLE_FLOAT64},  {"int8_t", HEDDLE_INT8},
    {"int16_t", HEDDLE_INT16},   {"int32_t", HEDDLE_INT32},   {"int64_t", HEDDLE_INT64},
    {"uint8_t", HEDDLE_UINT8},   {"uint16_t", HEDDLE_UINT16}, {"uint32_t", HEDDLE_UINT32},
    {"uint64_t", HEDDLE_UINT64}, {"size_t", HEDDLE_UINT64},   {"ptrdiff_t", HEDDLE_INT64},
    {"auto", HEDDLE_DTYPE_NONE}, {"_Bool", HEDDLE_BOOL},
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy) {#name, HEDDLE_##ID},
#define HEDDLE_STORAGE_DTYPE HEDDLE_DTYPE
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
};

/* Words of C's integer types, which several make. */
static const char *const words[] = {"unsigned", "signed", "char", "short", "int", "long"};
enum word { UNSIGNED, SIGNED, CHAR, SHORT, INT, LONG, N_WORDS };

static enum word word_of(const struct kernel_reader *r)
{
    int w = 0;
    while (w < N_WORDS && !heddle__kernel_is_word(r, words[w])) w++;
    return (enum word)w;
}

static int name_of(const struct kernel_reader *r)
{
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (heddle__kernel_is_word(r, names[i].name)) return i;
    return -1;
}

/* Whether the token is a letter that a parameter has as its type. */
static bool at_letter(const struct kernel_reader *r)
{
    return r->token.kind == TOKEN_NAME && r->token.length == 1 && heddle__kernel_find(r) < 0 &&
           r->tree->letters[r->text[r->token.at] & 127];
}

bool heddle__kernel_at_type(const struct kernel_reader *r)
{
    return r->token.kind == TOKEN_NAME &&
           (name_of(r) >= 0 || word_of(r) < N_WORDS || heddle__kernel_is_word(r, "complex") ||
            heddle__kernel_is_word(r, "const") || at_letter(r));
}

/* unsigned long long int */
static bool take_words(struct kernel_reader *r, kernel_type *type)
{
    int count[N_WORDS] = {0};
    const size_t at = r->token.at;
    for (enum word w; (w = word_of(r)) < N_WORDS; heddle__kernel_lex(r)) count[w]++;
    const int bases = count[CHAR] + count[SHORT] + (count[LONG] > 0);
    if (bases > 1 || count[INT] > 1 || count[CHAR] + count[INT] > 1 || count[SHORT] > 1 ||
        count[LONG] > 2 || count[UNSIGNED] + count[SIGNED] > 1)
        return heddle__kernel_fail(r, HEDDLE_ESYNTAX, at, "these words are no type together");
    static const kernel_type of_size[2][4] = {
        {HEDDLE_INT8, HEDDLE_INT16, HEDDLE_INT32, HEDDLE_INT64},
        {HEDDLE_UINT8, HEDDLE_UINT16, HEDDLE_UINT32, HEDDLE_UINT64}};
    *type = of_size[count[UNSIGNED]][count[CHAR] ? 0 : count[SHORT] ? 1 : count[LONG] ? 3 : 2];
    return true;
}

/* complex<float> */
static bool take_complex(struct kernel_reader *r, kernel_type *type)
{
    heddle__kernel_lex(r);
    if (!heddle__kernel_expect(r, SIGN1('<'), "after complex")) return false;
    const bool single = heddle__kernel_is_word(r, "float") || heddle__kernel_is_word(r, "float32");
    if (at_letter(r)) {
        *type = (kernel_type)(r->text[r->token.at] | KERNEL_COMPLEX_OF);
        heddle__kernel_lex(r);
        return heddle__kernel_expect(r, SIGN1('>'), "after the type in complex<");
    }
    if (!single && !heddle__kernel_is_word(r, "double") && !heddle__kernel_is_word(r, "float64"))
        return heddle__kernel_unexpected(r, "float, double or a letter that an argument has");
    heddle__kernel_lex(r);
    *type = single ? HEDDLE_COMPLEX64 : HEDDLE_COMPLEX128;
    return heddle__kernel_expect(r, SIGN1('>'), "after the type in complex<");
}

bool heddle__kernel_take_type(struct kernel_reader *r, bool letters, kernel_type *type)
{
    const bool constant = heddle__kernel_take_word(r, "const");
    const int name = name_of(r);
    if (word_of(r) < N_WORDS) {
        if (!take_words(r, type)) return false;
    } else if (heddle__kernel_is_word(r, "complex")) {
        if (!take_complex(r, type)) return false;
    } else if (name >= 0) {
        *type = (kernel_type)names[name].dtype;
        heddle__kernel_lex(r);
    } else if (at_letter(r) || (letters && r->token.kind == TOKEN_NAME && r->token.length == 1 &&
                                r->text[r->token.at] != '_')) {
        *type = (kernel_type)r->text[r->token.at];
        heddle__kernel_lex(r);
    } else {
        return heddle__kernel_unexpected(r, constant ? "a type after const" : "a type");
    }
    return true;
}
