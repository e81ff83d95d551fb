#!/usr/bin/env bash
# What a user's machine may do to a program: full disks, damaged caches, limits, odd environments. Each case
# runs the command under a time limit and must give the right answer, or fail with a message that names the
# cause: never a signal, a hang or a wrong answer.
# Usage: faults.sh HEDDLE SECTION FEW_THREADS (the library that few_threads.c makes)

set -u
heddle=$1 section=$2 few_threads=$3
work=$(mktemp -d)
mounted=
trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 run=0 err=

# Work for the workers: several parts, no inline evaluation. The time limit is generous: a failure is a hang.
export HEDDLE_INLINE_BYTES=-1 HEDDLE_PART_BYTES=1M HEDDLE_CACHE=$work/cache TMPDIR=$work/tmp
mkdir "$TMPDIR"
unset "${!STARPU_@}" "${!HWLOC_@}"
expression='sum(arange(300000.) * 2.)' value=89999700000.0
limit=${FAULTS_TIME_LIMIT:-60}

# case_is NAME EXPECTED COMMAND...: EXPECTED is the answer, "right" for that of $expression, or "error: TEXT",
# exit code 1 and a message that contains TEXT, or "right or error: TEXT".
case_is() {
    local name=$1 expected=$2 all out code
    shift 2
    run=$((run + 1))
    # Through pipes, as files may have limits: lines of stderr begin with "E ", the exit code's with "C ".
    all=$({ { timeout -s KILL "$limit" "$@" </dev/null; echo "C $?" >&4; } 2>&1 1>&3 | sed 's/^/E /'; } 3>&1 4>&1)
    code=$(sed -n 's/^C //p' <<<"$all")
    err=$(sed -n 's/^E //p' <<<"$all" | grep -v '_perf_model_add_dir') # of a StarPU that was moved
    out=$(sed '/^[CE] /d' <<<"$all")
    [ "$expected" = right ] && expected=$value
    case $expected in
    'right or '*)
        [ "$code" = 0 ] && [ "$out" = "$value" ] && return
        expected=${expected#right or }
        ;;
    esac
    case $expected in
    'error: '*)
        [ "$code" = 1 ] && [ -z "$out" ] && [ "${err#*"${expected#error: }"}" != "$err" ] && return
        ;;
    *) [ "$code" = 0 ] && [ "$out" = "$expected" ] && return ;;
    esac
    printf 'FAILED %s: %s\nexit %s; expected %s\n--- out\n%s\n--- err\n%s\n' \
        "$name" "$*" "$code" "$expected" "$out" "$err" >&2
    failed=$((failed + 1))
}

# must NAME COMMAND...: a condition that a case must leave behind.
must() {
    local name=$1
    shift
    run=$((run + 1))
    "$@" && return
    echo "FAILED: $name" >&2
    failed=$((failed + 1))
}
evaluate=("$heddle" eval "$expression")
# shellcheck disable=SC2016 # that shell expands it
under=(bash -c 'ulimit $0 && exec "$@"') # then a limit, and a command

# --- the cache folder -----------------------------------------------------------------------------
section_cache() {
    local file bytes new
    case_is cold right "${evaluate[@]}"
    case_is warm right "${evaluate[@]}"
    must 'the calibration is kept' [ "$(find cache -name 'links-*' | wc -l)" = 1 ]
    cp -r cache good
    for file in good/links-* good/rates; do
        file=$(basename "$file")
        for bytes in 0 1 100 1500; do
            head -c "$bytes" "good/$file" >"cache/$file"
            case_is "$file cut off at $bytes" right "${evaluate[@]}"
            must "$file is made again" [ "$(head -1 "cache/$file" | cut -d' ' -f1-3)" = "$(head -1 "good/$file" | cut -d' ' -f1-3)" ]
        done
        head -c 5000 /dev/urandom >"cache/$file"
        case_is "$file is garbage" right "${evaluate[@]}"
        rm -rf "cache/$file"
        mkdir "cache/$file"
        case_is "$file is a folder" right "${evaluate[@]}"
        rm -rf "cache/$file"
        ln -s /dev/zero "cache/$file"
        case_is "$file is a device" right "${evaluate[@]}"
        rm "cache/$file"
        mkfifo "cache/$file"
        case_is "$file is a pipe" right "${evaluate[@]}"
        rm "cache/$file"
        cp "good/$file" "cache/$file"
    done
    rm -rf cache
    touch cache
    case_is 'a file in place of the folder' right "${evaluate[@]}"
    rm cache
    case_is 'no folder can be made' right env HEDDLE_CACHE=/proc/nothing "${evaluate[@]}"
    new=$work/$(printf 'a%.0s' $(seq 240))
    case_is 'a long path' right env HEDDLE_CACHE="$new" "${evaluate[@]}"
    case_is 'a long home' right env -u HEDDLE_CACHE -u XDG_CACHE_HOME HOME="/$(printf 'a%.0s' $(seq 4100))" "${evaluate[@]}"
    case_is 'no home' right env -u HEDDLE_CACHE -u XDG_CACHE_HOME -u HOME "${evaluate[@]}"
    case_is 'no folder for temporary files' right env TMPDIR=/nonexistent "${evaluate[@]}"
    # what is measured with too many threads is nobody else's
    rm -rf cache
    case_is 'too many threads' right env HEDDLE_DEVICES=cpu HEDDLE_CPU_THREADS=600 "${evaluate[@]}"
    must 'rates of too many threads are not kept' [ ! -e cache/rates ]
    case_is 'one thread' right env HEDDLE_DEVICES=cpu HEDDLE_CPU_THREADS=1 "${evaluate[@]}"
    case_is 'an instruction set' right env HEDDLE_DEVICES=cpu HEDDLE_CPU_THREADS=1 HEDDLE_CPU_ISA=baseline "${evaluate[@]}"
    must 'rates are kept for each setting' [ "$(tail -n +2 cache/rates | wc -l)" = 2 ]
    section_disk
}

