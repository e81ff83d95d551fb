/* Nodes of kernels from text. Entry point: heddle__kernel_nodes. */
#include "base/hash.h"
#include "base/memory.h"
#include "families/kernel/text_kernel.h"

#include <string.h>

enum { LOOP_STEPS = 32 }; /* rounds of a loop, for a guess of the time */
static const int64_t MOST_STEPS = (int64_t)1 << 31;

static void free_program(struct heddle_object *object)
{
    struct heddle_kernel_program *const program = (struct heddle_kernel_program *)object;
    heddle__object_release(program->kernel);
    heddle__free(program->types.nodes);
    heddle__free(atomic_load(&program->cuda_source));
    heddle__free(program);
}

static struct heddle_kernel_program *new_program(struct heddle_object *kernel,
                                                 const struct kernel_tree *tree,
                                                 const struct kernel_types *types, int ndim)
{
    struct heddle_kernel_program *const program = heddle__alloc(sizeof *program);
    unsigned char *const nodes = heddle__alloc((size_t)tree->n_nodes + 1);
    if (!program || !nodes) {
        heddle__free(program);
        heddle__free(nodes);
        return NULL;
    }
    memcpy(nodes, types->nodes, (size_t)tree->n_nodes);
    *program = (struct heddle_kernel_program){.object.free = free_program,
                                              .kernel = heddle__object_retain(kernel),
                                              .types = *types,
                                              .form = {.tree = tree, .ndim = ndim}};
    atomic_init(&program->object.refs, 1);
    program->types.nodes = nodes;
    program->form.types = &program->types;
    return program;
}

/* Operations of statements, those of loops as many times as a guess says; `helpers`: those of each function. */
static int64_t steps(const struct kernel_node *n, int64_t times, const int64_t helpers[])
{
    int64_t sum = 0;
    for (; n; n = n->next) {
        if (n->kind == KERNEL_INVOKE) sum += times * helpers[n->symbol];
        const int64_t inside =
            n->kind == KERNEL_LOOP && times < 1000000 ? times * LOOP_STEPS : times;
        sum += times + steps(n->a, inside, helpers) + steps(n->b, inside, helpers) +
               steps(n->c, inside, helpers);
        if (sum > MOST_STEPS) sum = MOST_STEPS;
    }
    return sum;
}

static enum kernel_mode mode_of(const struct kernel_symbol *s, const heddle_array *a,
                                const struct heddle_shape *shape)
{
    if (s->raw) return KERNEL_RAW;
    return heddle__same_shape(a->ndim, a->shape, shape->ndim, shape->extent) ? KERNEL_ALIGNED
                                                                             : KERNEL_BROADCAST;
}

static void describe(struct heddle_kernel_program *program, struct heddle_kernel_params *params,
                     const struct heddle_shape *shape, heddle_array *const in[])
{
    const struct kernel_tree *const tree = program->form.tree;
    for (int i = 0; i < tree->n_in + tree->n_out; i++) {
        const struct kernel_symbol *const s = &tree->symbols[i];
        const bool output = i >= tree->n_in;
        params->mode[i] = (uint8_t)(!output  ? mode_of(s, in[i], shape)
                                    : s->raw ? KERNEL_RAW
                                             : KERNEL_ALIGNED);
        program->form.mode[i] = params->mode[i];
        program->form.ndims[i] = (unsigned char)(output ? shape->ndim : in[i]->ndim);
        if (output) params->dtype[i - tree->n_in] = program->types.symbols[i];
    }
    int64_t helpers[KERNEL_MAX_HELPERS];
    for (int i = 0; i < tree->n_helpers; i++) helpers[i] = steps(tree->helpers[i].body, 1, helpers);
    params->steps = steps(tree->statements, 1, helpers);
    params->text = heddle__hash_bytes(0, tree->body, strlen(tree->body));
}

enum heddle_status heddle__kernel_nodes(struct heddle_object *kernel,
                                        const struct kernel_tree *tree,
                                        const struct kernel_types *types,
                                        const struct heddle_shape *shape, heddle_array *const in[],
                                        heddle_array *out[])
{
    struct heddle_kernel_params params = {.steps = 0};
    HEDDLE_REQUIRE(tree->n_out <= HEDDLE_KERNEL_OUTPUTS, HEDDLE_EUNSUPPORTED,
                   "kernel '%.40s': %d outputs; with loops that data end, or raw parameters, it "
                   "has %d at most",
                   tree->name, tree->n_out, (int)HEDDLE_KERNEL_OUTPUTS);
    struct heddle_kernel_program *const program = new_program(kernel, tree, types, shape->ndim);
    HEDDLE_REQUIRE(program, HEDDLE_ENOMEM, "kernel '%.40s': out of memory", tree->name);
    describe(program, &params, shape, in);
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
