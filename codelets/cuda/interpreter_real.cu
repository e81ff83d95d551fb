/* The interpreter of programs without complex values. A file of its own, to be compiled beside the other.
 * Must not be more than the instantiation. Entry points: heddle__interp_real, heddle__interp_real_open. */
#include "cuda/interpreter.cuh"

int heddle__interp_real(const struct heddle_interp *args, int form, int64_t blocks, int threads,
                        size_t shared_bytes, void *stream)
{
    return interp_launch<1>(args, form, blocks, threads, shared_bytes, stream);
}

int heddle__interp_real_open(int shared_bytes)
{
    return interp_open<1>(shared_bytes);
}
