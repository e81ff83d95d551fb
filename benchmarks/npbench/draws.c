/* NumPy's generator of seed 42: PCG64 (O'Neill's PCG XSL RR 128/64), so that random inputs are NumPy's. */
#include "npbench.h"

__extension__ typedef unsigned __int128 wide;

static wide wide_of(unsigned long long high, unsigned long long low)
{
    return (wide)high << 64 | low;
}

static unsigned long long next(struct npb_generator *g)
{
    const wide multiplier = wide_of(0x2360ed051fc65da4, 0x4385df649fccf645);
    const wide increment = wide_of(0xfa505436c9a8416e, 0x66caf2e28d25abff); /* of seed 42 */
    const wide state = wide_of(g->high, g->low) * multiplier + increment;
    g->high = (unsigned long long)(state >> 64);
    g->low = (unsigned long long)state;
    const unsigned long long folded = g->high ^ g->low;
    const unsigned by = (unsigned)(g->high >> 58);
    return folded >> by | folded << (-by & 63);
}

/* The lower half of a draw first, then the upper. */
static unsigned next_half(struct npb_generator *g)
{
    if (g->has_half) {
        g->has_half = 0;
        return g->half;
    }
    const unsigned long long both = next(g);
    g->has_half = 1;
    g->half = (unsigned)(both >> 32);
    return (unsigned)both;
}

void npb_seed_42(struct npb_generator *generator)
{
    *generator = (struct npb_generator){.high = 0xcea44f6798798f2a, .low = 0xacbc7c9d68860ac8};
}

void npb_draw_doubles(struct npb_generator *generator, long long n, double *out)
{
    for (long long i = 0; i < n; i++) out[i] = (double)(next(generator) >> 11) * 0x1p-53;
}

void npb_draw_floats(struct npb_generator *generator, long long n, float *out)
{
    for (long long i = 0; i < n; i++) out[i] = (float)(next_half(generator) >> 8) * 0x1p-24f;
}
