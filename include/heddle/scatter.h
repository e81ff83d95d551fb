/* Elements written by index, beside heddle_set_item (index.h). Each is a new array; `a` does not change. Indices count from
 * the end if they are negative; one that is out of range makes the result an error, HEDDLE_EINDEX, which shows when it is
 * evaluated. Where an element is named more than once the order is that of the indices in C order: with any number of
 * threads, devices and parts the bits are the same. Cost: the array, the indices, the values. */
#ifndef HEDDLE_SCATTER_H
#define HEDDLE_SCATTER_H

#include <heddle/gather.h>
#include <heddle/index.h>

#ifdef __cplusplus
extern "C" {
#endif

/** `a` with `value`, which broadcasts, added to a[index...]: to an element as often as it is named (NumPy's np.add.at). Of
 *  bool: or. Errors: as heddle_set_item; HEDDLE_EDTYPE value of a higher kind. */
HEDDLE_API heddle_array *heddle_add_at(heddle_array *a, int n, const struct heddle_index *index,
                                       heddle_array *value);

/** `a` with the elements that heddle_take_along_axis takes replaced by `values`, which broadcast to the shape of `indices`
 *  (NumPy name). The last one wins. .axis: default the last. */
HEDDLE_API heddle_array *heddle_put_along_axis_with(heddle_array *a, heddle_array *indices,
                                                    heddle_array *values,
                                                    const struct heddle_take_options *o);
#define heddle_put_along_axis(...)                                                                 \
    HEDDLE_CALL3_AXIS(heddle_put_along_axis_with, heddle_take_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
