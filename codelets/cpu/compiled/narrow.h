/* Small integers in wide types: what a run makes of bytes and of numbers, as sums, products and quotients of pixels are. Where they
 * certainly fit, a loop has them in 16 bits, so that vectors hold two to four times as many. What numbers are is not known when
 * a run is compiled: it finds bounds before its loops (cpu/bounds.h), and has a loop for either case. */
#ifndef HEDDLE_CODELETS_CPU_COMPILED_NARROW_H
#define HEDDLE_CODELETS_CPU_COMPILED_NARROW_H

#include "cpu/compiled/source.h"

/* Finds which operations of the run may be so, w->narrow of its items. False: none, or too few to be worth a loop. */
bool heddle__find_narrow(struct heddle__writer *w, const struct heddle__run *run);

/* Puts `small`: whether all of them are, in these 16 bits. The run's numbers are there; values are numbered. */
void heddle__put_bounds(struct heddle__writer *w, const struct heddle__run *run);

/* The text that the bounds need before all functions. */
extern const char heddle__bounds_text[];

#endif
