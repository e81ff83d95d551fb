/* libFuzzer: any bytes as the text of an expression over small inputs. A value or an error with a
 * place and a message; nothing stays behind. What is evaluated at the call runs on this thread. */
#include "blocks_left.h"
#include "graph/node.h"

#include <heddle.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const double six[6] = {0, 1, 2, 3, 4, 5};
    static const int64_t four[4] = {7, 8, 9, -3};
    char *const text = malloc(n + 1); /* its own block, so that reading past the end is seen */
    if (!text) return 0;
    memcpy(text, data, n);
    text[n] = 0;
    heddle__node_pooling(false);
    heddle_scope scope = heddle_scope_open();
    heddle_array *v = heddle_expr(
        text, HEDDLE_BIND_ALL({"a", heddle_asarray(six, HEDDLE_FLOAT64, HEDDLE_SHAPE(2, 3))},
                              {"n", heddle_asarray(four, HEDDLE_INT64, HEDDLE_SHAPE(4))}));
    const enum heddle_status code = heddle_status_of(v);
    if (code == HEDDLE_EINTERNAL) abort();
    if (code != HEDDLE_OK && strncmp(heddle_error(v), "line ", 5) != 0) abort();
    heddle_scope_close(scope);
    free(text);
    if (blocks_left() != 0) abort();
    return 0;
}
