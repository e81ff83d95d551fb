# cpack: a Debian package for each component of HeddleInstall.cmake. scripts/packages makes them.

set(library_package "libheddle${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}") # by the soname

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR "The Heddle authors")
set(CPACK_PACKAGE_CONTACT "The Heddle authors <heddle@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library development command)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/debian/documents.cmake")
set(CPACK_HEDDLE_CHANGELOG "${PROJECT_SOURCE_DIR}/CHANGELOG.md") # for that script, as is the next
set(CPACK_HEDDLE_COPYRIGHT "${PROJECT_BINARY_DIR}/copyright")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Dependencies are what dpkg-shlibdeps finds. The command's library is in no package yet when it looks.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "lazy array expressions on CPUs and GPUs")
set(about "Heddle records NumPy-like array expressions, fuses them into few passes over
memory, and runs them on the CPU cores and NVIDIA GPUs of the machine at once.\n.\n")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${about}This is the shared library.")
# Loaded when something needs them: OpenBLAS by matmul on CPUs; by GPUs NVRTC, without which programs are
# interpreted, and cuBLAS.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libopenblas0-openmp | libopenblas0")
if(HEDDLE_HAVE_CUDA)
    set(toolkit "${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR}")
    set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "cuda-nvrtc-${toolkit}, libcublas-${toolkit}")
endif()
set(shlibs "${PROJECT_BINARY_DIR}/shlibs")
file(CONFIGURE OUTPUT "${shlibs}" CONTENT
    "libheddle ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${library_package} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_LIST_DIR}/debian/triggers" "${shlibs}")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libheddle-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "${about}These are the headers for C and C++, and the files for pkg-config and CMake.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME heddle)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION math)
set(CPACK_COMPONENT_COMMAND_DEPENDS library)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
    "${about}This is the command, which evaluates an expression over arrays in files.")

include(CPack)
