/* What you learn: a step of a simulation as one kernel of your own: it reads all bodies, updates the velocities of its part,
 * and makes their new positions; what a step no longer needs is overwritten. */
#include "common.h"

enum { N = 384, STEPS = 20 };
struct settings {
    double dt, softening;
    long long n;
};

static const char source[] =
    "struct settings { double dt, softening; long long n; };\n"
    "extern \"C\" __global__ void step(const double *all, const double *mass, const double *at,\n"
    "                                double *velocity, double *next, long long n, settings s)\n"
    "{\n"
    "    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
    "    if (3 * i >= n) return;\n"
    "    double sum[3] = {0, 0, 0};\n"
    "    for (long long j = 0; j < s.n; j++) {\n"
    "        double d[3], r2 = s.softening;\n"
    "        for (int k = 0; k < 3; k++) d[k] = all[3 * j + k] - at[3 * i + k], r2 += d[k] * "
    "d[k];\n"
    "        const double w = mass[j] / (r2 * sqrt(r2));\n"
    "        for (int k = 0; k < 3; k++) sum[k] += w * d[k];\n"
    "    }\n"
    "    for (int k = 0; k < 3; k++) {\n"
    "        velocity[3 * i + k] += s.dt * sum[k];\n"
    "        next[3 * i + k] = at[3 * i + k] + s.dt * velocity[3 * i + k];\n"
    "    }\n"
    "}\n";

static enum heddle_status on_a_cpu(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_view *v = l->arguments;
    const double *all = v[0].data, *mass = v[1].data, *at = v[2].data;
    const struct settings *s = v[6].data;
    double *velocity = v[3].data, *next = v[4].data;
    for (int64_t i = 0; i < v[2].extents.shape[0]; i++) {
        double sum[3] = {0, 0, 0};
        for (int64_t j = 0; j < s->n; j++) {
            double d[3], r2 = s->softening;
            for (int k = 0; k < 3; k++) {
                d[k] = all[3 * j + k] - at[3 * i + k];
                r2 += d[k] * d[k];
            }
            const double w = mass[j] / (r2 * sqrt(r2));
            for (int k = 0; k < 3; k++) sum[k] += w * d[k];
        }
        for (int k = 0; k < 3; k++) {
            velocity[3 * i + k] += s->dt * sum[k];
            next[3 * i + k] = at[3 * i + k] + s->dt * velocity[3 * i + k];
        }
    }
    return HEDDLE_OK;
}

/* The energy of all, by loops that know nothing of Heddle. */
static double energy(double at[N][3], double velocity[N][3], const double mass[N],
                     const struct settings *s)
{
    double e = 0;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) e += mass[i] * velocity[i][k] * velocity[i][k] / 2;
        for (int j = 0; j < i; j++) {
            double r2 = s->softening;
            for (int k = 0; k < 3; k++) r2 += pow(at[i][k] - at[j][k], 2);
            e -= mass[i] * mass[j] / sqrt(r2);
        }
    }
    return e;
}

/* Along the first axis. */
static double momentum_of(double velocity[N][3], const double mass[N])
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += mass[i] * velocity[i][0];
    return sum;
}

int main(void)
{
    static double at[N][3], velocity[N][3], mass[N];
    const struct settings s = {.dt = 1e-3, .softening = 1e-2, .n = N};
    for (int i = 0; i < N; i++) { /* a spiral that turns */
        const double r = sqrt((i + 1.0) / N);
        at[i][0] = r * cos(2.4 * i), at[i][1] = r * sin(2.4 * i), at[i][2] = 0.1 * sin(i);
        velocity[i][0] = -at[i][1] / 2, velocity[i][1] = at[i][0] / 2;
        mass[i] = 1.0 / N;
    }
    const double before = energy(at, velocity, mass, &s), momentum = momentum_of(velocity, mass);

    heddle_raw_kernel *step = heddle_raw_kernel_from_source(source, "step", .host = on_a_cpu);
    expect_true("there is a kernel", step != NULL);
    const struct heddle_distribution cut = {.cut[0] = {HEDDLE_CUT_PARTS, 3, NULL}};
    heddle_array *m = heddle_asarray(mass, HEDDLE_FLOAT64, HEDDLE_SHAPE(N));
    heddle_array *x0 = heddle_asarray(at, HEDDLE_FLOAT64, HEDDLE_SHAPE(N, 3));
    heddle_array *v = heddle_asarray(velocity, HEDDLE_FLOAT64, HEDDLE_SHAPE(N, 3));
    heddle_array *x = heddle_distribute(x0, &cut);
    heddle_release(x0);
    for (int i = 0; i < STEPS; i++) {
        heddle_array *next, *faster;
        HEDDLE_MUST(heddle_raw_call(
            step,
            HEDDLE_RAW_ARGUMENTS(heddle_raw_whole(x), heddle_raw_whole(m), heddle_raw_read(x),
                                 heddle_raw_update(v, &faster),
                                 heddle_raw_write(&next, HEDDLE_FLOAT64, HEDDLE_SHAPE(N, 3)),
                                 heddle_raw_size_of(2), heddle_raw_bytes(&s, sizeof s)),
            .over_parts = true, .uncut = 1u << 1));
        heddle_release(x);
        heddle_release(v);
        x = next;
        v = faster;
    }
    HEDDLE_MUST(heddle_read(x, at, sizeof at));
    HEDDLE_MUST(heddle_read(v, velocity, sizeof velocity));
    double moved = 0;
    for (int i = 0; i < N; i++) moved += fabs(at[i][2] - 0.1 * sin(i));
    printf("energy %.9f, before %.9f; moved %g\n", energy(at, velocity, mass, &s), before, moved);
    expect_true("bodies move", moved > 0.01);
    expect_true("the momentum stays", fabs(momentum_of(velocity, mass) - momentum) < 1e-14);
    expect_true("the energy stays", fabs(energy(at, velocity, mass, &s) - before) < 1e-4);
    heddle_release(m);
    heddle_release(x);
    heddle_release(v);
    heddle_raw_kernel_release(step);
    return examples_failed();
}
