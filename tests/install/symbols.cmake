# The library exports heddle_* with a version and nothing else, and does not load what few programs need: the CUDA
# driver, which many machines lack, a C++ runtime, and cuBLAS, which costs every process 0.1 s and 200 MB.

execute_process(COMMAND "${NM}" -D --defined-only "${LIBRARY}"
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" symbols "${symbols}")
set(exported 0)
foreach(line IN LISTS symbols)
    if(line MATCHES " A HEDDLE_[0-9.]+$") # the version itself
        continue()
    endif()
    if(line MATCHES " ([A-Za-z_][^ ]*)$")
        if(NOT CMAKE_MATCH_1 MATCHES "^heddle_[^_][a-z_0-9]*@@HEDDLE_0\\.[0-9]+$")
            message(SEND_ERROR "exported, but not part of the interface: ${CMAKE_MATCH_1}")
        endif()
        math(EXPR exported "${exported} + 1")
    endif()
endforeach()
message("${exported} symbols")

execute_process(COMMAND "${READELF}" -d "${LIBRARY}"
    OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "NEEDED[^\n]*" needed "${dynamic}")
foreach(line IN LISTS needed)
    message("${line}")
    if(line MATCHES "libcuda\\.so|libstdc|libcublas|libcusolver|libcusparse")
        message(SEND_ERROR "loaded by every program: ${line}")
    endif()
endforeach()
