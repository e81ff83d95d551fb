/* Names and arrays: a program's parameters, its inputs, its outputs, and the steps of an iteration. */
#include "npbench.h"

#include <string.h>

int npb_count(const char *const *names, int room)
{
    int n = 0;
    while (n < room && names[n]) n++;
    return n;
}

static struct heddle_binding *find(struct npb_values *values, const char *name)
{
    for (int i = 0; i < values->n; i++)
        if (!strcmp(values->at[i].name, name)) return values->at + i;
    fprintf(stderr, "no value %s\n", name);
    exit(1);
}

heddle_array *npb_array(const struct npb_values *values, const char *name)
{
    return find((struct npb_values *)values, name)->array;
}

double npb_number(const struct npb_values *values, const char *name)
{
    return HEDDLE_MUST_ITEM(npb_array(values, name));
}

void npb_bind(struct npb_values *values, const char *name, heddle_array *array)
{
    if (values->n == NPB_ROOM) {
        fprintf(stderr, "no room for %s\n", name);
        exit(1);
    }
    values->at[values->n++] = (struct heddle_binding){name, array};
}

void npb_set(struct npb_values *values, const char *name, heddle_array *array)
{
    for (int i = 0; i < values->n; i++)
        if (!strcmp(values->at[i].name, name)) {
            heddle_release(values->at[i].array);
            values->at[i].array = array;
            return;
        }
    npb_bind(values, name, array);
}

/* ---- inputs ----------------------------------------------------------------------------------- */

static heddle_array *number(double value)
{
    const int64_t whole = (int64_t)value;
    return (double)whole == value ? heddle_scalar(whole) : heddle_scalar(value);
}

static heddle_array *drawn(const struct npb_draw *draw, const struct npb_values *values,
                           struct npb_generator *generator)
{
    char text[128];
    int64_t shape[HEDDLE_MAX_NDIM];
    snprintf(text, sizeof text, "array([%s])", draw->shape);
    heddle_array *extents = heddle_expr(text, values->n, values->at);
    HEDDLE_MUST(heddle_read_as(extents, HEDDLE_INT64, shape, 8 * heddle_size(extents)));
    const int ndim = (int)heddle_size(extents);
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];

    void *numbers = malloc((size_t)n * sizeof(double) + 1);
    if (!numbers) {
        fprintf(stderr, "no memory for %s\n", draw->name);
        exit(1);
    }
    if (draw->restart) npb_seed_42(generator);
    if (draw->dtype == HEDDLE_FLOAT32)
        npb_draw_floats(generator, n, numbers);
    else
        npb_draw_doubles(generator, n, numbers);
    return heddle_asarray(numbers, draw->dtype, ndim, shape, .borrow = true, .deleter = free,
                          .user = numbers);
}

/* Large inputs lie on the GPU, if there is one, as those of peers do. Small ones, all together, stay in host memory: Heddle
 * computes small work where it is called. */
static void place(int n, struct heddle_binding *inputs)
{
    enum { SMALL_BYTES = 1 << 20 };
    int n_cpus, n_gpus;
    int64_t bytes = 0;
    for (int i = 0; i < n; i++) bytes += heddle_nbytes(inputs[i].array);
    HEDDLE_MUST(heddle_count_places(&n_cpus, &n_gpus));
    const bool moves = n_gpus == 1 && bytes > SMALL_BYTES;
    for (int i = 0; i < n; i++) {
        heddle_array *a = inputs[i].array;
        inputs[i].array =
            heddle_keep(moves && heddle_ndim(a) > 0 ? heddle_to(a, heddle_gpu(0)) : a);
        HEDDLE_MUST(heddle_wait(inputs[i].array));
    }
}

struct npb_values npb_prepare(const struct npb_program *program, enum npb_size size)
{
    heddle_scope scope = heddle_scope_open();
    struct npb_values values = {0};
    for (int i = 0; i < npb_count(program->parameters, NPB_PARAMETERS); i++)
        npb_bind(&values, program->parameters[i], heddle_keep(number(program->sizes[size][i])));
    const int n_parameters = values.n;

