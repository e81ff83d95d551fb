/* Reads signatures of generalised functions and lists of dtypes. Entry points: signature.h. */
#include "api/gufunc/signature.h"

#include "base/dtype.h"

#include <ctype.h>
#include <string.h>

struct reader {
    const char *what, *text, *at;
};

static void skip(struct reader *r)
{
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool take(struct reader *r, const char *token)
{
    skip(r);
    const size_t n = strlen(token);
    if (strncmp(r->at, token, n) != 0) return false;
    r->at += n;
    return true;
}

static enum heddle_status refuse(const struct reader *r, const char *why)
{
    return heddle__fail(HEDDLE_ESYNTAX, "heddle_gufunc_make: %s, column %d: %s", r->what,
                        (int)(r->at - r->text) + 1, why);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The word that begins here, of at most GUFUNC_NAME - 1 characters. */
static enum heddle_status word(struct reader *r, char name[GUFUNC_NAME])
{
    size_t n = 0;
    skip(r);
    while (is_word(r->at[n])) n++;
    if (n == 0) return refuse(r, "a name is missing");
    if (n >= GUFUNC_NAME) return refuse(r, "the name is too long");
    memcpy(name, r->at, n);
    name[n] = 0;
    return HEDDLE_OK;
}

/* ---- Signatures ------------------------------------------------------------------------------------- */

/* A name or a number, which begins here. */
static enum heddle_status core_axis(struct reader *r, struct gufunc_signature *s, bool is_output,
                                    int8_t *which)
{
    char name[GUFUNC_NAME];
    const enum heddle_status status = word(r, name);
    if (status != HEDDLE_OK) return status;
    const bool is_number = isdigit((unsigned char)name[0]) != 0;
    int64_t extent = is_number ? 0 : -1;
    for (const char *c = name; *c && is_number; c++) {
        if (!isdigit((unsigned char)*c) || extent > INT32_MAX)
            return refuse(r, "this is neither a name nor a number");
        extent = 10 * extent + (*c - '0');
    }
    int i = 0;
    while (i < s->n_core && strcmp(s->name[i], name) != 0) i++;
    if (i == s->n_core) {
        if (is_output && !is_number) return refuse(r, "no input has this name");
        if (i == GUFUNC_CORE) return refuse(r, "there are more than 16 names");
        memcpy(s->name[i], name, sizeof name);
        s->extent[i] = extent;
        s->n_core++;
    }
    r->at += strlen(name);
    *which = (int8_t)i;
    return HEDDLE_OK;
}

static enum heddle_status core_axes(struct reader *r, struct gufunc_signature *s, bool is_output)
{
    const int i = s->n_in + s->n_out;
    if (!take(r, "(")) return refuse(r, "'(' is missing");
    if (i == GUFUNC_ARGUMENTS) return refuse(r, "there are more than 8 arguments");
    for (bool first = true; !take(r, ")"); first = false) {
        if (!first && !take(r, ",")) return refuse(r, "',' or ')' is missing");
        if (s->ndim[i] == HEDDLE_MAX_NDIM) return refuse(r, "there are more than 8 axes");
        const enum heddle_status status = core_axis(r, s, is_output, &s->core[i][s->ndim[i]]);
        if (status != HEDDLE_OK) return status;
        s->ndim[i]++;
    }
    if (is_output)
        s->n_out++;
    else
        s->n_in++;
    return HEDDLE_OK;
}

enum heddle_status heddle__gufunc_signature(const char *text, struct gufunc_signature *out)
{
    enum heddle_status status = HEDDLE_OK;
    HEDDLE_REQUIRE(text, HEDDLE_EARG, "heddle_gufunc_make: the signature is NULL");
    struct reader r = {"signature", text, text};
    *out = (struct gufunc_signature){.n_in = 0};
    do HEDDLE_TRY(core_axes(&r, out, false));
    while (take(&r, ","));
    if (!take(&r, "->")) return refuse(&r, "',' or '->' is missing");
    do HEDDLE_TRY(core_axes(&r, out, true));
    while (take(&r, ","));
    skip(&r);
    if (*r.at) return refuse(&r, "',' or the end is missing");
fail:
    return status;
}

/* ---- Dtypes ----------------------------------------------------------------------------------------- */

enum heddle_status heddle__gufunc_types(const char *text, struct gufunc_signature *s)
{
    struct reader r = {"types", text, text};
    for (int i = 0; i < s->n_in + s->n_out; i++) {
        char name[GUFUNC_NAME];
        s->dtype[i] = HEDDLE_FLOAT64;
        if (!text) continue;
        if (i == s->n_in && !take(&r, "->")) return refuse(&r, "'->' is missing");
        if (i > 0 && i != s->n_in && !take(&r, ",")) return refuse(&r, "',' is missing");
        const enum heddle_status status = word(&r, name);
        if (status != HEDDLE_OK) return status;
        const enum heddle_dtype dtype = heddle_dtype_from_name(name);
        HEDDLE_REQUIRE(dtype != HEDDLE_DTYPE_NONE, HEDDLE_EDTYPE,
                       "heddle_gufunc_make: types, column %d: '%s' is no dtype",
                       (int)(r.at - text) + 1, name);
        s->dtype[i] = (uint8_t)dtype;
        r.at += strlen(name);
    }
    if (text) skip(&r);
    return text && *r.at ? refuse(&r, "there are more types than arguments") : HEDDLE_OK;
}
