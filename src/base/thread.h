/* Variables of a thread on hot paths. */
#ifndef HEDDLE_BASE_THREAD_H
#define HEDDLE_BASE_THREAD_H

/* At a fixed distance from the thread pointer, not found by a call each time, which would be a fifth
 * of what recording a node takes. The loader has little room for that in libraries opened late: all
 * variables of threads together must stay below a few hundred bytes. */
#define HEDDLE_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

#endif
