/* Expressions as text, in NumPy's syntax: a line of NumPy or CuPy can be pasted.
 *
 *     heddle_expr("0.25*(u[2:,1:-1] + u[:-2,1:-1] + u[1:-1,2:] + u[1:-1,:-2])",
 *                 HEDDLE_BIND("u", u));
 *
 * Operators with Python's precedence, literals (1, 0x1f, 1e-3, 1j, True, None), pi e inf nan,
 * slices, `...`, calls with positional and keyword arguments and tuples, dtype names, methods and
 * attributes where NumPy has them (a.T, a.sum(axis=0)), an optional np. / cp. / xp. prefix, several
 * statements separated by `;` or newline. A statement assigns (`d = a - b`, `a[1:-1] = 0`) or is
 * an expression; the value of the text is that of its last statement. docs/expressions.md. */
#ifndef HEDDLE_EXPR_H
#define HEDDLE_EXPR_H

#include <heddle/array.h>
#include <heddle/list.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A name of the text and the array that it stands for; on output, one the caller wants. */
struct heddle_binding {
    const char *name;
    heddle_array *array;
};

#define HEDDLE_BIND(...) HEDDLE_BIND_ALL({__VA_ARGS__})
#define HEDDLE_NO_BINDINGS HEDDLE_NO_LIST_(struct heddle_binding)
#ifndef __cplusplus
#define HEDDLE_BIND_ALL(...) HEDDLE_LIST_(struct heddle_binding, __VA_ARGS__)
#else
#define HEDDLE_BIND_ALL(...)                                                                       \
    static_cast<int>(sizeof(heddle_count_bindings_({__VA_ARGS__}))),                               \
        heddle_bindings_({__VA_ARGS__})
#endif

/** The value of the text's last statement. Lazy as any other constructor. Several names:
 *  HEDDLE_BIND_ALL({"a", a}, {"b", b}). Errors: HEDDLE_ESYNTAX, HEDDLE_ENAME, and those of the
 *  functions called; the message shows the line with a caret under the column. */
HEDDLE_API heddle_array *heddle_expr(const char *text, int n, const struct heddle_binding *inputs);

/** Runs the text and fetches variables by name: for each outputs[i].name its array, or one in the
 *  error state. An empty name or "_" is the value of the last statement. The arrays belong to the
 *  scope or the caller, as from any constructor. Returns the first error, HEDDLE_OK if none. */
HEDDLE_API enum heddle_status heddle_expr_run(const char *text, int n,
                                              const struct heddle_binding *inputs, int n_outputs,
                                              struct heddle_binding *outputs);

/** The same, and what Python would print: *printed has the lines of print(...), and the value of the last
 *  statement if that is a tuple, a list, a dtype or a string and outputs[0] asks for it, which becomes NULL
 *  then, as it does for None. Arrays that are printed are evaluated, and shown as heddle_format does with
 *  `threshold`. *printed is to be freed with heddle_free, on failure too; NULL if nothing was printed. */
HEDDLE_API enum heddle_status heddle_expr_show(const char *text, int n,
                                               const struct heddle_binding *inputs, int n_outputs,
                                               struct heddle_binding *outputs, int threshold,
                                               char **printed);

#ifdef __cplusplus
} /* extern "C" */

template <size_t n> char (&heddle_count_bindings_(const heddle_binding (&)[n]))[n];
template <size_t n> const heddle_binding *heddle_bindings_(const heddle_binding (&list)[n])
{
    return list;
}
#endif

#endif
