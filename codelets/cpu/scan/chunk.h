/* Scans of chunks of lanes (scan_order.h), for the dtype and operation of SCAN_T, SCAN_OP(x, y) and SCAN(name), as types.h has them. */

/* Kogge and Stone: x[i] becomes x[0] o ... o x[i]. */
static inline void SCAN(lanes)(SCAN_T x[HEDDLE_SCAN_LANES])
{
    SCAN_T y[HEDDLE_SCAN_LANES];
    for (int d = 1; d < HEDDLE_SCAN_LANES; d *= 2) {
        for (int i = 0; i < HEDDLE_SCAN_LANES - d; i++) y[i] = SCAN_OP(x[i], x[i + d]);
        for (int i = d; i < HEDDLE_SCAN_LANES; i++) x[i] = y[i - d];
    }
}

/* Scans the items of each lane of a row, and the lanes. The row has m elements, fewer at the end of an
 * axis; nothing that is kept depends on the values that stand in for the others. */
static inline void SCAN(row)(const SCAN_T *x, int64_t m,
                             SCAN_T item[HEDDLE_SCAN_ITEMS][HEDDLE_SCAN_LANES],
                             SCAN_T lane[HEDDLE_SCAN_LANES])
{
    SCAN_T room[HEDDLE_SCAN_ROW];
    if (m < HEDDLE_SCAN_ROW) {
        memset(room, 0, sizeof room);
        memcpy(room, x, (size_t)m * sizeof *x);
        x = room;
    }
    for (int l = 0; l < HEDDLE_SCAN_LANES; l++) {
        item[0][l] = x[4 * l];
        item[1][l] = SCAN_OP(item[0][l], x[4 * l + 1]);
        item[2][l] = SCAN_OP(item[1][l], x[4 * l + 2]);
        lane[l] = item[3][l] = SCAN_OP(item[2][l], x[4 * l + 3]);
    }
    SCAN(lanes)(lane);
}

/* The prefix of each lane of a row, from those of the row in its warp and of the warp; NULL: there is none.
 * False: lane 0 has no prefix. */
static inline bool SCAN(before_lanes)(const SCAN_T lane[HEDDLE_SCAN_LANES],
                                      const SCAN_T *const around[2],
                                      SCAN_T before[HEDDLE_SCAN_LANES])
{
    bool some = false;
    before[0] = lane[0];
    for (int l = 1; l < HEDDLE_SCAN_LANES; l++) before[l] = lane[l - 1];
    for (int i = 0; i < 2; i++) {
        if (!around[i]) continue;
        const SCAN_T value = *around[i];
        for (int l = 1; l < HEDDLE_SCAN_LANES; l++) before[l] = SCAN_OP(value, before[l]);
        before[0] = some ? SCAN_OP(value, before[0]) : value;
        some = true;
    }
    return some;
}

/* A chunk of up to SHORT elements, which has few lanes. */
enum { SCAN(SHORT) = 32, SCAN(SHORT_LANES) = SCAN(SHORT) / HEDDLE_SCAN_ITEMS };
static inline void SCAN(short_chunk)(const SCAN_T *x, int64_t m, SCAN_T *y)
{
    SCAN_T total[SCAN(SHORT_LANES)];
    const int64_t lanes = m / HEDDLE_SCAN_ITEMS;
    for (int64_t i = 0; i < m; i++) {
        y[i] = i % HEDDLE_SCAN_ITEMS > 0 ? SCAN_OP(y[i - 1], x[i]) : x[i];
        total[i / HEDDLE_SCAN_ITEMS] = y[i];
    }
    for (int64_t d = 1; d < lanes; d *= 2)
        for (int64_t l = lanes - 1; l >= d; l--) total[l] = SCAN_OP(total[l - d], total[l]);
    for (int64_t i = HEDDLE_SCAN_ITEMS; i < m; i++)
        y[i] = SCAN_OP(total[i / HEDDLE_SCAN_ITEMS - 1], y[i]);
}

/* Scans a chunk of m elements with `prefix` (NULL: none); gives its total, if it is whole. */
static SCAN_T SCAN(chunk)(const SCAN_T *x, int64_t m, const SCAN_T *prefix, SCAN_T *y)
{
    SCAN_T item[HEDDLE_SCAN_ITEMS][HEDDLE_SCAN_LANES], lane[HEDDLE_SCAN_LANES],
        before[HEDDLE_SCAN_LANES], out[HEDDLE_SCAN_ROW];
    SCAN_T all = *x, warp = *x, outside = prefix ? *prefix : *x; /* what is before the warp */
    if (!prefix && m <= SCAN(SHORT)) {
        SCAN(short_chunk)(x, m, y);
        return all; /* of a chunk that is not whole nobody asks for it */
    }
    for (int row = 0; m > 0; row++) {
        const bool in_warp = row % HEDDLE_SCAN_ROWS > 0, after_warps = row >= HEDDLE_SCAN_ROWS;
        const int64_t here = m < HEDDLE_SCAN_ROW ? m : HEDDLE_SCAN_ROW;
        SCAN(row)(x, here, item, lane);
        if (row > 0 && !in_warp) {
            all = row > HEDDLE_SCAN_ROWS ? SCAN_OP(all, warp) : warp;
            outside = prefix ? SCAN_OP(*prefix, all) : all;
        }
        const SCAN_T *const around[2] = {in_warp ? &warp : NULL,
                                         prefix || after_warps ? &outside : NULL};
        const bool some = SCAN(before_lanes)(lane, around, before);
        SCAN_T *to = here < HEDDLE_SCAN_ROW ? out : y;
        for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++)
            to[k] = some ? SCAN_OP(before[0], item[k][0]) : item[k][0];
        for (int l = 1; l < HEDDLE_SCAN_LANES; l++)
            for (int k = 0; k < HEDDLE_SCAN_ITEMS; k++)
                to[HEDDLE_SCAN_ITEMS * l + k] = SCAN_OP(before[l], item[k][l]);
        if (to == out) memcpy(y, out, (size_t)here * sizeof *y);
        const SCAN_T total = lane[HEDDLE_SCAN_LANES - 1];
        warp = in_warp ? SCAN_OP(warp, total) : total;
        x += here;
        y += here;
        m -= here;
    }
    return SCAN_OP(all, warp);
}
