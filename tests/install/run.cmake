# Installs the build BUILD below SCRATCH and builds and runs the project SOURCE against it.

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\nfailed (${result}):\n${output}")
    endif()
    message("${output}")
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${SCRATCH}/prefix")

# The installation must not depend on where it was installed first.
file(RENAME "${SCRATCH}/prefix" "${SCRATCH}/moved")
set(prefix "${SCRATCH}/moved")

foreach(header IN ITEMS heddle.h heddle.hpp heddle/call.h heddle/array.hpp heddle/ops.def)
    if(NOT EXISTS "${prefix}/include/${header}")
        message(FATAL_ERROR "${header} is not installed")
    endif()
endforeach()

if(WAY STREQUAL "cmake")
    run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${SCRATCH}/build" -G "${GENERATOR}"
        "-DCMAKE_C_COMPILER=${CC}" "-DCMAKE_C_FLAGS=${FLAGS}" "-DCMAKE_PREFIX_PATH=${prefix}")
    run("${CMAKE_COMMAND}" --build "${SCRATCH}/build")
    run("${SCRATCH}/build/consumer")
else()
    set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
    execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs heddle
        OUTPUT_VARIABLE heddle OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(heddle UNIX_COMMAND "${heddle}")
    separate_arguments(flags UNIX_COMMAND "${FLAGS}")
    run("${CC}" ${flags} -std=c11 -Wall -Wextra "${SOURCE}/consumer.c"
        -o "${SCRATCH}/consumer" ${heddle} "-Wl,-rpath,${prefix}/${LIBDIR}")
    run("${SCRATCH}/consumer")
endif()
if(EXISTS "${prefix}/bin/heddle")
    run("${prefix}/bin/heddle" --version)
endif()
