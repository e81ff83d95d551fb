/* Products of sparse matrices: rows of all lengths, numbers of lanes and columns, bit by bit against loops in the order of
 * families/csr/kernel.h; bad indices and starts are reported. Entry point: test_sparse. */
#include "check.h"
#include "cuda/families.h"
#include "families/csr/kernel.h"

#include <string.h>

extern const struct heddle_cuda_kernel heddle__csr_cuda;

enum { ROWS = 700, X = 300, MOST = 30000, WIDEST = 3 };

static int64_t start[ROWS + 1], at[MOST];
static double value[MOST], x[X * WIDEST], y[ROWS * WIDEST], got[ROWS * WIDEST];

/* Rows of up to `length` entries; one of `longest` if that is more. */
static void draw(int64_t length, int64_t longest)
{
    int64_t n = 0;
    for (int64_t i = 0; i < X * WIDEST; i++)
        x[i] = (double)(families_random() >> 40) * 0x1p-24 - 0.5;
    for (int64_t r = 0; r < ROWS; r++) {
        start[r] = n;
        n += r == 345 && longest > length ? longest
                                          : (int64_t)(families_random() >> 33) % (length + 1);
    }
    start[ROWS] = n;
    for (int64_t k = 0; k < n; k++) {
        at[k] = (int64_t)(families_random() >> 33) % X;
        value[k] = (double)(families_random() >> 40) * 0x1p-20;
    }
}

static void by_loops(int64_t lanes, int64_t columns)
{
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t c = 0; c < columns; c++) {
            double total = 0;
            const int64_t chunk = columns == 1 ? 1024 : MOST, n_lanes = columns == 1 ? lanes : 1;
            for (int64_t from = start[r]; from < start[r + 1]; from += chunk) {
                double lane[8] = {0};
                for (int64_t k = from; k < start[r + 1] && k < from + chunk; k++)
                    lane[(k - from) % n_lanes] += value[k] * x[at[k] * columns + c];
                for (int64_t half = n_lanes / 2; half; half /= 2)
                    for (int64_t l = 0; l < half; l++) lane[l] += lane[l + half];
                total += lane[0];
            }
            y[r * columns + c] = total;
        }
}

/* Runs rows first..ROWS - 1 and gives the report's tag. */
static int64_t run(int64_t first, int lanes, int64_t columns, int64_t words[4])
{
    const int64_t entries = start[ROWS] - start[first];
    struct heddle_csr_call call = {.dtype = HEDDLE_FLOAT64,
                                   .index_bytes = 8,
                                   .lanes = (uint8_t)lanes,
                                   .first_row = first,
                                   .n_rows = ROWS - first,
                                   .first_entry = start[first],
                                   .n_entries = entries,
                                   .x_rows = X,
                                   .columns = columns,
                                   .data = 0,
                                   .indices = 1,
                                   .starts = 2,
                                   .x = 3,
                                   .y = 4};
    memset(words, 0, 4 * sizeof *words);
    void *buffers[5] = {families_to_gpu(value + start[first], (size_t)(entries + 1) * 8),
                        families_to_gpu(at + start[first], (size_t)(entries + 1) * 8),
                        families_to_gpu(start, sizeof start), families_to_gpu(x, sizeof x),
                        families_to_gpu(got, sizeof got)};
    int64_t *report = families_to_gpu(words, 4 * sizeof *words);
    struct heddle_kernel_context k = {
        .buffers = buffers, .stream = gpu_stream(), .report = {.words = report, .tag = 77}};
    CHECK(heddle__csr_cuda.run(&call, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(got, buffers[4], (size_t)((ROWS - first) * columns) * 8);
    families_from_gpu(words, report, 4 * sizeof *words);
    gpu_free_all();
    return words[0];
}

static void errors(int lanes, int64_t columns)
{
    int64_t words[4];
    draw(6, 0);
    const int64_t index = at[start[100]], row = start[200];
    at[start[100]] = X;
    CHECK_EQ(run(0, lanes, columns, words), 77);
    CHECK(words[1] == X && words[2] == X, "index %lld of %lld", (long long)words[1],
          (long long)words[2]);
    at[start[100]] = -1;
    CHECK_EQ(run(0, lanes, columns, words), 77);
    CHECK_EQ(words[1], -1);
    at[start[100]] = index;
    start[200] = MOST;
    CHECK_EQ(run(0, lanes, columns, words), 77);
    CHECK(words[2] == -1 && (words[1] == 199 || words[1] == 200), "row %lld", (long long)words[1]);
    start[200] = row;
    CHECK_EQ(run(0, lanes, columns, words), 0);
}

void test_sparse(void)
{
    static const int64_t lengths[][2] = {{0, 1},  {2, 0},     {7, 0},   {7, 5000},
                                         {30, 0}, {30, 2500}, {1, 9000}};
    int64_t words[4];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int lanes = 1; lanes <= 8; lanes *= 2)
            for (int64_t columns = 1; columns <= WIDEST; columns += 2) {
                draw(lengths[i][0], lengths[i][1]);
                by_loops(lanes, columns);
                for (int64_t first = 0; first < ROWS; first += 311) {
                    CHECK_EQ(run(first, lanes, columns, words), 0);
                    CHECK(memcmp(got, y + first * columns,
                                 (size_t)((ROWS - first) * columns) * 8) == 0,
                          "rows of up to %lld, one of %lld, %d lanes, %lld columns, from row %lld: "
                          "other bits",
                          (long long)lengths[i][0], (long long)lengths[i][1], lanes,
                          (long long)columns, (long long)first);
                }
            }
    for (int lanes = 1; lanes <= 8; lanes *= 2) errors(lanes, 1);
    errors(1, 3);
}
