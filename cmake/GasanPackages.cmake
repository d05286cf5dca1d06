# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The packages of `make package`: a Debian package, and a tar that works in any folder. packaging/ has their texts.
install(FILES README.md CHANGELOG.md LICENSE packaging/copyright DESTINATION share/doc/gasan)
install(DIRECTORY docs examples DESTINATION share/doc/gasan)
install(FILES packaging/completion/gasan DESTINATION share/bash-completion/completions)
install(FILES packaging/gdb/gasan.py DESTINATION share/gasan/gdb)
configure_file(packaging/gasan.pc.in ${CMAKE_BINARY_DIR}/share/pkgconfig/gasan.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/share/pkgconfig/gasan.pc DESTINATION share/pkgconfig)
install(FILES packaging/gasan-clang++.1 packaging/gasan-nvcc.1 packaging/gasan-clang.1 packaging/gasan.1 DESTINATION share/man/man1)

set(CPACK_GENERATOR DEB TXZ)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGE_FILE_NAME gasan-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_PACKAGE_CONTACT "gasan maintainers <maintainers@localhost.localdomain>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "AddressSanitizer for CUDA kernels")
set(CPACK_PACKAGE_DESCRIPTION_FILE ${CMAKE_SOURCE_DIR}/packaging/description.txt)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/complete_stage.cmake)
# The script refuses programs and libraries that contain one of these texts.
set(CPACK_GASAN_FOREIGN_PATHS ${CMAKE_SOURCE_DIR}/ ${CMAKE_BINARY_DIR}/ ${GASAN_CACHE}/)
if(NOT GASAN_CUDA_PATH MATCHES "^/usr/local/cuda")
  list(APPEND CPACK_GASAN_FOREIGN_PATHS ${GASAN_CUDA_PATH})
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# The pass is a plugin of clang 22. The driver also runs ld.lld, llvm-link and llvm-ar.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-22 (>= 1:22.1), lld-22 (>= 1:22.1), llvm-22 (>= 1:22.1)")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For -fsanitize=address,gpu-address, and for -Xcompiler -fopenmp.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libclang-rt-22-dev, libomp-22-dev")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/triggers ${CMAKE_SOURCE_DIR}/packaging/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
