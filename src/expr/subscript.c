/* [ ... ] after a value: parses it, reads items of arrays and tuples, and assigns to items.
 * Entry points: heddle__expr_parse_subscript, heddle__expr_getitem, heddle__expr_setitem. */
#include "expr/value.h"

#include <heddle/elementwise.h>

/* ---- Parsing ----------------------------------------------------------------------------------- */

static bool at_bound(const struct run *run)
{
    return run->token.kind != TOKEN_COLON && run->token.kind != TOKEN_COMMA &&
           run->token.kind != TOKEN_CLOSE_INDEX;
}

/* A value, or start:stop:step. */
static bool parse_item(struct run *run, struct subscript *s)
{
    const struct value none = {.kind = VALUE_NONE, .at = run->token.at};
    *s = (struct subscript){.value = none, .stop = none, .step = none};
    if (at_bound(run) && !heddle__expr_parse_expression(run, &s->value)) return false;
    if (run->token.kind != TOKEN_COLON) return true;
    s->slice = true;
    heddle__expr_advance(run);
    if (at_bound(run) && !heddle__expr_parse_expression(run, &s->stop)) return false;
    if (run->token.kind != TOKEN_COLON) return true;
    heddle__expr_advance(run);
    return !at_bound(run) || heddle__expr_parse_expression(run, &s->step);
}

/* a[(1, 2)] is a[1, 2], and a[slice(1, 2)] is a[1:2]. More than fit are counted only. */
static void expand(struct subscript *s, int *n, bool comma)
{
    if (*n == 1 && !comma && !s->slice && s->value.kind == VALUE_TUPLE) {
        const struct value tuple = s->value;
        *n = tuple.n > HEDDLE_EXPR_MAX_INDEX ? HEDDLE_EXPR_MAX_INDEX + 1 : (int)tuple.n;
        for (int i = 0; i < *n && i < HEDDLE_EXPR_MAX_INDEX; i++)
            s[i] = (struct subscript){.value = tuple.items[i]};
    }
    for (int i = 0; i < *n && i < HEDDLE_EXPR_MAX_INDEX; i++) {
        if (s[i].slice || s[i].value.kind != VALUE_SLICE) continue;
        const struct value *parts = s[i].value.items;
        s[i] = (struct subscript){true, parts[0], parts[1], parts[2]};
    }
}

bool heddle__expr_parse_subscript(struct run *run, struct subscript *s, int *n)
{
    const size_t at = run->token.at;
    *n = 0;
    if (!heddle__expr_enter(run, at)) return false;
    heddle__expr_advance(run);
    if (run->token.kind == TOKEN_CLOSE_INDEX) return heddle__expr_unexpected(run, "an index");
    bool comma = false;
    while (run->token.kind != TOKEN_CLOSE_INDEX) {
        if (*n == HEDDLE_EXPR_MAX_INDEX)
            return heddle__expr_fail(run, HEDDLE_EINDEX, run->token.at, "more than %d indices",
                                     HEDDLE_EXPR_MAX_INDEX);
        if (!parse_item(run, &s[*n])) return false;
        ++*n;
        if (run->token.kind == TOKEN_CLOSE_INDEX) break;
        comma = true;
        if (!heddle__expr_expect(run, TOKEN_COMMA, "',', ':' or ']'")) return false;
    }
    heddle__expr_advance(run);
    run->depth--;
    expand(s, n, comma);
    return *n <= HEDDLE_EXPR_MAX_INDEX ||
           heddle__expr_fail(run, HEDDLE_EINDEX, at, "more than %d indices", HEDDLE_EXPR_MAX_INDEX);
}

/* ---- Arrays --------------------------------------------------------------------------------------- */

/* A list or array; an empty list is one of integers, as in NumPy. */
static bool to_index_array(struct run *run, const struct value *v, heddle_array **out)
{
    if (!heddle__expr_to_array(run, v, true, out)) return false;
    if (heddle__expr_is_list(v) && heddle_size(*out) == 0) *out = heddle_astype(*out, HEDDLE_INT64);
    return true;
}

/* One bound of a slice, if there is one. */
static bool bound(struct run *run, const struct value *v, bool *has, int64_t *out)
{
    *has = v->kind != VALUE_NONE;
    return !*has || heddle__expr_to_int(run, v, "a slice's bound", out);
}

static bool to_slice(struct run *run, const struct subscript *s, struct heddle_index *index)
{
    bool has_step;
    *index = (struct heddle_index){.kind = HEDDLE_INDEX_SLICE};
    if (!bound(run, &s->value, &index->has_start, &index->start) ||
        !bound(run, &s->stop, &index->has_stop, &index->stop) ||
        !bound(run, &s->step, &has_step, &index->step))
        return false;
    if (has_step && index->step == 0)
        return heddle__expr_fail(run, HEDDLE_EARG, s->step.at,
                                 "the step of a slice cannot be zero");
    return true;
}

