/* Highway's quicksort by vectors (M. Blacher, J. Giesen, P. Sanders, J. Wassenberg, Vectorized and performance-portable
 * quicksort, 2022) of keys, for one instruction set. Compiled with
 *   ISA   its name
 *   hwy   a name for Highway's namespace that no other instruction set has, so that the linker does not take the inline
 *         functions of one for another's */
#include <hwy/highway.h>

#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>

#include <stdint.h>
#include <string.h>

/* What pivots are drawn with; Highway's library would ask the system for it. Any gives the same result. */
void hwy::Sorter::Fill24Bytes(const void *, size_t, void *bytes)
{
    static const uint64_t seed[3] = {0x9e3779b97f4a7c15, 0xd1b54a32d192ed03, 0x2545f4914f6cdd1d};
    memcpy(bytes, seed, sizeof seed);
}

namespace
{

template <class T>
void sort(T *keys, int64_t n)
{
    namespace vectors = hwy::HWY_NAMESPACE;
    vectors::SortTag<T> tag;
    vectors::detail::SharedTraits<vectors::detail::TraitsLane<vectors::detail::OrderAscending<T>>>
        ascending;
    vectors::Sort(tag, ascending, keys, static_cast<size_t>(n), static_cast<T *>(nullptr));
}

} // namespace

#define NAME_(bits, isa) heddle__highway_##bits##_##isa
#define NAME(bits, isa) NAME_(bits, isa)

extern "C" void NAME(32, ISA)(uint32_t *keys, int64_t n);
extern "C" void NAME(64, ISA)(uint64_t *keys, int64_t n);

extern "C" void NAME(32, ISA)(uint32_t *keys, int64_t n)
{
    sort(keys, n);
}

extern "C" void NAME(64, ISA)(uint64_t *keys, int64_t n)
{
    sort(keys, n);
}
