/* Sparse matrices in parts of their rows. Entry point: heddle_csr_distribute. */
#include "api/sparse/sparse.h"

#include "base/memory.h"
#include "graph/evaluator.h"

/* Cuts the rows so that each part has its share of rows and entries. */
static enum heddle_status choose_bounds(struct heddle_csr *r, const int64_t *starts, int n)
{
    const int64_t entries = r->data->size, all = entries + r->rows;
    for (int64_t i = 0; i <= r->rows; i++)
        HEDDLE_REQUIRE(starts[i] >= (i ? starts[i - 1] : 0) && starts[i] <= entries, HEDDLE_EINDEX,
                       "heddle_csr_distribute: indptr of row %lld does not fit the entries",
                       (long long)i);
    r->n_parts = n;
    int64_t row = 0;
    for (int i = 0; i <= n; i++) {
        while (i > 0 && row < r->rows && (i == n || starts[row] + row < all / n * i)) row++;
        r->row[i] = row;
        r->entry[i] = i == 0 ? 0 : i == n ? entries : starts[row];
    }
    return HEDDLE_OK;
}

static enum heddle_status read_bounds(struct heddle_csr *r, int n)
{
    const int64_t bytes = (r->rows + 1) * 8;
    int64_t *starts = heddle__alloc((size_t)bytes);
    struct heddle_scope_state scope;
    HEDDLE_REQUIRE(starts, HEDDLE_ENOMEM, "heddle_csr_distribute: out of memory");
    heddle__scope_enter(&scope);
    heddle_array *const indptr = heddle_astype(r->indptr, HEDDLE_INT64);
    enum heddle_status status = heddle__read_now(indptr, starts, bytes);
    if (status == HEDDLE_OK) status = choose_bounds(r, starts, n);
    heddle__free(starts);
    heddle__scope_leave(&scope, NULL);
    return status;
}

struct heddle_csr heddle_csr_distribute(const struct heddle_csr *a, int n,
                                        const heddle_place *places)
{
    if (!a) return heddle__csr_error(heddle__csr_null("csr_distribute"));
    heddle_array *const bad = heddle__csr_bad("csr_distribute", a, a->data);
    if (bad) return heddle__csr_error(bad);
    if (n < 1 || n > HEDDLE_CSR_MAX_PARTS || !places)
        return heddle__csr_error(heddle__error_array(
            HEDDLE_EARG, "heddle_csr_distribute: %d places, not 1 to %d", n, HEDDLE_CSR_MAX_PARTS));
    struct heddle_csr r = *a;
    if (read_bounds(&r, n) != HEDDLE_OK) return heddle__csr_error(heddle__error_last());
    const struct heddle_distribution d = {
        .cut[0] = {.kind = HEDDLE_CUT_BOUNDS, .n = n, .values = r.entry + 1},
        .n_places = n,
        .places = places};
    r.data = heddle_distribute(a->data, &d);
    r.indices = heddle_distribute(a->indices, &d);
    if (heddle_status_of(r.data) != HEDDLE_OK) return heddle__csr_error(r.data);
    if (heddle_status_of(r.indices) != HEDDLE_OK) return heddle__csr_error(r.indices);
    return r;
}
