/* Direct launches in a build without CUDA: there are none. Twin of direct.c and gpu_blocks.c. */
#include "runtime/internal.h"

bool heddle__direct(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                    const union heddle_scalar constants[], struct heddle_storage *results[],
                    enum heddle_status *status)
{
    (void)plan, (void)inputs, (void)constants, (void)results, (void)status;
    return false;
}

bool heddle__direct_read(struct heddle_storage *storage, void *out, int64_t size_bytes,
                         enum heddle_status *status)
{
    (void)storage, (void)out, (void)size_bytes, (void)status;
    return false;
}

void heddle__direct_wait(struct heddle_storage *storage)
{
    (void)storage;
}

void heddle__direct_adopt(struct heddle_storage *storage)
{
    (void)storage;
}

void heddle__direct_end_leases(struct heddle_storage *storage, bool now)
{
    (void)storage, (void)now;
}

void heddle__direct_free_own(struct heddle_storage *storage)
{
    (void)storage;
}

void heddle__direct_poll(void) {}
void heddle__direct_drain(void) {}
void heddle__direct_close(void) {}
void heddle__gpu_blocks_trim(void) {}
