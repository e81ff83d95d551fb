/* Running a text with somewhere to print: for the command, which shows what Python's prompt would. */
#ifndef HEDDLE_EXPR_RUN_H
#define HEDDLE_EXPR_RUN_H

#include "expr/value.h"

#include <heddle/expr.h>

/* As heddle_expr_run; print(...) writes with `print`, which finds `data` in run->print_data. So is the value of
 * the last statement if it is neither an array nor a number and outputs[0] asks for it, which becomes NULL. */
enum heddle_status heddle__expr_run_printing(const char *text, int n,
                                             const struct heddle_binding *inputs, int n_outputs,
                                             struct heddle_binding *outputs,
                                             heddle__expr_printer *print, void *data);

#endif
