/* What the host files of this folder share about devices: their number, architecture and width, and
 * one way to report a CUDA error. */
#ifndef HEDDLE_CUDA_DEVICE_H
#define HEDDLE_CUDA_DEVICE_H

#include <base/error.h>
#include <cuda_runtime.h>
#include <stdint.h>

enum { HEDDLE_MAX_DEVICES = 64 };

struct heddle_cuda_device {
    int arch;          /* 90 of compute capability 9.0 */
    int processors;    /* streaming multiprocessors */
    int shared_bytes;  /* that a block may have */
    int can_interpret; /* the interpreter's kernels are set up here */
};

/* NULL before heddle__cuda_open, or for a device that it did not name. */
const struct heddle_cuda_device *heddle__cuda_device(int device);
int heddle__cuda_n_devices(void);
/* The calling thread's. HEDDLE_ENODEVICE if it is not open. */
enum heddle_status heddle__cuda_device_here(const struct heddle_cuda_device **device);
/* The multiprocessors of the calling thread's device, whether or not it is open. HEDDLE_OK or HEDDLE_EDEVICE. */
enum heddle_status heddle__cuda_processors(int *n);

/* HEDDLE_OK, or HEDDLE_EDEVICE with `what` and CUDA's text; clears CUDA's last error. */
enum heddle_status heddle__cuda_check(cudaError_t error, const char *what);

#endif
