/* Expressions with their k-th allocation failing, for every k, once and from then on: a value or
 * HEDDLE_ENOMEM, and nothing left behind. What needs values is evaluated, on this thread. */
#include "base/memory.h"
#include "blocks_left.h"
#include "graph/node.h"

#include "check.h"

#include <heddle.h>

static const char *const texts[] = {
    "sqrt(sum(abs(a)**2))",
    "d = a - b; d[1:, ::2] += 3; e2 = d.T @ a; stack([e2, e2], axis=1)",
    "concat([a.reshape(3, 2), array([[1, 2.5]])], axis=0)[::-1, None].sum(axis=(0, -1))",
    "array([a[0], b[1]]) + where(m, 1, 0) * linspace(0, 1, 3)",
    "a.shape[::-1] + (1,)",
    "v1=1;v2=2;v3=3;v4=4;v5=5;v6=6;v7=7;v8=8;v9=9;v10=10;v11=11; (v1, v2, v3, v11)",
    "u, v = meshgrid(a[0], a[1]); u.std(axis=0) + pad(v, 1)[1, :3]",
    "from numpy import tensordot as t; t(roll(a, 1), tile(b, (1, 2))[:, :3], 2)",
    "np.linalg.solve(4 * np.eye(3) + 1, np.linalg.qr(np.eye(3) + 1)[0])",
    "np.linalg.cholesky(4 * np.eye(3))",
    "np.linalg.lu(np.eye(3) + 1)[1] + np.linalg.slogdet(np.eye(3) + 1)[1]",
    "np.einsum('ij,kj,kl->l', a, b, a) + np.linalg.multi_dot([a, b.T, a])[0]",
    "vecdot(a, b) + roll(a, 1, axis=(0, 1)).sum(); cross(a, b)",
    "split(a, 3, axis=1)[1] + diag(repeat(a[0], 2)[:2]) + cov(a) + pad(a, 30, 'wrap')[:2, :2]",
    "average(a, axis=1, weights=a[0]) + trapezoid(a) + nanvar(a) + a.trace()",
    "[0] * 3 + list(range(2)); p, q = divmod(a, 2); allclose(p, q)",
    "u, i, n = unique(a % 2, return_index=True, return_counts=True); u[i % 2] + n",
    "isin(a, [1, 2], invert=True) | (nanpercentile(a, [30, 60], axis=1)[0, :, None] > 1)",
    "setxor1d(a, [3, 7]); union1d(a, b); median(a, axis=0) + quantile(a, 0.3)",
    "h, e = histogram(a, 3, weights=b); h + bincount(array([1, 2, 1])) + digitize(h, [1, 2])",
    "y = a * 1; y[:, m] = 7; y[[0, 1], [1, 1]] += 1; np.add.at(y, m[:2], 5); a[:, m] * y[:, m]",
    "delete(a, m, axis=1) + insert(a, 1, [8, 9], axis=1)[:, :2]",
    "argwhere(a > 1)[0] + nonzero(m)[0]",
    "sort(a * 1j + a)[0] + lexsort((a[0], b[1])) + partition(a, 1)[1]; topk(a, 2)[0]",
    "interp(a, [0, 2], [1, 5]) + convolve(a[0], [1, 2], 'same') + correlate(a[0], a[0], 'same')",
    "unwrap(a) + vander(a[0], 3, increasing=True)[:2] + polyval([1, 2], a); geomspace(1, 8, 4)",
    "take(a, [0, 1], axis=1) + a[:, [0, 2]] + searchsorted(a[0], a[:, :2]); mgrid[0:2, 0:3]",
    "int(a[0, 1]); a.tolist(); y = a * 1; np.put_along_axis(y, array([[1], [0]]), 9, 1); y",
    "lexsort(a) + unravel_index([1, 2, 5], (2, 3))[1]",
    "k = ElementwiseKernel('T x, T y', 'T z', 'if (y > 2) z = x; else z = i'); k(a, b)",
    "ElementwiseKernel('T x', 'T z', 'z = q')",
    "ElementwiseKernel('T x', 'T z', 'T s[2] = {x}; z = g(s[i])', preamble='T g(T v) { }')(a)",
    "@vectorize\ndef f(x):\n  t = x\n  if x > 2: return t, x\n  return t + 1, x\nf(a)[0] + f(b)[1]",
    "k = ReductionKernel('T x', 'T y', 'x, i', 'a0 - b0, b1', 'y = a0 + a1', None); k(a, axis=0)",
    "ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'l2norm', 'T')(a)",
    "k = ReductionKernel('T x', 'T y', 'x', 'a - b', 'while (y < a) y++', '0'); k(a[:0]), k(a)",
    "ReductionKernel('T x', 'T y', 'x', 'a + q', 'y = a', '0')",
    "sum(a, axis=5)",
    "a + sqt(b)",
};

static enum heddle_status run(const char *text)
{
    static const double six[6] = {0, 1, 2, 3, 4, 5};
    static const bool three[3] = {true, false, true};
    struct heddle_binding out[] = {{"_", NULL}, {"_", NULL}};
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(six, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3));
    heddle_array *m = heddle_asarray(three, HEDDLE_BOOL, HEDDLE_SHAPE(3));
    heddle_array *v = heddle_expr(text, HEDDLE_BIND_ALL({"a", a}, {"b", a}, {"m", m}));
    enum heddle_status status = heddle_status_of(v);
    if (status == HEDDLE_OK)
        status = heddle_expr_run(text, HEDDLE_BIND_ALL({"a", a}, {"b", a}, {"m", m}), 2, out);
    if (!scope) { /* the caller's then */
        heddle_release(v);
        heddle_release(out[0].array);
        heddle_release(out[1].array);
        heddle_release(a);
        heddle_release(m);
    }
    heddle_scope_close(scope);
    return status;
}

int main(void)
{
    heddle__node_pooling(false);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const enum heddle_status expected = run(texts[i]);
        CHECK_EQ(blocks_left(), 0);
        const int64_t before = heddle__alloc_calls();
        run(texts[i]);
        const int64_t n = heddle__alloc_calls() - before;
        CHECK(n > 3 && n < 2000, "'%s': %lld allocations", texts[i], (long long)n);
        for (int sticky = 0; sticky < 2; sticky++)
            for (int64_t k = 1; k <= n; k++) {
                heddle__alloc_fail_at(k, sticky);
                const enum heddle_status status = run(texts[i]);
                heddle__alloc_fail_at(0, 0);
                CHECK(status == expected || status == HEDDLE_ENOMEM, "'%s', allocation %lld: %s",
                      texts[i], (long long)k, heddle_status_name(status));
                const int64_t left = blocks_left();
                CHECK(left == 0, "'%s', allocation %lld: %lld left", texts[i], (long long)k,
                      (long long)left);
            }
    }
    return check_done();
}
