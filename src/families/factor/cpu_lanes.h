/* Elimination of LANES systems at a time, for one dtype. Included with
 *   TYPE, PLACE     of elements, and the signed integer of its size
 *   LARGEST         of the integers: all bits but the sign's
 *   LANES           systems
 *   SYSTEMS(name)   the name of a function for this dtype
 * A vector has an element of each. Row i of them is x[i * width] and on, with the right side behind the matrix. */

typedef TYPE SYSTEMS(vec) __attribute__((vector_size(LANES * sizeof(TYPE))));
typedef PLACE SYSTEMS(mask) __attribute__((vector_size(LANES * sizeof(TYPE)))); /* 0, or all bits */
#define VEC SYSTEMS(vec)
#define MASK SYSTEMS(mask)
#define AT(i, j) x[(i)*width + (j)]

static inline VEC SYSTEMS(select)(MASK mask, VEC yes, VEC no)
{
    return (VEC)(((MASK)yes & mask) | ((MASK)no & ~mask));
}

static inline VEC SYSTEMS(magnitude)(VEC v)
{
    return (VEC)((MASK)v & LARGEST);
}

static inline bool SYSTEMS(any)(MASK mask)
{
    PLACE any = 0;
    for (int l = 0; l < LANES; l++) any |= mask[l];
    return any != 0;
}

/* Elements that are `stride` apart. */
static inline VEC SYSTEMS(gather)(const TYPE *from, int stride)
{
    VEC v;
    for (int l = 0; l < LANES; l++) v[l] = from[l * stride];
    return v;
}

static inline void SYSTEMS(scatter)(TYPE *to, int stride, VEC v)
{
    for (int l = 0; l < LANES; l++) to[l * stride] = v[l];
}

static inline void SYSTEMS(load)(const struct heddle_systems *s, const TYPE *a, const TYPE *b,
                                 int n, int width, VEC *x)
{
    const int right = width - n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) AT(i, j) = SYSTEMS(gather)(a + i * n + j, n * n);
        for (int j = 0; j < right; j++)
            AT(i, n + j) = s->what == HEDDLE_SYSTEMS_INVERT
                               ? (VEC){0} + (TYPE)(i == j)
                               : SYSTEMS(gather)(b + i * right + j, n * right);
    }
}

/* Brings the pivots of column k to row k; what is no number is none, but where it stands. All bits where rows were swapped. */
static inline MASK SYSTEMS(pivot)(VEC *x, int n, int width, int k)
{
    VEC best = SYSTEMS(magnitude)(AT(k, k));
    MASK row = (MASK){0} + k;
    for (int i = k + 1; i < n; i++) {
        const VEC size = SYSTEMS(magnitude)(AT(i, k));
        const MASK larger = size > best;
        row = (row & ~larger) | (((MASK){0} + i) & larger);
        best = SYSTEMS(select)(larger, size, best);
    }
    for (int i = k + 1; i < n; i++) {
        const MASK here = row == i;
        if (!SYSTEMS(any)(here)) continue;
        for (int j = k; j < width; j++) {
            const VEC lower = AT(i, j), upper = AT(k, j);
            AT(i, j) = SYSTEMS(select)(here, upper, lower);
            AT(k, j) = SYSTEMS(select)(here, lower, upper);
        }
    }
    return row != k;
}

static inline void SYSTEMS(substitute)(VEC *x, int n, int width)
{
    for (int k = n - 1; k >= 0; k--)
        for (int c = n; c < width; c++) {
            const VEC result = AT(k, c) / AT(k, k);
            AT(k, c) = result;
            for (int i = 0; i < k; i++) AT(i, c) -= AT(i, k) * result;
        }
}

