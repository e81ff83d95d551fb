/* Random numbers, stored, and a Monte Carlo mean that stores none. */
#ifndef RANDOM_NUMBERS_H
#define RANDOM_NUMBERS_H

#include <stdint.h>

/* random_uniform_f64, random_uniform_f32, random_normal_f64, random_poisson (of mean 35), random_pi: n of them. */
void run_random(const char *name, int64_t n);

#endif
