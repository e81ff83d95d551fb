/* Members, and sets of two arrays. Entry points: heddle_isin_with, heddle_union1d, heddle_intersect1d, heddle_setdiff1d,
 * heddle_setxor1d. */
#include "api/compose/compose.h"
#include "api/order/distinct.h"

#include "base/options.h"
#include "families/compact/compact.h"
#include "families/search/search.h"

#include <heddle/sets.h>
#include <heddle/sort.h>

/* A scalar is an array here, whose dtype counts: 300 is among no int8. */
static heddle_array *strong(heddle_array *x)
{
    return x->weak ? heddle_astype(x, (enum heddle_dtype)x->dtype) : x;
}

/* ---- isin --------------------------------------------------------------------------------------------- */

static heddle_array *is_member(heddle_array *x, heddle_array *among);

/* By the numbers of the distinct elements of both, which reads data. */
static heddle_array *is_complex_member(heddle_array *x, heddle_array *among)
{
    heddle_array *values, *number;
    heddle_array *const both[2] = {heddle__flat(among), heddle__flat(x)};
    if (heddle_unique_inverse_with(heddle_concat(2, both, 0), &values, &number, NULL) != HEDDLE_OK)
        return heddle__error_last();
    heddle_array *of_x = heddle__slice(number, 0, among->size, among->size + x->size);
    return is_member(heddle_reshape(of_x, x->ndim, x->shape),
                     heddle__slice(number, 0, 0, among->size));
}

/* By searching each element among the sorted others. */
static heddle_array *is_member(heddle_array *x, heddle_array *among)
{
    heddle_array *const both[2] = {x, among};
    const struct heddle_shape s = {.ndim = 0};
    if (among->size == 0 || x->size == 0) {
        heddle_array *none = heddle__zeros(HEDDLE_BOOL, &s);
        return heddle_broadcast_to(none, x->ndim, x->shape);
    }
    const enum heddle_dtype dtype = heddle__promote(2, both);
    if (heddle__kind_rank(dtype) == 3) return is_complex_member(x, among);
    heddle_array *sorted = heddle_sort_with(heddle__flat(heddle_astype(among, dtype)), NULL);
    return heddle__search(HEDDLE_SEARCH_MEMBER, dtype, sorted, x, NULL);
}

heddle_array *heddle_isin_with(heddle_array *x, heddle_array *among,
                               const struct heddle_isin_options *options)
{
    heddle_array *const both[2] = {x, among};
    heddle_array *const bad = heddle__bad_operand("isin", 2, both);
    if (bad) return bad;
    struct heddle_isin_options o;
    if (heddle__options("isin", options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = is_member(strong(x), strong(among));
    return heddle__scope_leave(&scope, o.invert ? heddle_logical_not(r) : r);
}

/* ---- Two arrays ---------------------------------------------------------------------------------------- */

/* The elements of a set that are, or are not, among others. */
static heddle_array *members(const char *name, heddle_array *set, heddle_array *among, bool invert)
{
    if (heddle_status_of(set) != HEDDLE_OK) return set;
    if (heddle_status_of(among) != HEDDLE_OK) return among;
    heddle_array *is = is_member(set, among);
    if (invert) is = heddle_logical_not(is);
    return heddle_status_of(is) == HEDDLE_OK ? heddle__compact(name, is, set) : is;
}

typedef heddle_array *combination(const char *name, heddle_array *a, heddle_array *b);

static heddle_array *in_either(const char *name, heddle_array *a, heddle_array *b)
{
    return heddle__distinct(
        name, heddle_concat(2, (heddle_array *[]){heddle__flat(a), heddle__flat(b)}, 0));
}

static heddle_array *in_both(const char *name, heddle_array *a, heddle_array *b)
{
    heddle_array *const both[2] = {a, b};
    return members(name, heddle__distinct(name, heddle_astype(a, heddle__promote(2, both))), b,
                   false);
}

static heddle_array *in_first(const char *name, heddle_array *a, heddle_array *b)
{
    return members(name, heddle__distinct(name, a), b, true);
}

static heddle_array *in_one(const char *name, heddle_array *a, heddle_array *b)
{
    heddle_array *x = heddle__distinct(name, a), *y = heddle__distinct(name, b);
    heddle_array *const rest[2] = {members(name, x, y, true), members(name, y, x, true)};
    return heddle_sort_with(heddle_concat(2, rest, 0), NULL);
}

static heddle_array *combine(const char *name, combination *f, heddle_array *a, heddle_array *b)
{
    heddle_array *const both[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand(name, 2, both);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, f(name, strong(a), strong(b)));
}

heddle_array *heddle_union1d(heddle_array *a, heddle_array *b)
{
    return combine("union1d", in_either, a, b);
}

heddle_array *heddle_intersect1d(heddle_array *a, heddle_array *b)
{
    return combine("intersect1d", in_both, a, b);
}

heddle_array *heddle_setdiff1d(heddle_array *a, heddle_array *b)
{
    return combine("setdiff1d", in_first, a, b);
}

heddle_array *heddle_setxor1d(heddle_array *a, heddle_array *b)
{
    return combine("setxor1d", in_one, a, b);
}
