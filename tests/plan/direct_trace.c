/* The trace of direct launches without a device: plans for an invented machine of several GPUs, over arrays that
 * are spread over them, and a world that says where these are. */
#include "check.h"
#include "planned.h"

#include "array/storage.h"
#include "direct/trace.h"
#include "machine/machine.h"
#include "run/execute.h"

#include <heddle.h>

enum { N = 3800 }; /* most of a matrix of so many rows is more than is sent in each launch */

struct inputs {
    const struct heddle_grid *grid; /* of every input */
    bool is_quiet, is_anywhere, is_own, has_kept, may_keep;
    const struct heddle_direct_world *world;
};

static bool is_quiet(const void *context, int32_t input, const struct heddle_grid *grid)
{
    const struct inputs *in = context;
    return in->is_quiet && input >= 0 && heddle__grid_equal(grid, in->grid);
}
static bool is_on(const void *context, int32_t input, int64_t part, int gpu)
{
    const struct inputs *in = context;
    if (input < 0 || !in->is_anywhere || part < 0 || part >= in->grid->n_parts) return false;
    return heddle__grid_place_of(in->grid, part) == in->world->place[gpu];
}
static bool is_own(const void *context, int32_t input, int64_t part)
{
    (void)input;
    (void)part;
    return ((const struct inputs *)context)->is_own;
}
static void *kept(const void *context, int32_t input, int64_t part, const struct heddle_box *box,
                  int gpu)
{
    static char anything;
    const struct inputs *in = context;
    const struct heddle_box whole = heddle__grid_part(in->grid, part);
    CHECK(input >= 0 && heddle__box_contains(&whole, box, in->grid->ndim), "no box of the part");
    CHECK(heddle__grid_place_of(in->grid, part) != in->world->place[gpu], "it is there");
    return in->has_kept ? &anything : NULL;
}
static bool may_keep(const void *context, int32_t input, int64_t size_bytes, int gpu)
{
    CHECK(input >= 0 && size_bytes > 0 && gpu >= 0, "nothing to keep");
    return ((const struct inputs *)context)->may_keep;
}
static bool is_fastest(const void *context, const struct heddle_plan *plan, int gpu)
{
    (void)context;
    (void)plan;
    return gpu == 0;
}

/* The first two are linked. */
static bool reaches(const void *context, int gpu, int other)
{
    (void)context;
    CHECK(gpu != other, "its own memory");
    return gpu < 2 && other < 2;
}

static bool all_reach(const void *context, int gpu, int other)
{
    (void)context;
    return gpu != other;
}

static int64_t n_skipped, n_there, sent_bytes; /* of the plan that was traced last */

/* Whether the plan of `a` is launched directly; if so, checks the trace against the plan. Copies: how many are
 * expected, or -1: some. */
static bool traced(heddle_array *a, const struct heddle_direct_world *world, int copies)
{
    struct heddle_direct_trace t;
    struct heddle_plan *plan = planned(a, heddle__policy());
    const bool is_direct = plan && heddle__direct_trace(&t, plan, world);
    if (is_direct) {
        uint64_t gpus = 0;
        CHECK(copies < 0 ? t.n_copies > 0 : t.n_copies == copies, "%d copies, not %d", t.n_copies,
              copies);
        for (int64_t i = 0; i < plan->n_tasks; i++) {
            const struct heddle_plan_task *task = &plan->tasks[i];
            const int gpu = t.gpu_of[i];
            CHECK(gpu >= 0 && gpu < world->n_gpus &&
                      (task->place == HEDDLE_ANYWHERE || world->place[gpu] == task->place),
                  "task %lld is elsewhere", (long long)i);
            gpus |= (uint64_t)1 << gpu;
            for (int32_t k = 0; k < task->n_uses && !t.is_skipped[i];
                 k++) { /* what it reads is there, or is sent there */
                const struct heddle_plan_use *use = &plan->uses[task->first_use + k];
                const int at = t.slots[use->slot].gpu;
                const bool is_sent = heddle__direct_copy(&t, use->slot, gpu) != NULL;
                CHECK((at == gpu) != is_sent, "slot %lld", (long long)use->slot);
                CHECK(!(use->mode & HEDDLE_WRITE) || at == gpu, "it writes what is elsewhere");
            }
        }
        CHECK((t.gpus & gpus) == gpus, "a GPU that runs a task takes no part");
        int64_t bytes = 0;
        for (int i = 0; i < t.n_copies; i++)
            bytes += t.copies[i].is_kept ? 0 : plan->slots[t.copies[i].slot].bytes;
        CHECK_EQ(t.copied_bytes, bytes);
        n_there = 0;
        for (int i = 0; i < t.n_copies; i++) {
            const int from = t.slots[t.copies[i].slot].gpu;
            n_there += t.copies[i].is_there;
            CHECK(!t.copies[i].is_there || world->reaches(world->context, t.copies[i].to, from),
                  "GPU %d does not reach GPU %d", t.copies[i].to, from);
        }
        n_skipped = 0;
        for (int64_t i = 0; i < plan->n_tasks; i++) n_skipped += t.is_skipped[i];
        sent_bytes = bytes;
    }
    if (plan) heddle__plan_release(plan);
    return is_direct;
}

