/* Cases in which little is computed: overheads of calls, nodes, plans and first uses. */
#ifndef LATENCY_H
#define LATENCY_H

#include <stdint.h>

void run_chain(const char *name, int64_t n);        /* 100 additions of n elements */
void run_chain_device(const char *name, int64_t n); /* the same, of data on a GPU if there is one */
void run_small(const char *name, int64_t n);        /* a*b+c of n elements, read each time */
void run_record(const char *name, int64_t n);       /* recording alone, a node */
void run_million(const char *name, int64_t n);      /* a million nodes: build, run, peak memory */
void run_first_use(const char *name, int64_t n);    /* an expression never seen, and again */

#endif
