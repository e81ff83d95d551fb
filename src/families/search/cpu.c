/* Searching on the CPU: many values are halved in at the same time, so that what they read from memory is on its way
 * together. The values are shared among the threads. */
#include "families/search/kernel.h"
#include "families/search/kernel_line.h"

#include "base/share.h"
#include "kernels.h"

#include <heddle/dtype.h>

#include <string.h>

enum {
    TOGETHER = 32, /* values */
    PIECE = 4096,  /* values: the least that a thread does at a time */
    PLACES = 512   /* that are known before something else is made of them */
};

typedef void search_function(const void *sorted, int64_t n, const void *values, int64_t size,
                             int64_t *out);

/* Whether x is before y: NaNs are last. Of integers the compiler drops the rest. */
#define LESS(x, y) (((x) < (y)) | (((y) != (y)) & ((x) == (x))))
#define NOT_AFTER(x, y) (!LESS(y, x))
/* The same where y is a number. */
#define LESS_NUMBER(x, y) ((x) < (y))
#define NOT_AFTER_NUMBER(x, y) ((x) <= (y))

/* Without a branch: which half it is cannot be foreseen. */
#define HALVE(type, BEFORE)                                                                        \
    for (int64_t rest = n; rest > 1; rest -= rest / 2) {                                           \
        const int64_t half = rest / 2;                                                             \
        const type *middle = a + half - 1;                                                         \
        for (int k = 0; k < TOGETHER; k++) at[k] += half & -(int64_t)BEFORE(middle[at[k]], x[k]);  \
    }                                                                                              \
    for (int k = 0; k < TOGETHER; k++) at[k] += BEFORE(a[at[k]], x[k]);