static bool to_index(struct run *run, const struct subscript *s, struct heddle_index *index)
{
    *index = (struct heddle_index){.kind = HEDDLE_INDEX_SLICE};
    if (s->slice) return to_slice(run, s, index);
    const struct value *v = &s->value;
    switch (v->kind) {
    case VALUE_INT:
        *index = (struct heddle_index){.kind = HEDDLE_INDEX_INT, .start = v->integer};
        return true;
    case VALUE_NONE: index->kind = HEDDLE_INDEX_NEWAXIS; return true;
    case VALUE_ELLIPSIS: index->kind = HEDDLE_INDEX_ELLIPSIS; return true;
    case VALUE_BOOL:
    case VALUE_ARRAY:
    case VALUE_LIST:
    case VALUE_TUPLE: index->kind = HEDDLE_INDEX_ARRAY; return to_index_array(run, v, &index->by);
    default:
        return heddle__expr_fail(
            run, HEDDLE_EINDEX, v->at,
            "an index is an integer, a slice, '...', None or an array of these "
            "integers or bool, not %s",
            heddle__expr_value_name(v));
    }
}

bool heddle__expr_to_indices(struct run *run, const struct subscript *s, int n,
                             struct heddle_index *index)
{
    for (int i = 0; i < n; i++)
        if (!to_index(run, &s[i], &index[i])) return false;
    return true;
}

/* ---- Tuples and lists ------------------------------------------------------------------------------ */

static int64_t clamp(int64_t i, int64_t n, int64_t low, int64_t high)
{
    if (i < 0) i = i < -n ? -1 : i + n; /* -1: before the first */
    return i < low ? low : i > high ? high : i;
}

static bool items_of(struct run *run, const struct value *v, size_t at, const struct subscript *s,
                     struct value *out)
{
    if (!s->slice) {
        int64_t i;
        if (!heddle__expr_to_int(run, &s->value, "the index of a tuple", &i)) return false;
        if (i < -v->n || i >= v->n)
            return heddle__expr_fail(run, HEDDLE_EINDEX, s->value.at,
                                     "index %lld is out of range for %lld items", (long long)i,
                                     (long long)v->n);
        *out = v->items[i < 0 ? i + v->n : i];
        return true;
    }
    struct heddle_index slice;
    const struct heddle_index *x = &slice;
    if (!to_slice(run, s, &slice)) return false;
    const int64_t step = x->step ? x->step : 1;
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? v->n : v->n - 1;
    const int64_t start = x->has_start ? clamp(x->start, v->n, low, high) : step > 0 ? low : high;
    const int64_t stop = x->has_stop ? clamp(x->stop, v->n, low, high) : step > 0 ? high : low;
    const int64_t base = run->n_stack;
    for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
        if (!heddle__expr_push(run, v->items[i])) return false;
        if (__builtin_add_overflow(i, step, &i)) break;
    }
    return heddle__expr_take(run, base, v->kind, at, out);
}

/* ---- Reading and assigning ---------------------------------------------------------------------------- */

bool heddle__expr_getitem(struct run *run, const struct value *v, size_t at,
                          const struct subscript *s, int n, struct value *out)
{
    struct heddle_index index[HEDDLE_EXPR_MAX_INDEX];
    if (heddle__expr_is_list(v) && n == 1) return items_of(run, v, at, s, out);
    if (v->kind == VALUE_BUILDER) return heddle__expr_build(run, v, at, s, n, out);
    if (v->kind != VALUE_ARRAY)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "%s cannot be indexed%s",
                                 heddle__expr_value_name(v), n == 1 ? "" : " so");
    return heddle__expr_to_indices(run, s, n, index) &&
           heddle__expr_from_array(run, heddle_getitem(v->array, n, index), at, out);
}

bool heddle__expr_setitem(struct run *run, const struct value *v, size_t at,
                          const struct subscript *s, int n, const struct value *to,
                          struct value *out)
{
    struct heddle_index index[HEDDLE_EXPR_MAX_INDEX];
    heddle_array *value;
    if (v->kind != VALUE_ARRAY)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "items of %s cannot be assigned",
                                 heddle__expr_value_name(v));
    return heddle__expr_to_indices(run, s, n, index) &&
           heddle__expr_to_array(run, to, false, &value) &&
           heddle__expr_from_array(run, heddle_set_item(v->array, n, index, value), at, out);
}
