# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CPack runs this script for each package, on the tree that goes into the package.
set(tree ${CPACK_TEMPORARY_INSTALL_DIRECTORY})

# The Debian package has the files that Debian's policy asks for.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(doc ${tree}/usr/share/doc/gasan)
  file(REMOVE ${doc}/LICENSE) # copyright has the licenses
  file(MAKE_DIRECTORY ${tree}/usr/share/lintian/overrides)
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides ${tree}/usr/share/lintian/overrides/gasan)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH chooses the time
  file(WRITE ${doc}/changelog "gasan (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md has the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(GLOB pages ${tree}/usr/share/man/man1/*)
  execute_process(COMMAND gzip -9 -n ${doc}/changelog ${doc}/CHANGELOG.md ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()

# Another machine has its toolkit elsewhere.
file(REMOVE ${tree}/libexec/gasan/cuda ${tree}/usr/libexec/gasan/cuda)

# Paths of this machine do not exist on others.
foreach(path IN LISTS CPACK_GASAN_FOREIGN_PATHS)
  execute_process(COMMAND grep -rlF --exclude-dir=share -e ${path} ${tree}
                  OUTPUT_VARIABLE files OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(files)
    message(FATAL_ERROR "gasan: the package would contain '${path}', a path of this machine, in:\n${files}\n"
                        "If this is the folder of the CUDA toolkit, build gasan with a toolkit in /usr/local/cuda.")
  endif()
endforeach()
