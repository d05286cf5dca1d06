// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the code ranges of modules: stacks omit the frames of our own library, and end before the C library's start
// code.
#include "gasan_rt/sanitizer/SanitizerInternal.h"

#include "sanitizer_common/sanitizer_libc.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>

using namespace gasan;

namespace {

struct CodeRange {
  uptr Begin;
  uptr End;
};

/// The executable segments of a few modules.
class CodeRanges {
public:
  void add(const dl_phdr_info &Module) {
    for (int I = 0; I < Module.dlpi_phnum && Count < Capacity; ++I) {
      const ElfW(Phdr) &Header = Module.dlpi_phdr[I];
      if (Header.p_type == PT_LOAD && (Header.p_flags & PF_X)) {
        uptr Begin = Module.dlpi_addr + Header.p_vaddr;
        Ranges[Count++] = {Begin, Begin + Header.p_memsz};
      }
    }
  }

  bool contains(uptr Pc) const {
    for (int I = 0; I < Count; ++I)
      if (Pc >= Ranges[I].Begin && Pc < Ranges[I].End)
        return true;
    return false;
  }

private:
  static const int Capacity = 16;
  CodeRange Ranges[Capacity];
  int Count;
};

CodeRanges Own, System, Executable;
char OwnPath[PATH_MAX];

bool startsWith(const char *Text, const char *Prefix) {
  return internal_strncmp(Text, Prefix, internal_strlen(Prefix)) == 0;
}

bool isSystemModule(const char *Path) {
  const char *Name = StripModuleName(Path);
  return startsWith(Name, "libc.so") || startsWith(Name, "libc-2") || startsWith(Name, "libpthread") ||
         startsWith(Name, "ld-linux") || startsWith(Name, "ld-2") || startsWith(Name, "ld.so");
}

int noteModule(dl_phdr_info *Module, size_t, void *IsFirst) {
  CodeRanges This = {};
  This.add(*Module);
  bool First = *static_cast<bool *>(IsFirst); // the first module is the executable
  *static_cast<bool *>(IsFirst) = false;
  if (First)
    Executable.add(*Module);
  else if (isSystemModule(Module->dlpi_name))
    System.add(*Module);
  if (This.contains(reinterpret_cast<uptr>(&noteModule))) {
    if (First)
      ReadBinaryName(OwnPath, sizeof OwnPath);
    else if (!realpath(Module->dlpi_name, OwnPath))
      internal_strlcpy(OwnPath, Module->dlpi_name, sizeof OwnPath);
    if (!First)
      Own.add(*Module);
  }
  return 0;
}

} // namespace

void gasan::initializeModules() {
  bool IsFirst = true;
  dl_iterate_phdr(noteModule, &IsFirst);
  if (char *Slash = internal_strrchr(OwnPath, '/'))
    *Slash = '\0';
}

bool gasan::isOwnCode(uptr Pc) {
  return Own.contains(Pc);
}

bool gasan::isSystemCode(uptr Pc) {
  return System.contains(Pc);
}

bool gasan::isExecutableCode(uptr Pc) {
  return Executable.contains(Pc);
}

const char *gasan::ownDirectory() {
  return OwnPath;
}
