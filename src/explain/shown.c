/* Values of the expression language as Python prints them: tuples, lists, dtypes, and arrays in them by their
 * repr. Entry point: heddle_expr_show. */
#include "base/memory.h"
#include "explain/format.h"
#include "expr/run.h"

#include <heddle/explain.h>
#include <heddle/io.h>

#include <stdio.h>
#include <string.h>

enum { LONGEST = 1 << 24 }; /* tuples of tuples may be longer than memory is large */

struct shown {
    char *text;
    int64_t n, capacity;
    int threshold;
};

static bool put(struct run *run, const char *text, size_t length)
{
    struct shown *s = run->print_data;
    if (s->n + (int64_t)length > LONGEST)
        return heddle__expr_fail(run, HEDDLE_ERANGE, 0, "more is printed than %d bytes", LONGEST);
    if (!heddle__grow(&s->text, 1, s->n + (int64_t)length + 1, &s->capacity))
        return heddle__expr_no_memory(run);
    memcpy(s->text + s->n, text, length);
    s->n += (int64_t)length;
    s->text[s->n] = 0;
    return true;
}

static bool put_text(struct run *run, const char *text)
{
    return put(run, text, strlen(text));
}

static bool put_array(struct run *run, const struct value *v, heddle_array *a, bool nested)
{
    const struct shown *s = run->print_data;
    char *text = NULL;
    const enum heddle_status status = nested && v->kind == VALUE_ARRAY
                                          ? heddle__format_repr(a, &text)
                                          : heddle_format(a, s->threshold, &text);
    if (status != HEDDLE_OK)
        return heddle__expr_fail(run, status, v->at, "%s", heddle_last_error());
    const bool ok = put_text(run, text);
    heddle_free(text);
    return ok;
}

static bool put_value(struct run *run, const struct value *v, bool nested, int depth);

static bool put_items(struct run *run, const struct value *v, int depth)
{
    const bool tuple = v->kind != VALUE_LIST;
    if (depth > HEDDLE_EXPR_MAX_DEPTH) return put_text(run, "...");
    if (!put_text(run, tuple ? "(" : "[")) return false;
    for (int64_t i = 0; i < v->n; i++)
        if ((i && !put_text(run, ", ")) || !put_value(run, &v->items[i], true, depth + 1))
            return false;
    return put_text(run, tuple ? v->n == 1 ? ",)" : ")" : "]");
}

/* np.float64, or Python's float. */
static bool put_class(struct run *run, const struct value *v)
{
    const char *name = heddle_dtype_name(v->dtype);
    if (v->python)
        name = v->dtype == HEDDLE_INT64        ? "int"
               : v->dtype == HEDDLE_FLOAT64    ? "float"
               : v->dtype == HEDDLE_COMPLEX128 ? "complex"
                                               : "bool";
    return put_text(run, v->python ? "<class '" : "<class 'numpy.") && put_text(run, name) &&
           put_text(run, "'>");
}

static bool put_value(struct run *run, const struct value *v, bool nested, int depth)
{
    heddle_array *a;
    switch (v->kind) {
    case VALUE_NONE: return put_text(run, "None");
    case VALUE_ELLIPSIS: return put_text(run, "Ellipsis");
    case VALUE_TUPLE:
    case VALUE_LIST: return put_items(run, v, depth);
    case VALUE_STRING:
        return (!nested || put_text(run, "'")) && put(run, v->text, v->length) &&
               (!nested || put_text(run, "'"));
    case VALUE_TYPE:
        return put_text(run, "<class '") && put_text(run, heddle__expr_type_name(v)) &&
               put_text(run, "'>");
    case VALUE_DTYPE:
        if (v->class) return put_class(run, v);
        return (!nested || put_text(run, "dtype('")) &&
               put_text(run, heddle_dtype_name(v->dtype)) && (!nested || put_text(run, "')"));
    case VALUE_ARRAY:
    case VALUE_BOOL:
    case VALUE_INT:
    case VALUE_FLOAT:
    case VALUE_COMPLEX:
        return heddle__expr_to_array(run, v, false, &a) && put_array(run, v, a, nested);
    case VALUE_SLICE: return put_text(run, "slice") && put_items(run, v, depth);
    case VALUE_LIMITS:
        return put_text(run, "limits of ") && put_text(run, heddle_dtype_name(v->dtype));
    default:
        return heddle__expr_fail(run, HEDDLE_EARG, v->at,
                                 "the value is %s: a call needs '(' and ')'",
                                 heddle__expr_value_name(v));
    }
}

/* A line: the values, separated by blanks. */
static bool print(struct run *run, int64_t n, const struct value *values)
{
    for (int64_t i = 0; i < n; i++)
        if ((i && !put_text(run, " ")) || !put_value(run, &values[i], false, 0)) return false;
    return put_text(run, "\n");
}

enum heddle_status heddle_expr_show(const char *text, int n, const struct heddle_binding *inputs,
                                    int n_outputs, struct heddle_binding *outputs, int threshold,
                                    char **printed)
{
    HEDDLE_REQUIRE(printed, HEDDLE_EARG, "heddle_expr_show: printed is NULL");
    struct shown s = {.threshold = threshold};
    const enum heddle_status status =
        heddle__expr_run_printing(text, n, inputs, n_outputs, outputs, print, &s);
    *printed = s.text;
    return status;
}
