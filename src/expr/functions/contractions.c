/* einsum, of subscripts as text or as lists of numbers; products of several matrices. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/linalg.h>

#include <string.h>

enum { MAX_TEXT = 1024, MAX_LABELS = 52 };

/* One list of labels, [0, 1] or [Ellipsis, 0], as letters at the end of `text`. */
static bool add_labels(struct run *run, const struct value *v, char *text)
{
    if (!heddle__expr_is_list(v))
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "expected a list of labels, found %s",
                                 heddle__expr_value_name(v));
    size_t used = strlen(text);
    for (int64_t i = 0; i < v->n; i++) {
        int64_t label = 0;
        const bool ellipsis = v->items[i].kind == VALUE_ELLIPSIS;
        if (!ellipsis && !heddle__expr_to_int(run, &v->items[i], "a label", &label)) return false;
        if (label < 0 || label >= MAX_LABELS || used + 4 > MAX_TEXT)
            return heddle__expr_fail(run, HEDDLE_EARG, v->items[i].at,
                                     "a label is a number from 0 to 51");
        if (ellipsis)
            memcpy(text + used, "...", 3);
        else
            text[used] = (char)(label < 26 ? 'A' + label : 'a' + label - 26);
        used += ellipsis ? 3 : 1;
    }
    return true;
}

/* einsum(a, [0, 1], b, [1, 2], [0, 2]): the arrays and the text that says the same. */
static bool from_lists(struct run *run, size_t at, const struct value *args, char *text,
                       heddle_array **arrays, int *n)
{
    *n = (int)(args->n / 2);
    if (args->n > MAX_TEXT / 4)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "too many arguments");
    for (int i = 0; i < *n; i++) {
        if (i > 0) text[strlen(text)] = ',';
        if (!heddle__expr_to_array(run, &args->items[2 * i], true, &arrays[i]) ||
            !add_labels(run, &args->items[2 * i + 1], text))
            return false;
    }
    if (args->n % 2 == 0) return true;
    memcpy(text + strlen(text), "->", 2);
    return add_labels(run, &args->items[args->n - 1], text);
}

CALL(call_einsum)
{
    (void)f;
    char text[MAX_TEXT + 8] = "";
    const struct value *all = &args[0];
    heddle_array **arrays = heddle__expr_room(run, all->n);
    enum heddle_dtype dtype = HEDDLE_DTYPE_NONE;
    int n = 0;
    if (!arrays) return false;
    if (all->n < 2)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "it takes subscripts and arrays");
    if (all->items[0].kind != VALUE_STRING) {
        if (!from_lists(run, at, all, text, arrays, &n)) return false;
    } else {
        if (all->items[0].length >= MAX_TEXT)
            return heddle__expr_fail(run, HEDDLE_EARG, all->items[0].at, "the text is too long");
        memcpy(text, all->items[0].text, all->items[0].length);
        for (; n < all->n - 1; n++)
            if (!heddle__expr_to_array(run, &all->items[n + 1], true, &arrays[n])) return false;
    }
    if (heddle__expr_given(&args[1]) && !heddle__expr_to_dtype(run, &args[1], &dtype)) return false;
    for (int i = 0; i < n && dtype != HEDDLE_DTYPE_NONE; i++)
        arrays[i] = heddle_astype(arrays[i], dtype);
    return heddle__expr_from_array(run, heddle_einsum(text, n, arrays), at, out);
}

CALL(call_multi_dot)
{
    (void)f;
    heddle_array **arrays = NULL;
    int n = 0;
    return heddle__expr_to_rows(run, &args[0], &arrays, &n) &&
           heddle__expr_from_array(run, heddle_linalg_multi_dot(n, arrays), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

/* The order of einsum's steps is always the best: optimize= says nothing. */
static const struct function rows[] = {
    PLAIN(einsum, "+operands | dtype= optimize=", call_einsum),
    {"linalg.multi_dot", "arrays", call_multi_dot, {NULL}},
};

TABLE(contractions);
