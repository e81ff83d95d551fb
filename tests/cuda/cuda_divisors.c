/* Quotients and remainders of integers by constants, of all widths, at the borders of both numbers and at random, in maps and
 * reductions: against the definition in 128 bits. Entry point: test_divisors. */
#include "check.h"
#include "cuda/passes.h"

#include <stdlib.h>

__extension__ typedef __int128 wide;

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}

static bool is_signed(enum heddle_dtype d)
{
    return heddle_dtype_kind(d) == 'I';
}

static wide least_of(enum heddle_dtype d)
{
    return is_signed(d) ? -((wide)1 << (8 * heddle_dtype_size(d) - 1)) : 0;
}

static wide most_of(enum heddle_dtype d)
{
    return least_of(d) + ((wide)1 << 8 * heddle_dtype_size(d)) - 1;
}

static wide get(enum heddle_dtype d, const void *data, int64_t i)
{
    const size_t size = heddle_dtype_size(d);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)data + (size_t)i * size, size);
    const wide x = bits;
    return is_signed(d) && x > most_of(d) ? x + 2 * least_of(d) : x;
}

/* To minus infinity; 0 for 0; what does not fit wraps. */
static wide quotient(enum heddle_dtype d, wide x, wide y)
{
    if (y == 0) return 0;
    const wide q = x / y - (x % y != 0 && (x < 0) != (y < 0));
    return q > most_of(d) ? q + 2 * least_of(d) : q;
}

static wide remainder_of(wide x, wide y)
{
    return y == 0 ? 0 : (x % y + y) % y;
}

/* What numbers of 8 bytes are below, if 32 bits divide them. */
#define NEAR ((wide)1 << 31)

/* Borders, then numbers of all magnitudes. */
static void fill(enum heddle_dtype d, void *data, int64_t n, wide y)
{
    const wide ends[] = {least_of(d),
                         most_of(d),
                         0,
                         1,
                         -1,
                         y,
                         2 * y,
                         y - 1,
                         1 - y,
                         -y,
                         y * 1000 - 1,
                         NEAR,
                         y == 0 ? -NEAR : NEAR / y * y};
    const size_t size = heddle_dtype_size(d);
    for (int64_t i = 0; i < n; i++) {
        const int64_t end = i / 3, about = i % 3 - 1;
        const uint64_t x = end < (int64_t)(sizeof ends / sizeof *ends)
                               ? (uint64_t)(ends[end] + about)
                               : draw() >> draw() % 64;
        memcpy((char *)data + (size_t)i * size, &x, size);
    }
}

static int by(struct build *b, enum heddle_dtype d, wide y)
{
    union heddle_scalar v = {.c128 = {0, 0}};
    const uint64_t bits = (uint64_t)y;
    memcpy(&v, &bits, heddle_dtype_size(d));
    return build_constant(b, d, v);
}

/* x // y, x % y and (x // y + 1) % z: constants beside each other. */
static void test_divisor(enum heddle_dtype d, wide y, wide z, int64_t n)
{
    const size_t size = heddle_dtype_size(d);
    void *host[4];
    const size_t bytes[4] = {(size_t)n * size, (size_t)n * size, (size_t)n * size,
                             (size_t)n * size};
    struct build b;
    for (int k = 0; k < 4; k++) host[k] = calloc((size_t)n, size);
    fill(d, host[0], n, y);
    build_begin(&b, 1, 1, &n);
    const int x = build_load(&b, d, NULL, NULL, 0), one = by(&b, d, 1), of_y = by(&b, d, y),
              of_z = by(&b, d, z);
    const int q = build_op(&b, HEDDLE_OP_FLOOR_DIVIDE, d, x, of_y);
    build_store(&b, q, d, NULL, NULL, 0);
    build_store(&b, build_op(&b, HEDDLE_OP_REMAINDER, d, x, of_y), d, NULL, NULL, 0);
    build_store(&b,
                build_op(&b, HEDDLE_OP_REMAINDER, d, build_op(&b, HEDDLE_OP_ADD, d, q, one), of_z),
                d, NULL, NULL, 0);
    build_seal(&b, 0);
    if (pass_run(&b, host, bytes, 4, "divisors")) {
        int64_t bad = 0, first = -1;
        for (int64_t i = 0; i < n; i++) {
            const wide v = get(d, host[0], i), whole = quotient(d, v, y);
            const wide next = whole == most_of(d) ? least_of(d) : whole + 1;
            if (get(d, host[1], i) == whole && get(d, host[2], i) == remainder_of(v, y) &&
                get(d, host[3], i) == remainder_of(next, z))
                continue;
            if (bad++ == 0) first = i;
        }
        CHECK(bad == 0, "%s, %s: %lld of %lld; the first: %lld by %lld, %lld", heddle_dtype_name(d),
              pass_names[pass], (long long)bad, (long long)n,
              first < 0 ? 0 : (long long)get(d, host[0], first), (long long)y, (long long)z);
    }
    for (int k = 0; k < 4; k++) free(host[k]);
}

