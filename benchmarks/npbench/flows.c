/* Incompressible flow in a cavity and in a channel: Navier-Stokes with a pressure equation in each step. */
#include "npbench.h"

const struct npb_program npb_flows[] = {{.name = NULL}};
