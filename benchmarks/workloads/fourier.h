/* Fourier transforms. */
#ifndef FOURIER_H
#define FOURIER_H

#include <stdint.h>

/* The case says what it is: fft of n elements, fft2 of n x n ones or of n images, rfft of n rows of 4096, in the dtype
 * with which the name ends. */
void run_fourier(const char *name, int64_t n);

#endif
