/* Signatures of generalised functions: "(m,n),(n)->(m)". */
#ifndef HEDDLE_API_GUFUNC_SIGNATURE_H
#define HEDDLE_API_GUFUNC_SIGNATURE_H

#include "base/error.h"

#include <heddle/array.h>

enum { GUFUNC_ARGUMENTS = 8, GUFUNC_CORE = 16, GUFUNC_NAME = 32 };

struct gufunc_signature {
    int n_in, n_out, n_core;
    int ndim[GUFUNC_ARGUMENTS];                     /* core axes */
    int8_t core[GUFUNC_ARGUMENTS][HEDDLE_MAX_NDIM]; /* which each is */
    int64_t extent[GUFUNC_CORE]; /* of a number; -1: of a name, which arguments decide */
    char name[GUFUNC_CORE][GUFUNC_NAME];
    uint8_t dtype[GUFUNC_ARGUMENTS];
};

/* HEDDLE_ESYNTAX with the column, from 1; HEDDLE_EARG: NULL. */
enum heddle_status heddle__gufunc_signature(const char *text, struct gufunc_signature *out);
/* Sets the dtypes from "float32,float32->float64", or all to float64 (NULL). HEDDLE_EDTYPE: no such name; HEDDLE_ESYNTAX. */
enum heddle_status heddle__gufunc_types(const char *text, struct gufunc_signature *signature);

#endif