/* What GPUs keep of inputs is neither cut out nor sent again. */
static void test_kept(heddle_array *a, struct inputs *in, struct heddle_direct_world *world)
{
    heddle_array *across = heddle_add(a, heddle_matrix_transpose(a));
    heddle_array *beside = heddle_subtract(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_FROM(2))),
                                           heddle_getitem(a, HEDDLE_INDEX(HEDDLE_TO(-2))));
    CHECK(!traced(across, world, -1), "most of it would be sent in each launch");
    world->kept = kept;
    world->may_keep = may_keep;
    in->may_keep = false;
    CHECK(!traced(across, world, -1), "what is not kept would be sent in each launch");
    in->may_keep = true;
    CHECK(traced(across, world, -1), "what is kept is sent once");
    CHECK(n_skipped == 0 && sent_bytes > 64 << 20, "%lld, %lld bytes", (long long)n_skipped,
          (long long)sent_bytes);
    in->has_kept = true;
    CHECK(traced(across, world, 0), "nothing is sent");
    CHECK(n_skipped >= 6, "%lld boxes of others", (long long)n_skipped);
    CHECK(traced(beside, world, 0), "nothing is sent");
    CHECK(n_skipped > 0, "all is cut out");
    in->is_quiet = false;
    CHECK(!traced(beside, world, 0), "StarPU may still write what is kept");
    in->is_quiet = true;
    in->has_kept = false;
    CHECK(traced(beside, world, -1), "rows are sent");
    CHECK(n_skipped == 0 && sent_bytes > 0, "%lld", (long long)n_skipped);
    world->kept = NULL;
}

/* Partial results are read where they are, by GPUs that reach them; what is read more than once is not. */
static void test_there(heddle_array *a, struct heddle_direct_world *world)
{
    heddle_array *apart = heddle_subtract(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_FROM(2))),
                                          heddle_getitem(a, HEDDLE_INDEX(HEDDLE_TO(-2))));
    heddle_array *some = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_TO(40)));
    CHECK(traced(heddle_sum(a), world, -1), "partial results are sent");
    CHECK_EQ(n_there, 0);
    world->reaches = reaches;
    CHECK(traced(heddle_sum(a), world, -1), "partial results are sent or read");
    CHECK(n_there > 0, "all are sent");
    CHECK(traced(heddle_matmul(heddle_matrix_transpose(some), some), world, world->n_gpus - 1),
          "what each GPU has made of its rows is sent or read");
    CHECK_EQ(n_there, 1);
    CHECK(traced(apart, world, -1), "neighbours' rows are sent");
    CHECK_EQ(n_there, 0);
    heddle_array *line = heddle_reshape(a, 1, (int64_t[]){-1});
    CHECK(!traced(heddle_sort(line), world, -1), "GPUs that reach no other would get whole runs");
    world->reaches = all_reach;
    CHECK(traced(heddle_sort(line), world, -1), "pieces of runs are read where these are");
    CHECK(n_there >= world->n_gpus * (world->n_gpus - 1), "%lld", (long long)n_there);
    CHECK(traced(heddle_argsort(line), world, -1), "and of their positions");
    CHECK(n_there >= 2 * world->n_gpus * (world->n_gpus - 1), "%lld", (long long)n_there);
    world->reaches = NULL;
}

