/* Kernels from text on the CPU: the program's own loop if it has one, else compiled if that is worth it, else interpreted;
 * elements are shared among the threads. */
#include "families/kernel/cpu_compile.h"
#include "families/kernel/cpu_interpret.h"
#include "families/kernel/cpu_loop.h"
#include "families/kernel/kernel.h"

#include "base/share.h"
#include "kernels.h"

#include <stdatomic.h>
#include <string.h>

enum { PIECE = 2048 }; /* elements: the least that a thread does at a time */

struct job {
    const struct kernel_form *form;
    const int64_t *slots;
    kernel_function *function;
    const struct heddle_kernel_program *program;
    const struct heddle_kernel_part *call;
    void *const *buffers;
    int64_t size;
    atomic_bool failed;
};

static void interpret_pieces(void *argument, int64_t from, int64_t to)
{
    struct job *const j = argument;
    struct kernel_interpreter t;
    const int64_t end = to * PIECE < j->size ? to * PIECE : j->size;
    if (heddle__kernel_interpreter_open(&t, j->form, j->slots))
        heddle__kernel_interpret(&t, from * PIECE, end);
    else
        atomic_store(&j->failed, true);
    heddle__kernel_interpreter_close(&t);
}

static void loop_pieces(void *argument, int64_t from, int64_t to)
{
    const struct job *const j = argument;
    heddle__kernel_run_loop(j->program, j->call, j->buffers, from * PIECE,
                            to * PIECE < j->size ? to * PIECE : j->size);
}

static void run_pieces(void *argument, int64_t from, int64_t to)
{
    const struct job *const j = argument;
    j->function(j->slots, from * PIECE, to * PIECE < j->size ? to * PIECE : j->size);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_kernel_part *const call = arguments;
    int64_t slots[KERNEL_MAX_SLOTS];
    const struct heddle_kernel_program *const program = heddle__kernel_fill(call, k, slots);
    for (int i = 0; i < call->n_parameters; i++) {
        const size_t bytes = heddle__kernel_cleared(program, call, i);
        if (bytes) memset(k->buffers[call->buffer[i]], 0, bytes);
    }
    struct job j = {.form = &program->form,
                    .slots = slots,
                    .program = program,
                    .call = call,
                    .buffers = k->buffers,
                    .size = call->size};
    const bool own = heddle__kernel_loop_fits(program->form.tree, &program->types);
    if (!own) j.function = heddle__kernel_compiled(program, (double)call->size * call->steps);
    atomic_init(&j.failed, false);
    heddle__share(k->team, heddle__team_size(k->team), (call->size + PIECE - 1) / PIECE,
                  own          ? loop_pieces
                  : j.function ? run_pieces
                               : interpret_pieces,
                  &j);
    HEDDLE_REQUIRE(!atomic_load(&j.failed), HEDDLE_ENOMEM, "kernel '%.40s': out of memory",
                   program->form.tree->name);
    return HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__kernel_cpu = {.run = run};