/* One group. Gives system * n + pivot of the first that is 0, or -1. */
static inline __attribute__((always_inline)) int64_t
SYSTEMS(solve_group)(const struct heddle_systems *s, const TYPE *a, const TYPE *b, TYPE *out, int n)
{
    VEC x[HEDDLE_SYSTEMS_IN_LANES * 2 * HEDDLE_SYSTEMS_IN_LANES];
    MASK odd = {0}, bad = (MASK){0} + n;
    const int columns = heddle__systems_is_of_matrix(s) ? 0 : s->columns, width = n + columns;
    if (n < 1) return -1; /* there is none; the compiler asks */
    SYSTEMS(load)(s, a, b, n, width, x);
    for (int k = 0; k < n; k++) {
        odd ^= SYSTEMS(pivot)(x, n, width, k);
        const VEC pivot = AT(k, k);
        const MASK zero = pivot == 0, first = zero & (bad == n);
        bad = (bad & ~first) | (((MASK){0} + k) & first);
        for (int i = k + 1; i < n; i++) {
            const VEC factor = (VEC)((MASK)(AT(i, k) / pivot) & ~zero);
            for (int j = k + 1; j < width; j++) AT(i, j) -= factor * AT(k, j);
        }
    }
    if (heddle__systems_is_of_matrix(s)) {
        AT(0, 0) = SYSTEMS(select)(odd, -AT(0, 0), AT(0, 0));
        if (s->what == HEDDLE_SYSTEMS_PIVOTS) {
            for (int k = 0; k < n; k++) SYSTEMS(scatter)(out + k, n, AT(k, k));
            return -1;
        }
        VEC product = AT(0, 0);
        for (int k = 1; k < n; k++) product *= AT(k, k);
        SYSTEMS(scatter)(out, 1, product);
        return -1;
    }
    SYSTEMS(substitute)(x, n, width);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < columns; c++)
            SYSTEMS(scatter)(out + i * columns + c, n * columns, AT(i, n + c));
    for (int l = 0; l < LANES; l++)
        if (bad[l] < n) return (int64_t)l * n + bad[l];
    return -1;
}

static int64_t SYSTEMS(solve_lanes)(const struct heddle_systems *s, const TYPE *a, const TYPE *b,
                                    TYPE *out)
{
    switch (s->n) { /* loops of known extents are unrolled */
    case 2: return SYSTEMS(solve_group)(s, a, b, out, 2);
    case 3: return SYSTEMS(solve_group)(s, a, b, out, 3);
    case 4: return SYSTEMS(solve_group)(s, a, b, out, 4);
    default: return SYSTEMS(solve_group)(s, a, b, out, s->n);
    }
}

/* Fewer than the lanes: the others have identities, and nobody reads what they give. */
static int64_t SYSTEMS(solve_few)(const struct heddle_systems *s, const TYPE *a, const TYPE *b,
                                  TYPE *out, int here)
{
    enum { N = HEDDLE_SYSTEMS_IN_LANES, SIDE = N * N };
    TYPE left[LANES * N * N], right[LANES * SIDE], result[LANES * SIDE];
    const int n = s->n, each = heddle__systems_each(s);
    memcpy(left, a, (size_t)(here * n * n) * sizeof *left);
    for (int i = here * n * n; i < LANES * n * n; i++) left[i] = (TYPE)(i % (n * n) / n == i % n);
    if (b) {
        memcpy(right, b, (size_t)(here * each) * sizeof *right);
        memset(right + here * each, 0, (size_t)((LANES - here) * each) * sizeof *right);
    }
    const int64_t bad = SYSTEMS(solve_lanes)(s, left, b ? right : NULL, result);
    memcpy(out, result, (size_t)(here * each) * sizeof *out);
    return bad;
}

static int64_t SYSTEMS(solve)(const struct heddle_systems *s, const void *a, const void *b,
                              void *out, int64_t from, int64_t to)
{
    const int64_t n = s->n, each = heddle__systems_each(s);
    int64_t first = -1;
    for (int64_t at = from; at < to; at += LANES) {
        const TYPE *left = (const TYPE *)a + at * n * n,
                   *right = b ? (const TYPE *)b + at * each : NULL;
        TYPE *x = (TYPE *)out + at * each;
        const int64_t bad = to - at < LANES ? SYSTEMS(solve_few)(s, left, right, x, (int)(to - at))
                                            : SYSTEMS(solve_lanes)(s, left, right, x);
        if (bad >= 0 && first < 0) first = at * n + bad;
    }
    return first;
}

#undef VEC
#undef MASK
#undef AT
#undef TYPE
#undef PLACE
#undef LANES
#undef LARGEST
#undef SYSTEMS
