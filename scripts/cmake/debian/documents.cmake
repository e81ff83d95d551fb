# cpack, before it packs: each package has its documents in a folder of its name, compressed where Debian wants it.

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER "${component}" upper)
    set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr")
    set(folder "${root}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
    if(component STREQUAL "library")
        file(RENAME "${root}/share/doc/${CPACK_PACKAGE_NAME}" "${folder}")
    endif()
    configure_file("${CPACK_HEDDLE_COPYRIGHT}" "${folder}/copyright" COPYONLY)
    configure_file("${CPACK_HEDDLE_CHANGELOG}" "${folder}/changelog" COPYONLY)
    file(GLOB manuals "${root}/share/man/man*/*")
    execute_process(COMMAND gzip -9nf "${folder}/changelog" ${manuals} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
