/* What you learn: to run a function of your own on every part, where it lives, with an overlap of what
 * its neighbours have. */
#include "common.h"

enum { N = 1000, PARTS = 4, RADIUS = 2 };

/* The mean of up to 2 * RADIUS + 1 neighbours; `out` is the part alone. For a GPU there would be a
 * twin, .cuda, that launches a kernel on in->stream. */
static enum heddle_status smooth(const struct heddle_part_view *in, void *out, void *user)
{
    const double *x = in->data, *end = x + in->shape[0];
    double *y = out;
    (void)user;
    for (const double *c = x + in->before[0]; c < end - in->after[0]; c++) {
        double sum = 0;
        int n = 0;
        for (const double *at = c - RADIUS; at <= c + RADIUS; at++) {
            if (at < x || at >= end) continue; /* beyond the array: the overlap is clipped there */
            sum += *at;
            n++;
        }
        *y++ = sum / n;
    }
    return HEDDLE_OK;
}

int main(void)
{
    int n_cpus = 0, n_gpus = 0;
    HEDDLE_MUST(heddle_count_places(&n_cpus, &n_gpus));
    expect_true("there is a CPU", n_cpus > 0);

    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_square(heddle_arange(heddle_scalar((double)N), NULL, NULL));
    const struct heddle_distribution quarters = {
        .cut[0] = {HEDDLE_CUT_PARTS, PARTS, NULL},
        .overlap[0] = {RADIUS, RADIUS},
        HEDDLE_PLACES(heddle_cpu(0), heddle_cpu(n_cpus - 1)),
    };
    heddle_array *u = heddle_distribute(x, &quarters);

    /* Lazy as all operations; each call has halos of its own. */
    heddle_array *v = heddle_map_parts(u, HEDDLE_FLOAT64, smooth);
    heddle_array *w = heddle_map_parts(v, HEDDLE_FLOAT64, smooth);
    HEDDLE_MUST(heddle_wait(w));
    EXPECT("v[0]", value_at(v, 0), (0 + 1 + 4) / 3.0);
    EXPECT("v[250], the first of a part", value_at(v, N / PARTS), 250 * 250 + 2);
    EXPECT("w[250]", value_at(w, N / PARTS), 250 * 250 + 4);

    /* A look at one part: in place, but for what its overlap needs. */
    struct heddle_part_view view;
    HEDDLE_MUST(heddle_part_acquire(v, 1, HEDDLE_ANYWHERE, &view));
    const double *data = view.data;
    printf("part %lld: from %lld on %lld elements, %lld and %lld of them its neighbours'\n",
           (long long)view.part, (long long)view.lo[0], (long long)view.shape[0],
           (long long)view.before[0], (long long)view.after[0]);
    EXPECT("v[249], in the view", data[1], 249 * 249 + 2);
    heddle_part_release(&view);

    /* All parts to one place, and one array to many. */
    heddle_array *whole = heddle_to(w, heddle_cpu(0));
    heddle_array *again = heddle_distribute(whole, &quarters);
    int64_t n_parts = 0;
    HEDDLE_MUST(heddle_count_parts(again, &n_parts));
    EXPECT("parts", (double)n_parts, PARTS);
    heddle_scope_close(scope);
    return examples_failed();
}
