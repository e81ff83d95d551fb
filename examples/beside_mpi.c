/* What you learn: to use Heddle in each process of an MPI program, one a GPU: every process steps its rows of a grid, and
 * MPI brings the rows at the borders between the steps. Run by mpiexec; one process works, too. */
#include "common.h"

#include <mpi.h>

enum { ROWS = 24, COLUMNS = 16, STEPS = 40 }; /* ROWS of all processes together */

/* The GPU with the process's number on its host, and cores; cores alone if there is none. */
static void start(void)
{
    MPI_Comm host;
    int number = 0;
    char devices[32];
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &number);
    MPI_Comm_free(&host);
    snprintf(devices, sizeof devices, "cpu,gpu:%d", number);
    HEDDLE_MUST(heddle_configure(&(struct heddle_config){.devices = devices, .cpu_threads = 1}));
    if (heddle_start() == HEDDLE_OK) return;
    HEDDLE_MUST(heddle_configure(&(struct heddle_config){.devices = "cpu", .cpu_threads = 1}));
}

static void read_row(heddle_array *u, int64_t row, double values[COLUMNS])
{
    heddle_array *at = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_AT(row)));
    HEDDLE_MUST(heddle_read(at, values, COLUMNS * sizeof *values));
}

static heddle_array *row_of(const double values[COLUMNS])
{
    return heddle_asarray(values, HEDDLE_FLOAT64, HEDDLE_SHAPE(1, COLUMNS));
}

/* The mean of the rows above and below; the grid's own first and last row stay. */
static heddle_array *step(heddle_array *u, int rank, int size)
{
    double mine[2][COLUMNS], theirs[2][COLUMNS] = {{0}};
    const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int below = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    const int64_t last = heddle_shape(u)[0] - 1;
    heddle_scope scope = heddle_scope_open();
    read_row(u, 0, mine[0]);
    read_row(u, last, mine[1]);
    MPI_Sendrecv(mine[0], COLUMNS, MPI_DOUBLE, above, 0, theirs[1], COLUMNS, MPI_DOUBLE, below, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(mine[1], COLUMNS, MPI_DOUBLE, below, 1, theirs[0], COLUMNS, MPI_DOUBLE, above, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    heddle_array *parts[3] = {row_of(theirs[0]), u, row_of(theirs[1])};
    heddle_array *all = heddle_concat(3, parts, 0);
    heddle_array *next =
        heddle_multiply(heddle_add(heddle_getitem(all, HEDDLE_INDEX(HEDDLE_SLICE(0, -2))),
                                   heddle_getitem(all, HEDDLE_INDEX(HEDDLE_FROM(2)))),
                        heddle_scalar(0.5));
    if (rank == 0) next = heddle_set_item(next, HEDDLE_INDEX(HEDDLE_AT(0)), heddle_scalar(1.0));
    if (rank == size - 1)
        next = heddle_set_item(next, HEDDLE_INDEX(HEDDLE_AT(-1)), heddle_scalar(0.0));
    next = heddle_own(next);
    HEDDLE_MUST(heddle_eval(next));
    heddle_scope_close(scope);
    return next;
}

/* The same without Heddle and without MPI. */
static double expected_sum(void)
{
    double u[ROWS] = {1}, next[ROWS], sum = 0;
    for (int s = 0; s < STEPS; s++) {
        next[0] = 1;
        next[ROWS - 1] = 0;
        for (int r = 1; r < ROWS - 1; r++) next[r] = (u[r - 1] + u[r + 1]) * 0.5;
        for (int r = 0; r < ROWS; r++) u[r] = next[r];
    }
    for (int r = 0; r < ROWS; r++) sum += u[r] * COLUMNS;
    return sum;
}

int main(int argc, char **argv)
{
    int rank = 0, size = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    start();
    const int64_t rows = ROWS * (rank + 1) / size - ROWS * rank / size;
    heddle_scope scope = heddle_scope_open();
    heddle_array *u = heddle_zeros(HEDDLE_SHAPE(rows, COLUMNS));
    if (rank == 0) u = heddle_set_item(u, HEDDLE_INDEX(HEDDLE_AT(0)), heddle_scalar(1.0));
    heddle_keep(u);
    heddle_scope_close(scope);
    for (int s = 0; s < STEPS; s++) {
        heddle_array *next = step(u, rank, size);
        heddle_release(u);
        u = next;
    }
    heddle_array *sum = heddle_sum(u);
    double part = HEDDLE_MUST_ITEM(sum), total = 0;
    MPI_Allreduce(&part, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) EXPECT("sum of the grid", total, expected_sum());
    heddle_release(sum);
    heddle_release(u);
    HEDDLE_MUST(heddle_shutdown()); /* before MPI ends */
    MPI_Finalize();
    return rank == 0 ? examples_failed() : 0;
}
