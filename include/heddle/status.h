/* Status codes, and how public symbols are declared. */
#ifndef HEDDLE_STATUS_H
#define HEDDLE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_API __attribute__((visibility("default")))

/* One row per code: identifier, number, text. Bands: 1xx argument, 2xx resource, 3xx unsupported,
 * 4xx device, 9xx a bug of Heddle's. Numbers are stable. */
#define HEDDLE_STATUS_MAP(X)                                                                       \
    X(HEDDLE_OK, 0, "no error")                                                                    \
    X(HEDDLE_EARG, 100, "bad argument")                                                            \
    X(HEDDLE_ESHAPE, 101, "shapes do not fit")                                                     \
    X(HEDDLE_EDTYPE, 102, "no rule for these dtypes")                                              \
    X(HEDDLE_EAXIS, 103, "axis out of range")                                                      \
    X(HEDDLE_EINDEX, 104, "index out of range")                                                    \
    X(HEDDLE_ERANGE, 105, "value out of range for the dtype")                                      \
    X(HEDDLE_ESYNTAX, 106, "expression does not parse")                                            \
    X(HEDDLE_ENAME, 107, "unknown name")                                                           \
    X(HEDDLE_ESINGULAR, 108, "matrix is singular or not positive definite")                        \
    X(HEDDLE_ECONVERGE, 109, "iteration does not converge")                                        \
    X(HEDDLE_ENOMEM, 200, "out of memory")                                                         \
    X(HEDDLE_EIO, 201, "input or output failed")                                                   \
    X(HEDDLE_EFORMAT, 202, "file is malformed")                                                    \
    X(HEDDLE_EUNSUPPORTED, 300, "not supported")                                                   \
    X(HEDDLE_EDEVICE, 400, "device failed")                                                        \
    X(HEDDLE_ENODEVICE, 401, "no such device")                                                     \
    X(HEDDLE_EINTERNAL, 900, "internal error")

enum heddle_status {
#define HEDDLE_STATUS_ENUM(id, number, text) id = number,
    HEDDLE_STATUS_MAP(HEDDLE_STATUS_ENUM)
#undef HEDDLE_STATUS_ENUM
};

/** Identifier of a code, "HEDDLE_ESHAPE"; "HEDDLE_?" for an unknown one. Static string. */
HEDDLE_API const char *heddle_status_name(enum heddle_status status);

/** Short text of a code. Static string. */
HEDDLE_API const char *heddle_status_text(enum heddle_status status);

/** Detail of the last failure on this thread of a call that makes no array (for arrays:
 *  heddle_error). Empty when there was none. Valid until the next failing call on this thread. */
HEDDLE_API const char *heddle_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
