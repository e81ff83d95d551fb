/* Subscripts of einsum: "ij,jk->ik", "...i,i". Entry point: heddle__einsum_parse. */
#include "api/einsum/einsum.h"
#include "base/error.h"

#include <string.h>

static int label_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    return -1;
}

static char letter_of(int label)
{
    return (char)(label < 26 ? 'A' + label : 'a' + label - 26);
}

/* One list of labels as it is written; *text ends behind it. */
struct subscripts {
    int n, ellipsis; /* letters; how many of them stand before "...", or -1 */
    int8_t label[HEDDLE_MAX_NDIM];
};

static enum heddle_status read_subscripts(const char **text, struct subscripts *s)
{
    const char *at = *text;
    *s = (struct subscripts){.ellipsis = -1};
    for (; *at && *at != ',' && strncmp(at, "->", 2) != 0; at++) {
        const int label = label_of(*at);
        if (*at == ' ') continue;
        if (strncmp(at, "...", 3) == 0 && s->ellipsis < 0) {
            s->ellipsis = s->n;
            at += 2;
            continue;
        }
        HEDDLE_REQUIRE(label >= 0, HEDDLE_EARG, "heddle_einsum: '%c' in the subscripts", *at);
        HEDDLE_REQUIRE(s->n < HEDDLE_MAX_NDIM, HEDDLE_ESHAPE,
                       "heddle_einsum: more than %d letters in a term", HEDDLE_MAX_NDIM);
        s->label[s->n++] = (int8_t)label;
    }
    *text = at;
    return HEDDLE_OK;
}

/* The labels of a term; those of "..." end with the same one in all terms, as shapes broadcast. */
static enum heddle_status make_term(const struct subscripts *s, int number, heddle_array *a,
                                    struct heddle_einsum_term *t)
{
    const int more = a->ndim - s->n;
    HEDDLE_REQUIRE(more == 0 || (more > 0 && s->ellipsis >= 0), HEDDLE_ESHAPE,
                   "heddle_einsum: argument %d of shape %s has not %d axes", number + 1,
                   HEDDLE_SHAPE_OF(a), s->n);
    *t = (struct heddle_einsum_term){.array = a};
    for (int i = 0; i <= s->n; i++) {
        for (int k = 0; i == s->ellipsis && k < more; k++)
            t->label[t->n++] = (int8_t)(HEDDLE_EINSUM_LABELS - more + k);
        if (i < s->n) t->label[t->n++] = s->label[i];
    }
    return HEDDLE_OK;
}

/* Takes the extents of a term: equal ones, or 1, which broadcasts, but not within the term. */
static enum heddle_status add_extents(struct heddle_einsum *e, int number)
{
    const struct heddle_einsum_term *t = &e->term[number];
    for (int d = 0; d < t->n; d++) {
        const int label = t->label[d];
        const int64_t have = t->array->shape[d];
        for (int c = 0; c < d; c++)
            HEDDLE_REQUIRE(t->label[c] != label || t->array->shape[c] == have, HEDDLE_ESHAPE,
                           "heddle_einsum: argument %d of shape %s: axes %d and %d of '%c' differ",
                           number + 1, HEDDLE_SHAPE_OF(t->array), c, d, letter_of(label));
        int64_t *extent = &e->extent[label];
        if (*extent == 1 || *extent == -1) *extent = have;
        if (have == 1 || have == *extent) continue;
        HEDDLE_REQUIRE(label < HEDDLE_EINSUM_ELLIPSIS, HEDDLE_ESHAPE,
                       "heddle_einsum: argument %d of shape %s: the axes of '...' do not broadcast",
                       number + 1, HEDDLE_SHAPE_OF(t->array));
        return heddle__fail(
            HEDDLE_ESHAPE, "heddle_einsum: argument %d of shape %s: axis %d of '%c' is not %lld",
            number + 1, HEDDLE_SHAPE_OF(t->array), d, letter_of(label), (long long)*extent);
    }
    return HEDDLE_OK;
}

/* The axes of "...", then what occurs once, sorted; or as `s` says. */
static enum heddle_status make_output(struct heddle_einsum *e, const struct subscripts *s,
                                      const int *count)
{
    int8_t label[HEDDLE_EINSUM_LABELS];
    int n = 0;
    for (int i = 0; i <= (s ? s->n : 0); i++) {
        if (!s || i == s->ellipsis)
            for (int l = HEDDLE_EINSUM_ELLIPSIS; l < HEDDLE_EINSUM_LABELS; l++)
                if (count[l] > 0) label[n++] = (int8_t)l;
        if (!s || i == s->n) continue;
        HEDDLE_REQUIRE(count[s->label[i]] > 0, HEDDLE_EARG,
                       "heddle_einsum: '%c' of the output is in no argument",
                       letter_of(s->label[i]));
        for (int k = 0; k < i; k++)
            HEDDLE_REQUIRE(s->label[k] != s->label[i], HEDDLE_EARG,
                           "heddle_einsum: '%c' is in the output twice", letter_of(s->label[i]));
        label[n++] = s->label[i];
    }
    if (s && s->ellipsis < 0)
        HEDDLE_REQUIRE(count[HEDDLE_EINSUM_LABELS - 1] == 0, HEDDLE_EARG,
                       "heddle_einsum: the output has no '...' for the axes of the arguments'");
    for (int l = 0; !s && l < HEDDLE_EINSUM_ELLIPSIS; l++)
        if (count[l] == 1) label[n++] = (int8_t)l;
    HEDDLE_REQUIRE(n <= HEDDLE_MAX_NDIM, HEDDLE_ESHAPE,
                   "heddle_einsum: the result has more than %d axes", HEDDLE_MAX_NDIM);
    e->n_out = n;
    memcpy(e->out, label, (size_t)n);
    return HEDDLE_OK;
}

enum heddle_status heddle__einsum_parse(struct heddle_einsum *e, const char *text, int n,
                                        heddle_array *const arrays[])
{
    int count[HEDDLE_EINSUM_LABELS] = {0};
    enum heddle_status status = HEDDLE_OK;
    struct subscripts s;
    e->n = n;
    for (int l = 0; l < HEDDLE_EINSUM_LABELS; l++) e->extent[l] = -1;
    for (int i = 0; i < n; i++) {
        status = read_subscripts(&text, &s);
        if (status == HEDDLE_OK) status = make_term(&s, i, arrays[i], &e->term[i]);
        if (status == HEDDLE_OK) status = add_extents(e, i);
        if (status != HEDDLE_OK) return status;
        for (int d = 0; d < e->term[i].n; d++) count[e->term[i].label[d]]++;
        HEDDLE_REQUIRE((*text == ',') == (i < n - 1), HEDDLE_EARG,
                       "heddle_einsum: %d arrays for %s terms", n, *text == ',' ? "more" : "fewer");
        if (*text == ',') text++;
    }
    if (!*text) return make_output(e, NULL, count);
    text += 2; /* the arrow */
    status = read_subscripts(&text, &s);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(!*text, HEDDLE_EARG, "heddle_einsum: '%s' after the output", text);
    return make_output(e, &s, count);
}
