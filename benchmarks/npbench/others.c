#include "npbench.h"
const struct npb_program npb_others[] = {{.name = NULL}};