# --- a full disk, and a limit of file sizes ----------------------------------------------------
section_disk() {
    rm -rf cache
    case_is 'file size 0' 'error: ulimit -f' "${under[@]}" '-f 0' "${evaluate[@]}"
    case_is 'file size 0, no workers' 3 "${under[@]}" '-f 0' env HEDDLE_INLINE_BYTES=1M "$heddle" eval '1 + 2'
    mkdir full
    if mount -t tmpfs -o size=4k none full 2>/dev/null; then
        mounted=$work/full
        head -c 4096 /dev/zero >full/fills
        case_is 'a full cache' right env HEDDLE_CACHE="$work/full/cache" "${evaluate[@]}"
        case_is 'a full cache again' right env HEDDLE_CACHE="$work/full/cache" "${evaluate[@]}"
        case_is 'a full cache and a full folder' right env HEDDLE_CACHE="$work/full" TMPDIR="$work/full" "${evaluate[@]}"
        mount -o remount,ro full
        case_is 'a read-only cache' right env HEDDLE_CACHE="$work/full/cache" "${evaluate[@]}"
        umount full && mounted=
    else
        echo 'note: no file system can be mounted here; a full disk was not tried' >&2
    fi
}

# --- the environment -----------------------------------------------------------------------------
section_environment() {
    local setting
    # Heddle sets what StarPU and hwloc need itself: these do nothing
    for setting in STARPU_NCPU=0 STARPU_NCPU=500 STARPU_NCPU=x STARPU_NCPUS=7 STARPU_RESERVE_NCPU=5 \
        STARPU_WORKERS_CPUID=garbage 'STARPU_WORKERS_CPUID=0 0 0' STARPU_WORKERS_COREID=99 STARPU_NCUDA=x \
        STARPU_NCUDA=3 STARPU_LIMIT_CPU_MEM=1 STARPU_LIMIT_CPU_MEM=x STARPU_LIMIT_CPU_NUMA_MEM=1 \
        STARPU_CALIBRATE=x STARPU_CALIBRATE=2 STARPU_BUS_CALIBRATE=1 STARPU_MAIN_THREAD_BIND=1 \
        STARPU_MAIN_THREAD_CPUID=99 STARPU_MAIN_THREAD_COREID=x STARPU_HOSTNAME=a/b STARPU_HOSTNAME= \
        STARPU_HOME=/dev/null STARPU_PERF_MODEL_DIR=/dev/null STARPU_PERF_MODEL_PATH=a:b STARPU_SIMGRID=1 \
        STARPU_SINK=1 STARPU_DISABLE_KERNELS=1 STARPU_LIMIT_MAX_SUBMITTED_TASKS=0 STARPU_WATCHDOG_TIMEOUT=1 \
        STARPU_DISK_SWAP=/nonexistent STARPU_MAX_PRIO=-5 STARPU_SCHED_LIB=/nonexistent \
        STARPU_PROF_TOOL=/nonexistent STARPU_IDLE_FILE=/proc/x STARPU_NTHREADS_PER_CORE=0 \
        STARPU_NTHREADS_PER_CORE=-3 STARPU_HWLOC_INPUT=/nonexistent STARPU_TASK_BREAK_ON_EXEC=1 \
        STARPU_USE_NUMA=1 STARPU_CATCH_SIGNALS=1 XDG_CACHE_HOME=/dev/null HOME=/dev/null \
        HWLOC_XMLFILE=/nonexistent HWLOC_XMLFILE=/etc/passwd 'HWLOC_SYNTHETIC=pack:4 core:8 pu:2' \
        HWLOC_SYNTHETIC=garbage HWLOC_FSROOT=/proc HWLOC_COMPONENTS=stop HWLOC_COMPONENTS=garbage \
        HWLOC_THISSYSTEM=0 OMP_NUM_THREADS=64 OMP_THREAD_LIMIT=1 OMP_DYNAMIC=true OMP_PROC_BIND=true \
        'OMP_PLACES={0}' OMP_MAX_ACTIVE_LEVELS=0 OPENBLAS_NUM_THREADS=64 CUDA_VISIBLE_DEVICES=x \
        STARPU_SCHED= STARPU_SCHED=eager STARPU_SCHED=lws STARPU_CUDA_PIPELINE=0 STARPU_WORKER_STATS=1; do
        case_is "$setting" right env "$setting" "${evaluate[@]}"
        case $setting in STARPU_WORKER_STATS=1 | OMP_*) continue ;; esac
        must "$setting is silent" [ -z "$err" ]
    done
    # these are passed on to StarPU, and checked
    for setting in STARPU_SCHED=nonsense STARPU_SCHED=pheft STARPU_SILENT=x STARPU_CUDA_PIPELINE=9 \
        STARPU_SCHED_BETA=-1 STARPU_FXT_TRACE=yes STARPU_FXT_PREFIX=/proc/x STARPU_TRACE_BUFFER_SIZE=0 \
        STARPU_WORKER_STATS_FILE=/proc/x STARPU_PROFILING=2; do
        case_is "$setting" "error: environment variable ${setting%%=*}: \"${setting#*=}\" is n" \
            env "$setting" "${evaluate[@]}"
    done
}

