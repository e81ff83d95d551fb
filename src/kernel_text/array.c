/* Declarations of local arrays: the extent, and values. Entry point: heddle__kernel_array. */
#include "kernel_text/reader.h"

/* The extent of a local array, between [ and ]; 0: it follows from its values. */
static bool array_extent(struct kernel_reader *r, int *extent)
{
    *extent = 0;
    if (heddle__kernel_take(r, SIGN1(']'))) return true;
    const uint64_t value =
        r->token.kind == TOKEN_NUMBER && r->token.type < HEDDLE_FLOAT32
            ? heddle__convert(r->token.value, (enum heddle_dtype)r->token.type, HEDDLE_UINT64).u64
            : 0;
    if (value < 1 || value > KERNEL_MAX_EXTENT)
        return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at,
                                   "an array has a number of elements from 1 to %d",
                                   (int)KERNEL_MAX_EXTENT);
    *extent = (int)value;
    heddle__kernel_lex(r);
    return heddle__kernel_expect(r, SIGN1(']'), "after the number of elements");
}

/* { a, b, c } into n->a and what follows; *extent: that of the array, if it is not given. */
static bool array_values(struct kernel_reader *r, struct kernel_node *n, int *extent)
{
    struct kernel_node **into = &n->a;
    int count = 0;
    if (!heddle__kernel_expect(r, SIGN1('{'), "before the values of an array")) return false;
    while (!heddle__kernel_take(r, SIGN1('}'))) {
        if (count == (*extent ? *extent : KERNEL_MAX_EXTENT))
            return heddle__kernel_fail(r, HEDDLE_ESYNTAX, r->token.at,
                                       "an array of %d elements has no more values", count);
        if (!(*into = heddle__kernel_expression(r))) return false;
        into = &(*into)->next;
        count++;
        if (heddle__kernel_take(r, SIGN1(','))) continue;
        if (!heddle__kernel_expect(r, SIGN1('}'), "after the values of an array")) return false;
        break;
    }
    if (!*extent) *extent = count;
    return *extent || heddle__kernel_unexpected(r, "a value: an array has an element");
}

bool heddle__kernel_array(struct kernel_reader *r, struct kernel_node *n, kernel_type type,
                          int *extent)
{
    const size_t at = r->token.at;
    if (type == HEDDLE_DTYPE_NONE)
        return heddle__kernel_fail(r, HEDDLE_ESYNTAX, at, "auto is no type of an array");
    if (!array_extent(r, extent)) return false;
    if (heddle__kernel_take(r, SIGN1('='))) return array_values(r, n, extent);
    return *extent ||
           heddle__kernel_fail(r, HEDDLE_ESYNTAX, at, "an array needs a number of elements");
}
