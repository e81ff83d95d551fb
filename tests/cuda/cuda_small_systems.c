/* Small systems (families/systems_calls.h). Entry point: test_systems. */
#include "cuda/families.h"
#include "families/systems_calls.h"

extern const struct heddle_cuda_kernel heddle__systems_cuda;

void test_systems(void)
{
    static int64_t words[HEDDLE_REPORT_WORDS];
    void *report = words;
    if (!HEDDLE_EMULATED) gpu_check(cudaMallocHost(&report, sizeof words), "memory");
    systems_calls(&(struct systems_machine){.run = heddle__systems_cuda.run,
                                            .put = families_to_gpu,
                                            .get = families_from_gpu,
                                            .free_all = gpu_free_all,
                                            .context = {.stream = gpu_stream()},
                                            .report = report});
}
