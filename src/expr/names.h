/* Lists of the names that the language knows, for suggestions, tests and documentation. */
#ifndef HEDDLE_EXPR_NAMES_H
#define HEDDLE_EXPR_NAMES_H

#include <stddef.h>

typedef void heddle__expr_name_visitor(void *user, const char *name, size_t length);

void heddle__expr_each_builtin(heddle__expr_name_visitor *visit, void *user);
void heddle__expr_each_attribute(heddle__expr_name_visitor *visit, void *user);

#endif
