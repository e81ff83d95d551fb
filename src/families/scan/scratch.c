/* Scratch memory of scans. Entry point: heddle__scan_scratch. */
#include "families/scan/scan.h"

/* CPU: for the totals of a band's chunks or, if columns are few, of all chunks (cpu.c). CUDA: for a ticket
 * and the notes of all levels, for the levels of a tree, or for the totals of all chunks (cuda.c). */
size_t heddle__scan_scratch(const void *arguments, int n_threads)
{
    const struct heddle_scan *s = arguments;
    const size_t size = heddle_dtype_size((enum heddle_dtype)s->dtype);
    const bool on_gpu = n_threads == 0, whole = s->phase == HEDDLE_SCAN_WHOLE;
    const int64_t n = heddle__scan_chunks(s->n, s->columns);
    if (s->columns)
        return whole && (on_gpu || n_threads > 1) ? (size_t)(s->outer * n * s->inner) * size : 0;
    if (!on_gpu) {
        const int64_t band = heddle__scan_band(n_threads);
        return whole && n_threads > 1 && n > 1 ? (size_t)(n < band ? n : band) * size : 0;
    }
    if (whole)
        return n > 1 || s->has_in || s->has_out
                   ? HEDDLE_SCAN_TICKET_BYTES +
                         (size_t)(s->outer * heddle__scan_notes(s->first_chunk, n)) * 16 *
                             (size > 8 ? 2 : 1)
                   : 0;
    return s->phase == HEDDLE_SCAN_COMBINE
               ? (size_t)(s->outer * heddle__scan_notes(0, s->n_chunks)) * size
               : 0;
}
