/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gives our copy of sanitizer_common its own names. Included first (-include) in each file of this folder and of
 * sanitizer_common.
 *
 * A program may have another copy (-fsanitize=address,gpu-address). Hidden visibility does not separate the two,
 * because sanitizer_common marks its interface as visible: one copy's report would go to the other's log. A test
 * compares this list with the library's definitions. */
#ifndef GASAN_RT_SANITIZER_RENAME_H
#define GASAN_RT_SANITIZER_RENAME_H

#define __sanitizer __gasan_sanitizer

#define __sanitizer_acquire_crash_state gasan_sanitizer_acquire_crash_state
#define __sanitizer_free_hook gasan_sanitizer_free_hook
#define __sanitizer_get_module_and_offset_for_pc gasan_sanitizer_get_module_and_offset_for_pc
#define __sanitizer_get_report_path gasan_sanitizer_get_report_path
#define __sanitizer_ignore_free_hook gasan_sanitizer_ignore_free_hook
#define __sanitizer_install_malloc_and_free_hooks gasan_sanitizer_install_malloc_and_free_hooks
#define __sanitizer_internal_memcpy gasan_sanitizer_internal_memcpy
#define __sanitizer_internal_memmove gasan_sanitizer_internal_memmove
#define __sanitizer_internal_memset gasan_sanitizer_internal_memset
#define __sanitizer_malloc_hook gasan_sanitizer_malloc_hook
#define __sanitizer_on_print gasan_sanitizer_on_print
#define __sanitizer_print_memory_profile gasan_sanitizer_print_memory_profile
#define __sanitizer_report_error_summary gasan_sanitizer_report_error_summary
#define __sanitizer_sandbox_on_notify gasan_sanitizer_sandbox_on_notify
#define __sanitizer_set_death_callback gasan_sanitizer_set_death_callback
#define __sanitizer_set_report_fd gasan_sanitizer_set_report_fd
#define __sanitizer_set_report_path gasan_sanitizer_set_report_path
#define __sanitizer_symbolize_code gasan_sanitizer_symbolize_code
#define __sanitizer_symbolize_data gasan_sanitizer_symbolize_data
#define __sanitizer_symbolize_demangle gasan_sanitizer_symbolize_demangle
#define __sanitizer_symbolize_flush gasan_sanitizer_symbolize_flush
#define __sanitizer_symbolize_frame gasan_sanitizer_symbolize_frame
#define __sanitizer_symbolize_global gasan_sanitizer_symbolize_global
#define __sanitizer_symbolize_pc gasan_sanitizer_symbolize_pc
#define __sanitizer_symbolize_set_demangle gasan_sanitizer_symbolize_set_demangle
#define __sanitizer_symbolize_set_inline_frames gasan_sanitizer_symbolize_set_inline_frames
#define acquire_my_map_info_list gasan_sanitizer_acquire_my_map_info_list
#define real_clock_gettime gasan_sanitizer_real_clock_gettime
#define real_pthread_attr_getstack gasan_sanitizer_real_pthread_attr_getstack
#define release_my_map_info_list gasan_sanitizer_release_my_map_info_list
#define unwind_backtrace_signal_arch gasan_sanitizer_unwind_backtrace_signal_arch

/* sanitizer_common redirects the compiler's memcpy calls (of struct copies) to its own functions, by an asm string,
 * which macros do not reach: it would keep the old names, undefined or another sanitizer's. So its block is
 * disabled, and this one replaces it, except in the file that defines the functions
 * (GASAN_SANITIZER_DEFINES_MEMORY_FUNCTIONS). */
#define SANITIZER_COMMON_NO_REDEFINE_BUILTINS
#ifndef GASAN_SANITIZER_DEFINES_MEMORY_FUNCTIONS
__asm__(".set memcpy, gasan_sanitizer_internal_memcpy\n"
        ".set memmove, gasan_sanitizer_internal_memmove\n"
        ".set memset, gasan_sanitizer_internal_memset\n");
#endif

#endif
