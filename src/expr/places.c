/* Places: a variable, or what indices and attributes name of it, as a[0], a.flat[i], a.shape. Arrays are values, so an
 * assignment to a part makes new values from the part up to the variable. Entry points: value.h. */
#include "expr/value.h"

#include <heddle/assemble.h>
#include <heddle/elementwise.h>
#include <heddle/manipulate.h>

#include <string.h>

/* ---- Parsing ------------------------------------------------------------------------------------- */

/* The attribute behind the dot at the cursor, if it is one that can be assigned to; the cursor goes behind it. */
static bool parse_attribute(struct run *run, struct place_step *step)
{
    static const char *const names[] = {"flat", "real", "imag", "shape"};
    struct lexer ahead = run->lexer;
    struct token name;
    heddle__lex(&ahead, &name);
    for (unsigned i = 0; i < 4; i++) {
        if (name.kind != TOKEN_NAME || name.length != strlen(names[i]) ||
            memcmp(run->text + name.at, names[i], name.length) != 0)
            continue;
        *step = (struct place_step){.kind = (enum place_kind)(PLACE_FLAT + i), .at = name.at};
        heddle__expr_advance(run);
        heddle__expr_advance(run);
        return true;
    }
    return false;
}

static bool parse_index(struct run *run, struct place_step *step)
{
    struct subscript s[HEDDLE_EXPR_MAX_INDEX];
    *step = (struct place_step){.kind = PLACE_INDEX, .at = run->token.at};
    if (!heddle__expr_parse_subscript(run, s, &step->n_index)) return false;
    const size_t bytes = (size_t)(step->n_index + 1) * sizeof *s;
    struct subscript *kept = heddle__arena_alloc(&run->arena, bytes);
    if (!kept) return heddle__expr_no_memory(run);
    memcpy(kept, s, (size_t)step->n_index * sizeof *kept);
    step->index = kept;
    return true;
}

bool heddle__expr_parse_place(struct run *run, struct place *place)
{
    *place = (struct place){.name = run->token};
    heddle__expr_advance(run);
    for (;;) {
        struct place_step *step = &place->steps[place->n];
        const enum token_kind kind = run->token.kind;
        if (kind != TOKEN_OPEN_INDEX && kind != TOKEN_DOT) return true;
        if (place->n == HEDDLE_EXPR_MAX_STEPS)
            return heddle__expr_fail(run, HEDDLE_ESYNTAX, run->token.at, "more than %d indices",
                                     HEDDLE_EXPR_MAX_STEPS);
        if (kind == TOKEN_DOT && !parse_attribute(run, step)) return true;
        if (kind == TOKEN_OPEN_INDEX && !parse_index(run, step)) return false;
        place->n++;
    }
}

/* ---- Reading ------------------------------------------------------------------------------------- */

static bool variable(struct run *run, const struct place *place, struct value *out)
{
    const struct token *name = &place->name;
    const struct value *v = heddle__expr_variable_get(run, run->text + name->at, name->length);
    if (!v) return heddle__expr_unknown_name(run, "", name->at, name->length, true);
    *out = *v;
    out->at = name->at;
    return true;
}

static bool step_get(struct run *run, const struct place_step *step, const struct value *v,
                     struct value *out)
{
    static const char *const names[] = {"", "flat", "real", "imag", "shape"};
    const struct value of = *v;
    if (step->kind == PLACE_INDEX)
        return heddle__expr_getitem(run, &of, step->at, step->index, step->n_index, out);
    const char *name = names[step->kind];
    return heddle__expr_attribute(run, &of, step->at, name, strlen(name), out);
}

bool heddle__expr_place_get(struct run *run, const struct place *place, struct value *out)
{
    if (!variable(run, place, out)) return false;
    for (int i = 0; i < place->n; i++)
        if (!step_get(run, &place->steps[i], out, out)) return false;
    return true;
}

/* ---- Assigning ------------------------------------------------------------------------------------ */

static bool set_shape(struct run *run, const struct place_step *step, const struct value *v,
                      const struct value *to, struct value *out)
{
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    return heddle__expr_to_ints(run, to, "a shape", HEDDLE_MAX_NDIM, shape, &ndim) &&
           heddle__expr_from_array(run, heddle_reshape(v->array, ndim, shape), step->at, out);
}

/* All elements, from the first of `to` again when they end. */
static bool set_flat(struct run *run, const struct place_step *step, const struct value *v,
                     const struct value *to, struct value *out)
{
    heddle_array *a = v->array, *values;
    if (!heddle__expr_to_array(run, to, true, &values)) return false;
    values = heddle_resize(values, heddle_ndim(a), heddle_shape(a));
    return heddle__expr_from_array(run, heddle_astype(values, heddle_dtype_of(a)), step->at, out);
}

/* A part of complex numbers, or all of real ones. */
static bool set_part(struct run *run, const struct place_step *step, const struct value *v,
                     const struct value *to, struct value *out)
{
    heddle_array *a = v->array, *part;
    const enum heddle_dtype dtype = heddle_dtype_of(a);
    if (!heddle__expr_to_array(run, to, false, &part)) return false;
    if (heddle_dtype_kind(dtype) != 'C') {
        if (step->kind == PLACE_IMAG)
            return heddle__expr_fail(run, HEDDLE_EDTYPE, step->at,
                                     "the numbers are real: they have no imaginary part to set");
    } else {
        heddle_array *const i = heddle_scalar_complex(0, 1);
        part = step->kind == PLACE_REAL ? heddle_add(part, heddle_multiply(heddle_imag(a), i))
                                        : heddle_add(heddle_real(a), heddle_multiply(part, i));
    }
    part = heddle_broadcast_to(heddle_astype(part, dtype), heddle_ndim(a), heddle_shape(a));
    return heddle__expr_from_array(run, part, step->at, out);
}

