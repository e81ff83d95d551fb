/* The port to devices. Entry points: devices.h. */
#include "array/devices.h"

#include <stdatomic.h>

const struct heddle_device_port *heddle__devices;

static atomic_int n_gpus;

int heddle__n_gpus(void)
{
    return atomic_load_explicit(&n_gpus, memory_order_relaxed);
}

void heddle__set_n_gpus(int n)
{
    atomic_store_explicit(&n_gpus, n, memory_order_relaxed);
}
