/* Scratch memory of tasks on GPUs: a StarPU handle for each size, made at first use. Entry points:
 * scratch.h. */
#include "starpu/scratch.h"

#include "starpu/handles.h"
#include "starpu/register.h"

enum { SMALLEST = 12, N_SIZES = 64 }; /* log2 of bytes */

static starpu_pthread_mutex_t mutex = STARPU_PTHREAD_MUTEX_INITIALIZER;
static starpu_data_handle_t scratch[N_SIZES]; /* by log2 of the size */

starpu_data_handle_t heddle__scratch_handle(int64_t size_bytes, int64_t *room)
{
    int log2 = SMALLEST;
    while (((int64_t)1 << log2) < size_bytes) log2++;
    *room = (int64_t)1 << log2;
    starpu_pthread_mutex_lock(&mutex);
    if (!scratch[log2]) scratch[log2] = heddle__register(-1, NULL, *room);
    starpu_pthread_mutex_unlock(&mutex);
    return scratch[log2];
}

void heddle__scratch_close(void)
{
    for (int i = 0; i < N_SIZES; i++) {
        if (scratch[i]) starpu_data_unregister(scratch[i]);
        scratch[i] = NULL;
    }
}