/* The greatest x % y of each row. */
static void test_sum(enum heddle_dtype d, wide y)
{
    enum { ROWS = 5, COLUMNS = 700, N = ROWS * COLUMNS };
    const size_t size = heddle_dtype_size(d);
    const int64_t extent[2] = {ROWS, COLUMNS}, dense[HEDDLE_MAX_NDIM] = {1};
    void *host[2] = {calloc(N, size), calloc(ROWS, size)};
    const size_t bytes[2] = {N * size, ROWS * size};
    struct build b;
    fill(d, host[0], N, y);
    build_begin(&b, 1, 2, extent);
    const int x = build_load(&b, d, NULL, NULL, 0);
    const int rest = build_op(&b, HEDDLE_OP_REMAINDER, d, x, by(&b, d, y));
    const int sum = build_reduce(&b, HEDDLE_REDUCE_MAX, d, rest);
    build_store(&b, build_reduced(&b, sum), d, NULL, dense, 0);
    build_seal(&b, 0);
    if (pass_run(&b, host, bytes, 2, "a divisor in a reduction"))
        for (int row = 0; row < ROWS; row++) {
            wide most = least_of(d);
            for (int64_t i = 0; i < COLUMNS; i++) {
                const wide r = remainder_of(get(d, host[0], row * COLUMNS + i), y);
                if (r > most) most = r;
            }
            CHECK(get(d, host[1], row) == most, "%s by %lld, %s: row %d", heddle_dtype_name(d),
                  (long long)y, pass_names[pass], row);
        }
    free(host[0]);
    free(host[1]);
}

void test_divisors(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_INT8,   HEDDLE_UINT8, HEDDLE_INT16,
                                               HEDDLE_UINT16, HEDDLE_INT32, HEDDLE_UINT32,
                                               HEDDLE_INT64,  HEDDLE_UINT64};
    state = 88172645463325252u; /* prepared and run programs are the same */
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
        const enum heddle_dtype d = dtypes[k];
        const wide low = least_of(d), high = most_of(d);
        const wide ys[] = {1,   2, 3,    7,        10,       16,           100,
                           127, 0, high, high - 1, high / 2, high / 2 + 1, high / 3};
        for (size_t i = 0; i < sizeof ys / sizeof *ys; i++) {
            test_divisor(d, ys[i], 10, 1000);
            if (is_signed(d)) test_divisor(d, -ys[i], -7, 1001);
        }
        if (is_signed(d)) test_divisor(d, low, low + 1, 999);
        for (int i = -1; i <= 1 && heddle_dtype_size(d) == 8; i++)
            test_divisor(d, NEAR + i, 3, 998);
        for (int i = 0; i < (HEDDLE_EMULATED ? 5 : 60); i++) {
            const uint64_t bits = draw() >> draw() % 64, more = draw() >> draw() % 64;
            test_divisor(d, get(d, &bits, 0), get(d, &more, 0), 2000);
        }
        test_sum(d, 7);
        test_sum(d, is_signed(d) ? -10 : 10);
    }
}
