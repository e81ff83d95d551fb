/* Which machine a test plans for: the one that is here, with StarPU (here.c), or one that is invented,
 * whose plans run on this thread with neither StarPU nor a device (invented.c). */
#ifndef HEDDLE_TESTS_MACHINE_MACHINE_H
#define HEDDLE_TESTS_MACHINE_MACHINE_H

#include <heddle.h>

/* heddle_configure, or as much of it as plans ask. */
enum heddle_status machine_configure(const struct heddle_config *config);

#endif
