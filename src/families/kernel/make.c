/* Nodes of kernels from text. Entry point: heddle__kernel_nodes. */
#include "base/hash.h"
#include "base/memory.h"
#include "families/kernel/text_kernel.h"

#include <string.h>

enum { LOOP_STEPS = 32 }; /* rounds of a loop that nobody knows, for a guess of the time */
static const int64_t MOST_STEPS = (int64_t)1 << 31;

/* Nobody holds the program any more: it stays with the kernel, for the next call. */
static void let_go(struct heddle_object *object)
{
    heddle__object_release(((struct heddle_kernel_program *)object)->kernel);
}

static void free_program(struct heddle_kernel_program *program)
{
    heddle__free(program->types.nodes);
    heddle__free(program);
}

static void free_programs(void *first)
{
    for (struct heddle_kernel_program *program = first, *next; program; program = next) {
        next = program->next;
        free_program(program);
    }
}

/* Operations of statements, those of loops `rounds` times; `helpers`: those of each function. */
static int64_t steps(const struct kernel_node *n, int64_t times, int64_t rounds,
                     const int64_t helpers[])
{
    int64_t sum = 0;
    for (; n; n = n->next) {
        if (n->kind == KERNEL_INVOKE) sum += times * helpers[n->symbol];
        const int64_t inside = n->kind == KERNEL_LOOP && times < 1000000 ? times * rounds : times;
        sum += times + steps(n->a, inside, rounds, helpers) + steps(n->b, inside, rounds, helpers) +
               steps(n->c, inside, rounds, helpers);
        if (sum > MOST_STEPS) sum = MOST_STEPS;
    }
    return sum;
}

static enum kernel_mode mode_of(const struct kernel_symbol *s, const heddle_array *a,
                                const struct kernel_rows *rows, const struct heddle_shape *shape)
{
    if (s->raw) return rows ? KERNEL_ROWS : KERNEL_RAW;
    return heddle__same_shape(a->ndim, a->shape, shape->ndim, shape->extent) ? KERNEL_ALIGNED
                                                                             : KERNEL_BROADCAST;
}

static void describe(struct kernel_form *form, struct heddle_kernel_params *params,
                     const struct kernel_rows *rows, const struct heddle_shape *shape,
                     heddle_array *const in[])
{
    const struct kernel_tree *const tree = form->tree;
    const int64_t rounds = rows ? rows->block / rows->step : LOOP_STEPS;
    for (int i = 0; i < tree->n_in + tree->n_out; i++) {
        const struct kernel_symbol *const s = &tree->symbols[i];
        const bool output = i >= tree->n_in;
        params->mode[i] = (uint8_t)(!output  ? mode_of(s, in[i], rows, shape)
                                    : s->raw ? KERNEL_RAW
                                             : KERNEL_ALIGNED);
        form->mode[i] = params->mode[i];
        form->ndims[i] = (unsigned char)(output                         ? shape->ndim
                                         : form->mode[i] == KERNEL_ROWS ? KERNEL_ROWS_NUMBERS
                                                                        : in[i]->ndim);
        if (output) params->dtype[i - tree->n_in] = form->types->symbols[i];
    }
    int64_t helpers[KERNEL_MAX_HELPERS];
    for (int i = 0; i < tree->n_helpers; i++)
        helpers[i] = steps(tree->helpers[i].body, 1, rounds, helpers);
    params->steps = steps(tree->statements, 1, rounds, helpers);
    if (rows) params->rows = *rows;
    params->text = heddle__hash_bytes(0, tree->body, strlen(tree->body));
}

static bool is_of(const struct heddle_kernel_program *program, const struct kernel_form *form)
{
    return program->form.ndim == form->ndim &&
           memcmp(program->form.mode, form->mode, sizeof form->mode) == 0 &&
           memcmp(program->form.ndims, form->ndims, sizeof form->ndims) == 0 &&
           memcmp(program->types.letters, form->types->letters, sizeof form->types->letters) == 0 &&
           memcmp(program->types.symbols, form->types->symbols, sizeof form->types->symbols) == 0;
}

/* With a reference; the first holds the kernel. */
static struct heddle_kernel_program *hold(struct heddle_kernel_program *program)
{
    if (atomic_fetch_add(&program->object.refs, 1) == 0) heddle__object_retain(program->kernel);
    return program;
}

/* What was made of the tree for such arguments, or is now: so that what twins make of it is made once. */
static struct heddle_kernel_program *program_of(struct heddle_object *kernel,
                                                const struct kernel_form *form)
{
    struct kernel_tree *const tree =
        (struct kernel_tree *)(uintptr_t)form->tree; /* a cache in it */
    void *first = atomic_load(&tree->programs);
    for (struct heddle_kernel_program *program = first; program; program = program->next)
        if (is_of(program, form)) return hold(program);
    struct heddle_kernel_program *const program = heddle__alloc(sizeof *program);
    unsigned char *const nodes = heddle__alloc((size_t)tree->n_nodes + 1);
    if (!program || !nodes) {
        heddle__free(program);
        heddle__free(nodes);
        return NULL;
    }
    memcpy(nodes, form->types->nodes, (size_t)tree->n_nodes);
    *program = (struct heddle_kernel_program){
        .object.free = let_go, .kernel = kernel, .types = *form->types, .form = *form};
    program->types.nodes = nodes;
    program->form.types = &program->types;
    atomic_store(&tree->free_programs, free_programs);
    do program->next = first;
    while (!atomic_compare_exchange_weak(&tree->programs, &first, program));
    return hold(program);
}

enum heddle_status heddle__kernel_nodes(struct heddle_object *kernel,
                                        const struct kernel_tree *tree,
                                        const struct kernel_types *types,
                                        const struct kernel_rows *rows,
                                        const struct heddle_shape *shape, heddle_array *const in[],
                                        heddle_array *out[])
{
    struct heddle_kernel_params params = {.steps = 0};
    HEDDLE_REQUIRE(tree->n_out <= HEDDLE_KERNEL_OUTPUTS, HEDDLE_EUNSUPPORTED,
                   "kernel '%.40s': %d outputs; with loops that data end, or raw parameters, it "
                   "has %d at most",
                   tree->name, tree->n_out, (int)HEDDLE_KERNEL_OUTPUTS);
    struct kernel_form form = {.tree = tree, .types = types, .ndim = shape->ndim};
    describe(&form, &params, rows, shape, in);
    struct heddle_kernel_program *const program = program_of(kernel, &form);
    HEDDLE_REQUIRE(program, HEDDLE_ENOMEM, "kernel '%.40s': out of memory", tree->name);
    const enum heddle_dtype first = (enum heddle_dtype)types->symbols[tree->n_in];
    heddle_array *const node =
        heddle__make_operation(&heddle__kernel_families[tree->n_out - 1], first, shape->ndim,
                               shape->extent, tree->n_in, in, &params, &program->object);
    heddle__object_release(&program->object);
    const bool made = node && (tree->n_out == 1 || heddle__make_outputs(node, out));
    HEDDLE_REQUIRE(made, HEDDLE_ENOMEM, "kernel '%.40s': out of memory", tree->name);
    if (tree->n_out == 1) out[0] = node;
    return HEDDLE_OK;
}
