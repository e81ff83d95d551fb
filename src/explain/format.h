/* Values as text, beside heddle_format. */
#ifndef HEDDLE_EXPLAIN_FORMAT_H
#define HEDDLE_EXPLAIN_FORMAT_H

#include <heddle/array.h>

/* As NumPy's repr(): "array([1., 2.], dtype=float32)", "np.int64(1)". Free *text with heddle_free. */
enum heddle_status heddle__format_repr(heddle_array *a, char **text);

#endif