static enum heddle_status nothing(const struct heddle_part_view *in, void *out, void *user)
{
    (void)in;
    (void)out;
    (void)user;
    return HEDDLE_OK;
}

/* ---- Steps of iterations on one GPU ------------------------------------------------------------------------ */

static bool yes_quiet(const void *context, int32_t input, const struct heddle_grid *grid)
{
    (void)context;
    (void)input;
    return grid->n_parts == 1;
}
static bool yes_on(const void *context, int32_t input, int64_t part, int gpu)
{
    (void)context;
    (void)input;
    (void)part;
    return gpu == 0;
}
static bool yes_own(const void *context, int32_t input, int64_t part)
{
    (void)context;
    (void)input;
    (void)part;
    return true;
}

/* Statements that give a and b new values, evaluated together: all of it is launched, whose data are on the GPU. */
static void check_step(const char *text)
{
    const struct heddle_direct_world world = {.n_gpus = 1,
                                              .place = {heddle_gpu(0)},
                                              .is_quiet = yes_quiet,
                                              .is_on = yes_on,
                                              .is_own = yes_own,
                                              .is_fastest = is_fastest};
    struct heddle_binding in[3] = {{"a", NULL}, {"b", NULL}, {"m", NULL}},
                          out[2] = {{"a", NULL}, {"b", NULL}};
    heddle_scope scope = heddle_scope_open();
    CHECK_EQ(heddle_expr_run("a = ones((40, 30)); b = a * 2; m = ones((40, 1))", 0, NULL, 3, in),
             HEDDLE_OK);
    for (int i = 0; i < 3; i++) CHECK_EQ(heddle_eval(in[i].array), HEDDLE_OK);
    CHECK(heddle_expr_run(text, 3, in, 2, out) == HEDDLE_OK, "%s", heddle_last_error());
    heddle_array *roots[2] = {out[0].array, out[1].array};
    struct heddle_walk walk = {0};
    CHECK_EQ(heddle__walk(&walk, 2, roots), HEDDLE_OK);
    struct heddle_plan *plan = heddle__plan_make(&walk, heddle__policy());
    CHECK(plan != NULL, "%s", heddle_last_error());
    static struct heddle_direct_trace t;
    if (plan)
        CHECK(heddle__direct_trace(&t, plan, &world), "%lld tasks, %d arrays, %lld slots: %s",
              (long long)plan->n_tasks, plan->n_arrays, (long long)plan->n_slots, text);
    if (plan) heddle__plan_release(plan);
    heddle__walk_free(&walk);
    heddle_scope_close(scope);
}

static void test_steps(void)
{
    struct heddle_policy policy = {
        .n_gpus = 1,
        .n_places = 2,
        .n_teams = 1,
        .places = {{HEDDLE_PLACE_GPU, 4e12, 3e13, 5e10, 0}, {HEDDLE_PLACE_CPU, 1e11, 1e12, 0, 0}},
        .part_bytes = 1 << 30,
        .inline_bytes = -1,
        .fusion = true};
    heddle__policy_finish(&policy);
    heddle__invent_machine(&policy);
    check_step("b[1:-1] = 0.3 * (a[:-2] + a[1:-1] + a[2:]); a[1:-1] = b[:-2] - b[2:]");
    check_step(
        "a[:, -1] = a[:, -2]; a[0] = a[1]; a[:, 0] = a[:, 1]; a[-1] = 0; b[0] = 0; b[-1] = 1");
    check_step("d = a - mean(a, axis=0); a = d.T @ d / 39.0; b = b / sqrt(sum(b * b, axis=1, "
               "keepdims=True))");
    check_step("a = roll(a, 1, axis=1) + roll(a, -1, axis=1); b = reshape(a, (-1,)) * 2");
    check_step(
        "x = a[:, 0:1]; y = a[:, 1:2]; z = a[:, 2:3]\n"
        "dx = x.T - x; dy = y.T - y; dz = z.T - z\n"
        "square = dx**2 + dy**2 + dz**2 + 0.01\n"
        "inverse = where(square > 0, square**-1.5, square)\n"
        "acc = hstack(((dx * inverse) @ m, (dy * inverse) @ m, (dz * inverse) @ m))\n"
        "a = a[:, :3] + acc; b = 0.5 * sum(m * acc**2) + sum(triu(m * m.T / sqrt(square), 1))");
}

