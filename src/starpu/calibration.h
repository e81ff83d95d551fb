/* StarPU's calibration of links, which it keeps as files. */
#ifndef HEDDLE_STARPU_CALIBRATION_H
#define HEDDLE_STARPU_CALIBRATION_H

#include "base/error.h"

#include <stdbool.h>

/* What StarPU is told that the machine is called: its files have this name. */
#define HEDDLE_CALIBRATION_HOST "heddle"

/* Makes a private folder for StarPU, with what is known of the links of this machine. *out is valid until
 * close, which keeps what StarPU has measured, if the start went well, and removes the folder. If nothing is
 * known, StarPU measures the links of all GPUs that CUDA sees, in use or not. */
enum heddle_status heddle__calibration_open(int n_gpus, const char **out, bool *is_known);
void heddle__calibration_close(bool keep);

#endif
