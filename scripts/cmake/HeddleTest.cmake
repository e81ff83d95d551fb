# The instruction sets that a test of kernels runs with beside the processor's best, which is avx2 itself where there is no
# AVX-512. Where sanitizers look, loops are not vectorized and the same
# code for each, and what has code of its own differs by the width of vectors: there the best and baseline stand for avx2.
set(heddle_lesser_isas baseline)
if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo heddle_avx512 REGEX "^flags.* avx512f " LIMIT_COUNT 1)
endif()
if(heddle_avx512 AND NOT HEDDLE_SANITIZE)
    list(APPEND heddle_lesser_isas avx2)
endif()

# The C compiler for what tests have compiled: the same programs each time, which took a fifth of all tests' time.
set(heddle_test_cc cc)
if(CCACHE_PROGRAM)
    set(heddle_test_cc "${PROJECT_SOURCE_DIR}/tests/cached_cc")
endif()

# heddle_test(NAME SOURCES a.c... LABEL null|cpu|cuda|slow
#             [LINK libs...] [ENV "A=B"...] [TIMEOUT seconds] [COST seconds] [ARGS args...] [THREADS])
#
# A test program and its CTest entry. Labels: null needs neither StarPU nor a device and links the
# static layers, so that it may call internal functions; the others link the library. Exit code 77
# means skipped. LINK replaces what the label links. THREADS: it starts threads, and the thread sanitizer
# understands all of them: the label `threads` too, and heddle_thread_tests builds it. COST: it takes so long that it
# should be among the first where no run before has shown that.
function(heddle_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS" "LABEL;TIMEOUT;COST" "SOURCES;LINK;ENV;ARGS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES OR NOT arg_LABEL MATCHES "^(null|cpu|cuda|slow)$")
        message(FATAL_ERROR "heddle_test(${name}): ${arg_UNPARSED_ARGUMENTS} SOURCES "
            "'${arg_SOURCES}' LABEL '${arg_LABEL}'")
    endif()
    if(NOT arg_LINK)
        if(arg_LABEL STREQUAL "null")
            set(arg_LINK ${heddle_layers_alone})
        else()
            set(arg_LINK heddle::heddle)
        endif()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 60)
    endif()
    if(HEDDLE_SANITIZE)
        math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
    endif()

    add_executable(${name} ${arg_SOURCES})
    heddle_drop_missing_sources(${name})
    get_target_property(sources ${name} SOURCES)
    if(NOT sources)
        set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
        heddle_empty_source(${name})
        return()
    endif()
    heddle_compile_options(${name})
    heddle_test_includes(${name})
    # Where addresses are checked, what the library does is checked, not the slow oracles that it is compared
    # with: these took most of the time. Their buffers are checked blocks all the same.
    if(HEDDLE_SANITIZE STREQUAL "address+undefined")
        list(FILTER sources INCLUDE REGEX "(^|/)oracle[a-z_]*\\.c$")
        if(sources)
            set_property(SOURCE ${sources} TARGET_DIRECTORY ${name}
                PROPERTY COMPILE_OPTIONS -O2 -fno-sanitize=all)
        endif()
    endif()
    target_link_libraries(${name} PRIVATE ${arg_LINK} m)
    if(HEDDLE_LLD AND NOT HEDDLE_SANITIZE)
        target_link_options(${name} PRIVATE -fuse-ld=lld)
    endif()
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests/bin")

    add_test(NAME ${name} COMMAND ${name} ${arg_ARGS}
        WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    heddle_test_properties(${name} LABEL ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} ENV ${arg_ENV})
    if(arg_COST)
        set_tests_properties(${name} PROPERTIES COST ${arg_COST})
    endif()
    if(arg_THREADS)
        set_property(TEST ${name} APPEND PROPERTY LABELS threads)
        if(NOT TARGET heddle_thread_tests)
            add_custom_target(heddle_thread_tests)
        endif()
        add_dependencies(heddle_thread_tests ${name})
    endif()
endfunction()

# heddle_test_includes(TARGET): what test programs and fuzzers may include.
function(heddle_test_includes target)
    target_include_directories(${target} PRIVATE
        "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src"
        "${PROJECT_SOURCE_DIR}/codelets" "${PROJECT_SOURCE_DIR}/tests")
endfunction()

# heddle_test_properties(NAME LABEL ... TIMEOUT ... ENV ...): what every CTest entry gets. TIMEOUT: seconds on a quiet machine; who
# waits for more than three times as long waits for something that does not come.
function(heddle_test_properties name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "ENV")
    set(environment
        "HEDDLE_CACHE=${PROJECT_BINARY_DIR}/tests/cache"
        # glibc keeps what a test frees: to give pages back and to take them again was a fifth of all tests' time.
        "MALLOC_MMAP_THRESHOLD_=1000000000" "MALLOC_TRIM_THRESHOLD_=1000000000"
        "ASAN_OPTIONS=detect_leaks=1:protect_shadow_gap=0" # CUDA needs the shadow gap
        "UBSAN_OPTIONS=print_stacktrace=1"
        "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/scripts/sanitize/lsan.supp:print_suppressions=0"
        "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/scripts/sanitize/tsan.supp"
        ${arg_ENV})
    math(EXPR timeout "3 * ${arg_TIMEOUT}")
    set_tests_properties(${name} PROPERTIES
        LABELS "${arg_LABEL}"
        TIMEOUT "${timeout}"
        SKIP_RETURN_CODE 77
        ENVIRONMENT "${environment}")
    if(arg_LABEL MATCHES "^(cuda|slow)$")
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()

# heddle_fuzzer(NAME SOURCES a.c... [SECONDS n]): a libFuzzer program (LLVMFuzzerTestOneInput) and a
# CTest entry that runs it for a few seconds from the seeds in corpus/NAME beside it. Only with
# HEDDLE_FUZZ.
function(heddle_fuzzer name)
    if(NOT HEDDLE_FUZZ)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SECONDS" "SOURCES;LINK")
    if(NOT arg_SECONDS)
        set(arg_SECONDS 10)
    endif()
    if(NOT arg_LINK)
        set(arg_LINK ${heddle_layers_alone})
    endif()
    if(NOT TARGET heddle_fuzzers)
        add_custom_target(heddle_fuzzers)
    endif()
    add_executable(${name} ${arg_SOURCES})
    add_dependencies(heddle_fuzzers ${name})
    heddle_compile_options(${name})
    heddle_test_includes(${name})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C) # clang; the C++ of kernels is another compiler's
    target_link_libraries(${name} PRIVATE ${arg_LINK} m)
    set(new "${PROJECT_BINARY_DIR}/tests/corpus/${name}")
    file(MAKE_DIRECTORY "${new}")
    set(seeds "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name}")
    if(NOT EXISTS "${seeds}")
        set(seeds)
    endif()
    add_test(NAME ${name} COMMAND ${name} "${new}" ${seeds}
        -max_total_time=${arg_SECONDS} -timeout=5 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1
        WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    math(EXPR timeout "${arg_SECONDS} + 60")
    heddle_test_properties(${name} LABEL fuzz TIMEOUT ${timeout})
endfunction()