# --- threads, stacks, address space --------------------------------------------------------------
section_limits() {
    local n
    for n in 0 1 2 3 4 6; do # how many are needed depends on the machine
        case_is "$n threads" 'right or error: threads are needed' \
            env LD_PRELOAD="$few_threads" HEDDLE_TEST_THREADS="$n" "${evaluate[@]}"
    done
    for n in 1 2 3 4 5 6 7 8 9 10 11 12; do # one fails, StarPU's own among them
        case_is "thread $n fails" 'right or error: threads are needed' \
            env LD_PRELOAD="$few_threads" HEDDLE_TEST_THREAD_FAILS="$n" "${evaluate[@]}"
        case_is "thread $n of two teams fails" 'right or error: threads are needed' \
            env LD_PRELOAD="$few_threads" HEDDLE_TEST_THREAD_FAILS="$n" HEDDLE_CPU_THREADS=4 HEDDLE_CPU_WORKERS=2 "${evaluate[@]}"
    done
    case_is 'no threads' 'error: threads are needed' env LD_PRELOAD="$few_threads" HEDDLE_TEST_THREADS=0 "${evaluate[@]}"
    case_is 'no threads, no workers' 3 env LD_PRELOAD="$few_threads" HEDDLE_TEST_THREADS=0 HEDDLE_INLINE_BYTES=1M "$heddle" eval '1 + 2'
    case_is 'no threads, a large copy' right env LD_PRELOAD="$few_threads" HEDDLE_TEST_THREADS=0 HEDDLE_INLINE_BYTES=1G "${evaluate[@]}"
    case_is '3 of 64 threads' 'right or error: threads are needed' \
        env LD_PRELOAD="$few_threads" HEDDLE_TEST_THREADS=6 HEDDLE_CPU_THREADS=64 "${evaluate[@]}"
    for n in 24 32; do # with less some programs end before main
        case_is "a stack of $n KB" 'error: ulimit -s' "${under[@]}" "-s $n" "${evaluate[@]}"
        case_is "a stack of $n KB, info" 'error: ulimit -s' "${under[@]}" "-s $n" "$heddle" info
    done
    for n in 48 64 128 256; do
        case_is "a stack of $n KB" 'error: ulimit -s' "${under[@]}" "-s $n" "${evaluate[@]}"
        case_is "a stack of $n KB, no workers" 'error: ulimit -s' "${under[@]}" "-s $n" env HEDDLE_INLINE_BYTES=1G "${evaluate[@]}"
    done
    case_is 'a stack of 512 KB' right "${under[@]}" '-s 512' "${evaluate[@]}"
    case_is 'a stack of 512 KB, product' 8.0 "${under[@]}" '-s 512' "$heddle" eval 'sum(matmul(ones((2, 2)), ones((2, 2))))'
    case_is 'a stack without limit' right "${under[@]}" '-s unlimited' "${evaluate[@]}"
    case_is 'stacks of 16 KB for OpenMP' right env OMP_STACKSIZE=16k "${evaluate[@]}"
    case_is 'stacks of 64 GB for OpenMP' right env OMP_STACKSIZE=64G "${evaluate[@]}"
    case_is 'one processor' right taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')" "${evaluate[@]}"
    case_is 'few open files' right "${under[@]}" '-n 256' "${evaluate[@]}"
    for n in 6 7 8 10 12 20; do # how many libraries and CUDA take differs
        case_is "$n open files" 'right or error: heddle: ' "${under[@]}" "-n $n" "${evaluate[@]}"
    done
    case_is 'no locked memory' right "${under[@]}" '-l 0' "${evaluate[@]}"
}

"section_$section"
must 'no temporary folder is left' [ -z "$(ls "$TMPDIR")" ]
echo "$section: $run cases, $failed failed" >&2
[ "$failed" = 0 ]
