/* Forms: what sections of programs become, as often as they run. A form is interpreted until it has been as much work as a
 * compiler's run; then it is compiled, on a thread of its own, and from then on it runs so. What is on disk is loaded after
 * a few milliseconds of work. Nobody waits. */
#ifndef HEDDLE_CODELETS_CPU_COMPILED_FORMS_H
#define HEDDLE_CODELETS_CPU_COMPILED_FORMS_H

#include "cpu/compiled/plan.h"

#include <stdatomic.h>

struct heddle__form;

/* The form of a section, which lives for good; NULL: nothing of it is compiled. Takes no lock when the form is known. */
struct heddle__form *heddle__form_find(const struct heddle__section *section, const char *isa);
/* Its plan and the functions of the runs that are compiled, in their order; NULL: it is interpreted for now. */
const struct heddle__plan *heddle__form_ready(const struct heddle__form *form,
                                              heddle__run_function *const **functions);
/* Counts work of it that was interpreted, in additions; and has it compiled. */
void heddle__form_count(struct heddle__form *form, double additions);
/* Whether heddle__form_find would do more than it did when the form was last found. */
bool heddle__form_has_changed(const struct heddle__form *form);

/* Whether programs are compiled; not before this was called. The compiler gets the environment of the first call. */
void heddle__forms_allow(bool allowed);
/* Starts the compiler's thread now, if programs are compiled: else it is with the first form, maybe amid a kernel, where the C
 * library's memory for it lies among the kernel's. */
void heddle__forms_start(void);

/* For tests. Forms are compiled at once and, if that `waits`, by their first caller. */
void heddle__forms_hurry(bool waits);
/* Waits until nothing is being compiled. */
void heddle__forms_wait(void);
/* Forms that were compiled or loaded so far, and that could not be. */
struct heddle__forms_counters {
    int64_t ready, failed;
};
struct heddle__forms_counters heddle__forms_counters(void);

#endif