    struct npb_values from = values;
    struct npb_generator generator;
    npb_seed_42(&generator);
    for (const struct npb_draw *d = program->draws; d < program->draws + NPB_INPUTS && d->name; d++)
        npb_bind(&from, d->name, drawn(d, &values, &generator));

    const int n_inputs = npb_count(program->inputs, NPB_INPUTS);
    for (int i = 0; i < n_inputs; i++) npb_bind(&values, program->inputs[i], NULL);
    struct heddle_binding *inputs = values.at + n_parameters;
    if (n_inputs > 0)
        HEDDLE_MUST(heddle_expr_run(program->make ? program->make : "0", from.n, from.at, n_inputs,
                                    inputs));
    place(n_inputs, inputs);
    heddle_scope_close(scope);
    return values;
}

void npb_forget(struct npb_values *values)
{
    for (int i = 0; i < values->n; i++) heddle_release(values->at[i].array);
    values->n = 0;
}

/* ---- computing -------------------------------------------------------------------------------- */

void npb_record(const struct npb_program *program, const struct npb_values *values,
                heddle_array **outputs)
{
    if (program->compute) {
        program->compute(values, outputs);
        return;
    }
    heddle_scope scope = heddle_scope_open();
    struct heddle_binding out[NPB_OUTPUTS];
    const int n = npb_count(program->outputs, NPB_OUTPUTS);
    for (int i = 0; i < n; i++) out[i].name = program->outputs[i];
    HEDDLE_MUST(heddle_expr_run(program->text, values->n, values->at, n, out));
    for (int i = 0; i < n; i++) outputs[i] = heddle_keep(out[i].array);
    heddle_scope_close(scope);
}

struct npb_values npb_keep(const struct npb_values *values)
{
    struct npb_values kept = *values;
    for (int i = 0; i < kept.n; i++) heddle_keep(kept.at[i].array);
    return kept;
}

/* The text prepared for all of the values, in their order. What was prepared serves all runs. A program has it at hand: so
 * texts and names, which are constants, are told by their addresses. */
static heddle_prepared *prepared(const struct npb_values *values, const char *text, int n,
                                 const char *const *names)
{
    enum { MOST = 32 };
    static struct {
        const char *text, *inputs[NPB_ROOM];
        int n_inputs;
        heddle_prepared *step;
    } known[MOST];
    int k = 0;
    for (; k < MOST && known[k].step; k++) {
        int i = 0;
        if (known[k].text != text || known[k].n_inputs != values->n) continue;
        while (i < values->n && known[k].inputs[i] == values->at[i].name) i++;
        if (i == values->n) return known[k].step;
    }
    if (k == MOST) {
        fprintf(stderr, "no room for a text\n");
        exit(1);
    }
    known[k].text = text;
    known[k].n_inputs = values->n;
    for (int i = 0; i < values->n; i++) known[k].inputs[i] = values->at[i].name;
    known[k].step = heddle_prepare(text, values->n, known[k].inputs, n, names);
    if (!known[k].step) {
        fprintf(stderr, "%s\n", heddle_last_error());
        exit(1);
    }
    return known[k].step;
}

void npb_advance(struct npb_values *values, const char *text, int n, const char *const *names)
{
    heddle_array *arrays[NPB_ROOM];
    for (int i = 0; i < values->n; i++) arrays[i] = values->at[i].array;
    HEDDLE_MUST(heddle_prepared_advance(prepared(values, text, n, names), arrays));
    for (int i = 0; i < values->n; i++) values->at[i].array = arrays[i];
}

void npb_take(const struct npb_values *values, heddle_array **outputs, int n,
              const char *const *names)
{
    for (int i = 0; i < n; i++) outputs[i] = heddle_keep(npb_array(values, names[i]));
}