int main(void)
{
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = -1}), HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_add(heddle_zeros(HEDDLE_SHAPE(N, N)), heddle_scalar(1.0));
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    struct inputs in = {
        .grid = heddle__storage_grid(a->storage), .is_quiet = true, .is_anywhere = true};
    struct heddle_direct_world world = {.is_quiet = is_quiet,
                                        .is_on = is_on,
                                        .is_own = is_own,
                                        .is_fastest = is_fastest,
                                        .context = &in};
    in.world = &world;
    for (int64_t q = 0; q < in.grid->n_parts; q++) {
        const heddle_place place = heddle__grid_place_of(in.grid, q);
        int known = 0;
        for (int i = 0; i < world.n_gpus; i++) known |= world.place[i] == place;
        if (!known) world.place[world.n_gpus++] = place;
    }
    CHECK(world.n_gpus >= 3, "%d GPUs", world.n_gpus);
    a = heddle_distribute(a, &(struct heddle_distribution){.cut[0] = {HEDDLE_CUT_PARTS, 6},
                                                           .n_places = world.n_gpus,
                                                           .places = world.place});
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    in.grid = heddle__storage_grid(a->storage);
    CHECK_EQ(in.grid->n_parts, 6);

    heddle_array *next = heddle_exp(a);
    CHECK(traced(next, &world, 0), "what lies on GPUs is launched there");
    heddle_array *apart = heddle_subtract(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_FROM(2))),
                                          heddle_getitem(a, HEDDLE_INDEX(HEDDLE_TO(-2))));
    CHECK(traced(apart, &world, -1), "neighbours' rows are sent");
    CHECK(traced(heddle_sum(a), &world, -1), "partial results are sent");
    heddle_array *moved = heddle_distribute(
        heddle_exp(heddle_getitem(a, HEDDLE_INDEX(HEDDLE_TO(N / 2)))),
        &(struct heddle_distribution){
            .cut[0] = {HEDDLE_CUT_PARTS, 6}, .n_places = 1, .places = &world.place[1]});
    CHECK(traced(moved, &world, -1), "inputs are sent");
    heddle_array *some = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_TO(40)));
    CHECK(traced(heddle_matmul(heddle_matrix_transpose(some), some), &world, world.n_gpus - 1),
          "what each GPU has made of its rows is sent");

    heddle_array *counts = NULL; /* edges are computed anywhere, and read by all */
    CHECK_EQ(heddle_histogram(heddle_reshape(a, HEDDLE_SHAPE(-1)), &counts, NULL, .bins = 9,
                              .low = 0, .high = 2, .has_range = true),
             HEDDLE_OK);
    CHECK(traced(counts, &world, -1), "a small task that may run anywhere is launched, too");

    test_there(a, &world);
    test_kept(a, &in, &world);
    in.is_quiet = false;
    CHECK(!traced(next, &world, 0), "StarPU may still write it");
    in.is_quiet = true;
    in.is_anywhere = false;
    CHECK(!traced(next, &world, 0), "no GPU has it");
    in.is_anywhere = true;
    CHECK(!traced(heddle_map_parts(a, HEDDLE_FLOAT64, nothing), &world, 0),
          "a function of the user's is not launched by this thread");
    const int n = world.n_gpus;
    world.n_gpus = 0;
    CHECK(!traced(next, &world, 0), "no GPU takes part");
    world.n_gpus = n - 1;
    CHECK(!traced(next, &world, 0), "a GPU of the plan takes no part");
    heddle_scope_close(scope);
    test_steps();
    heddle_shutdown();
    return check_done();
}
