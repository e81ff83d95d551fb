/* Threads that are made before they are needed, for a library that ends the process when the system makes it none:
 * its calls of pthread_create are answered with them. One start at a time. */
#ifndef HEDDLE_BASE_RESERVE_H
#define HEDDLE_BASE_RESERVE_H

#include <stdbool.h>

/* Makes n threads, which wait, and gives them to the library at whose function `inside` is, one for each thread that
 * it makes on the calling thread from now on. False: the system does not make so many; then there are none. What
 * links the library in ways that are not known here is no failure: it makes threads as before. */
bool heddle__reserve_threads(int n, void (*inside)(void));
/* The library makes its threads as before; those that it did not take end. */
void heddle__reserve_end(void);

#endif
