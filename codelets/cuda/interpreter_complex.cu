/* The interpreter of programs with complex values. A file of its own, to be compiled beside the other.
 * Must not be more than the instantiation. Entry points: heddle__interp_complex, heddle__interp_complex_open. */
#include "cuda/interpreter.cuh"

int heddle__interp_complex(const struct heddle_interp *args, int form, int64_t blocks, int threads,
                           size_t shared_bytes, void *stream)
{
    return interp_launch<2>(args, form, blocks, threads, shared_bytes, stream);
}

int heddle__interp_complex_open(int shared_bytes)
{
    return interp_open<2>(shared_bytes);
}
