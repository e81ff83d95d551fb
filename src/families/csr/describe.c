/* Errors of the data of a sparse matrix. Entry point: heddle__describe_csr. */
#include "families/csr/kernel.h"

#include <stdio.h>

enum heddle_status heddle__describe_csr(const int64_t words[], char *text, size_t room)
{
    if (words[2] < 0)
        snprintf(text, room, "heddle_csr_matmul: indptr of row %lld does not fit the entries",
                 (long long)words[1]);
    else
        snprintf(text, room, "heddle_csr_matmul: index %lld is out of range for %lld columns",
                 (long long)words[1], (long long)words[2]);
    return HEDDLE_EINDEX;
}