static bool step_set(struct run *run, const struct place_step *step, const struct value *v,
                     const struct value *to, struct value *out)
{
    if (step->kind == PLACE_INDEX)
        return heddle__expr_setitem(run, v, step->at, step->index, step->n_index, to, out);
    if (v->kind != VALUE_ARRAY)
        return heddle__expr_fail(run, HEDDLE_EARG, step->at, "%s has no parts to assign to",
                                 heddle__expr_value_name(v));
    switch (step->kind) {
    case PLACE_SHAPE: return set_shape(run, step, v, to, out);
    case PLACE_FLAT: return set_flat(run, step, v, to, out);
    default: return set_part(run, step, v, to, out);
    }
}

/* Whether the step picks elements by an array, whose assignment to a part NumPy loses. */
static bool is_copy(const struct place_step *step)
{
    for (int i = 0; i < step->n_index; i++) {
        const enum value_kind kind = step->index[i].value.kind;
        if (!step->index[i].slice && (heddle__expr_is_list(&step->index[i].value) ||
                                      kind == VALUE_ARRAY || kind == VALUE_BOOL))
            return true;
    }
    return false;
}

bool heddle__expr_place_set(struct run *run, const struct place *place, const struct value *to)
{
    struct value parts[HEDDLE_EXPR_MAX_STEPS], changed = *to;
    for (int i = 0; i < place->n; i++) {
        const struct place_step *step = &place->steps[i];
        if (i + 1 < place->n && is_copy(step))
            return heddle__expr_fail(run, HEDDLE_EINDEX, step->at,
                                     "what an array chooses is a copy: its parts cannot be "
                                     "assigned to");
        if (i == 0 ? !variable(run, place, &parts[0])
                   : !step_get(run, &place->steps[i - 1], &parts[i - 1], &parts[i]))
            return false;
    }
    for (int i = place->n - 1; i >= 0; i--) {
        struct value part;
        if (!step_set(run, &place->steps[i], &parts[i], &changed, &part)) return false;
        changed = part;
    }
    run->last = changed;
    return heddle__expr_variable_set(run, run->text + place->name.at, place->name.length, changed);
}

/* ---- Calls that change what they are given ---------------------------------------------------------- */

bool heddle__expr_change(struct run *run, size_t at, size_t end, const struct value *to)
{
    const struct lexer lexer = run->lexer;
    const struct token token = run->token;
    struct place place;
    bool ok = true;
    run->lexer.at = at;
    run->lexer.depth = 1; /* in the call's bracket lines do not end */
    heddle__expr_advance(run);
    const struct token first = run->token;
    if (first.kind == TOKEN_NAME &&
        heddle__expr_variable_get(run, run->text + first.at, first.length)) {
        ok = heddle__expr_parse_place(run, &place);
        if (ok && run->token.at + 1 < end) /* behind a place is the dot of a method, or a comma */
            ok = heddle__expr_fail(run, HEDDLE_EARG, first.at,
                                   "the call would change a new array: a variable, or a[index] of "
                                   "one, is needed");
        ok = ok && heddle__expr_place_set(run, &place, to);
    }
    run->lexer = lexer;
    run->token = token;
    return ok;
}

bool heddle__expr_put_out(struct run *run, size_t at, const struct destination *to,
                          struct value *result)
{
    heddle_array *r, *condition;
    const bool has_where = to->where.kind != VALUE_ABSENT;
    if (!to->given)
        return heddle__expr_fail(run, HEDDLE_EUNSUPPORTED, to->where.at,
                                 "where= leaves elements as they are in out=, which is missing; "
                                 "or choose elements with where(condition, a, b)");
    if (to->out.kind != VALUE_ARRAY)
        return heddle__expr_fail(run, HEDDLE_EARG, to->out.at, "out= is %s, not an array",
                                 heddle__expr_value_name(&to->out));
    heddle_array *const before = to->out.array;
    if (!heddle__expr_to_array(run, result, true, &r)) return false;
    if (!heddle__expr_same_kind(heddle_dtype_of(r), heddle_dtype_of(before)))
        return heddle__expr_fail(run, HEDDLE_EDTYPE, at, "the result is %s, and out= is %s",
                                 heddle_dtype_name(heddle_dtype_of(r)),
                                 heddle_dtype_name(heddle_dtype_of(before)));
    bool same = to->spreads || heddle_ndim(r) == heddle_ndim(before);
    for (int d = 0; same && !to->spreads && d < heddle_ndim(r); d++)
        same = heddle_shape(r)[d] == heddle_shape(before)[d];
    if (!same)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, at, "the result has another shape than out=");
    r = heddle_broadcast_to(heddle_astype(r, heddle_dtype_of(before)), heddle_ndim(before),
                            heddle_shape(before));
    if (has_where) {
        if (!heddle__expr_to_array(run, &to->where, true, &condition)) return false;
        r = heddle_where(condition, r, before);
    }
    if (!heddle__expr_from_array(run, r, at, result)) return false;
    return heddle__expr_change(run, to->at, to->end, result);
}