#define SEARCH(name, type, BEFORE)                                                                 \
    static void name(const void *sorted, int64_t n, const void *values, int64_t size,              \
                     int64_t *out)                                                                 \
    {                                                                                              \
        const type *a = sorted;                                                                    \
        for (int64_t first = 0; first < size; first += TOGETHER) {                                 \
            const int64_t m = size - first < TOGETHER ? size - first : TOGETHER;                   \
            type x[TOGETHER] = {0};                                                                \
            int64_t at[TOGETHER] = {0};                                                            \
            memcpy(x, (const type *)values + first, (size_t)m * sizeof(type));                     \
            int has_nan = 0;                                                                       \
            for (int k = 0; k < TOGETHER; k++) has_nan |= x[k] != x[k];                            \
            if (has_nan) {                                                                         \
                HALVE(type, BEFORE)                                                                \
            } else {                                                                               \
                HALVE(type, BEFORE##_NUMBER)                                                       \
            }                                                                                      \
            memcpy(out + first, at, (size_t)m * sizeof *at);                                       \
        }                                                                                          \
    }
#define SEARCHES(name, type)                                                                       \
    SEARCH(left_##name, type, LESS)                                                                \
    SEARCH(right_##name, type, NOT_AFTER)                                                          \
    MEMBER(member_##name, left_##name, type)

typedef void put_function(const struct heddle_search *s, const void *sorted, const void *heights,
                          const void *values, int64_t size, void *out);

/* Whether each value is what stands where it would go. */
#define MEMBER(name, LEFT, type)                                                                   \
    static void name(const struct heddle_search *s, const void *sorted, const void *heights,       \
                     const void *values, int64_t size, void *out)                                  \
    {                                                                                              \
        const type *a = sorted, *x = values;                                                       \
        int64_t at[PLACES];                                                                        \
        (void)heights;                                                                             \
        for (int64_t first = 0; first < size; first += PLACES) {                                   \
            const int64_t m = size - first < PLACES ? size - first : PLACES;                       \
            LEFT(a, s->n, x + first, m, at);                                                       \
            for (int64_t k = 0; k < m; k++)                                                        \
                ((bool *)out)[first + k] = at[k] < s->n && a[at[k]] == x[first + k];               \
        }                                                                                          \
    }

SEARCHES(u8, uint8_t)
SEARCHES(i8, int8_t)
SEARCHES(u16, uint16_t)
SEARCHES(i16, int16_t)
SEARCHES(u32, uint32_t)
SEARCHES(i32, int32_t)
SEARCHES(u64, uint64_t)
SEARCHES(i64, int64_t)
SEARCHES(f32, float)
SEARCHES(f64, double)

static void lines(const struct heddle_search *s, const void *sorted, const void *heights,
                  const void *values, int64_t size, void *out)
{
    const double *x = values;
    int64_t at[PLACES];
    for (int64_t first = 0; first < size; first += PLACES) {
        const int64_t m = size - first < PLACES ? size - first : PLACES;
        right_f64(sorted, s->n, x + first, m, at);
        for (int64_t k = 0; k < m; k++)
            ((double *)out)[first + k] =
                heddle__on_line(x[first + k], sorted, heights, s->n, at[k]);
    }
}

struct functions {
    search_function *left, *right;
    put_function *member;
};

static struct functions functions_of(const struct heddle_search *s)
{
    switch ((enum heddle_dtype)s->dtype) {
#define CASE(name)                                                                                 \
    return (struct functions)                                                                      \
    {                                                                                              \
        left_##name, right_##name, member_##name                                                   \
    }
    case HEDDLE_BOOL:
    case HEDDLE_UINT8: CASE(u8);
    case HEDDLE_INT8: CASE(i8);
    case HEDDLE_UINT16: CASE(u16);
    case HEDDLE_INT16: CASE(i16);
    case HEDDLE_UINT32: CASE(u32);
    case HEDDLE_INT32: CASE(i32);
    case HEDDLE_UINT64: CASE(u64);
    case HEDDLE_INT64: CASE(i64);
    case HEDDLE_FLOAT32: CASE(f32);
    case HEDDLE_FLOAT64: CASE(f64);
    default: return (struct functions){NULL, NULL, NULL};
    }
}

struct job {
    const struct heddle_search *s;
    search_function *search;
    put_function *put; /* or NULL: places */
    const char *sorted, *values, *heights;
    char *out;
    int64_t element_bytes, result_bytes;
};

static void search_pieces(void *argument, int64_t from, int64_t to)
{
    const struct job *j = argument;
    const int64_t begin = from * PIECE, end = to * PIECE < j->s->size ? to * PIECE : j->s->size;
    const char *values = j->values + begin * j->element_bytes;
    char *out = j->out + begin * j->result_bytes;
    if (j->put)
        j->put(j->s, j->sorted, j->heights, values, end - begin, out);
    else
        j->search(j->sorted, j->s->n, values, end - begin, (int64_t *)(void *)out);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_search *s = arguments;
    const struct functions f = functions_of(s);
    const bool is_line = s->what == HEDDLE_SEARCH_LINE, is_member = s->what == HEDDLE_SEARCH_MEMBER;
    struct job j = {.s = s,
                    .search = s->what == HEDDLE_SEARCH_RIGHT ? f.right : f.left,
                    .put = is_line     ? lines
                           : is_member ? f.member
                                       : NULL,
                    .sorted = k->buffers[s->sorted],
                    .values = k->buffers[s->values],
                    .heights = is_line ? k->buffers[s->heights] : NULL,
                    .out = k->buffers[s->out],
                    .element_bytes = (int64_t)heddle_dtype_size((enum heddle_dtype)s->dtype),
                    .result_bytes = is_member ? 1 : 8};
    HEDDLE_REQUIRE(f.left && s->n > 0 && (!is_line || s->dtype == HEDDLE_FLOAT64), HEDDLE_EINTERNAL,
                   "search: no kernel for %s", heddle_dtype_name((enum heddle_dtype)s->dtype));
    heddle__share(k->team, heddle__team_size(k->team), (s->size + PIECE - 1) / PIECE, search_pieces,
                  &j);
    return HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__search_cpu = {.run = run};
