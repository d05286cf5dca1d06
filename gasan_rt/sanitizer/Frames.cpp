// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints stacks: host stacks from the depot, device frames, and the SUMMARY line that names one frame.
#include "gasan_rt/python/python.h"
#include "gasan_rt/sanitizer/SanitizerInternal.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#include "sanitizer_common/sanitizer_flags.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_stackdepot.h"
#include "sanitizer_common/sanitizer_stacktrace.h"
#include "sanitizer_common/sanitizer_stacktrace_printer.h"

using namespace gasan;

static void printFrame(const char *Format, int Number, const AddressInfo &Info) {
  InternalScopedString Text;
  observeFrame(Info);
  StackTracePrinter::GetOrInit()->RenderFrame(&Text, Format, Number, Info.address, &Info,
                                              common_flags()->symbolize_vs_style, common_flags()->strip_path_prefix);
  if (Text.length() == 0)
    return;
  Text.Append("\n");
  writeReport(Text.data());
}

const char *gasan_file_name(const char *File) {
  return StripPathPrefix(File, common_flags()->strip_path_prefix);
}

Symbolizer *gasan::freshSymbolizer() {
  Symbolizer *Current = Symbolizer::GetOrInit();
  Current->InvalidateModuleList();
  return Current;
}

bool gasan::isLaunchStub(const AddressInfo &Info) {
  return Info.function && internal_strstr(Info.function, "__device_stub__");
}

/// Returns true for libcudart's own functions, which have no names for users: between a call of the driver API and the
/// call of the runtime API that made it.
static bool isInsideCudart(const AddressInfo &Info) {
  if (Info.function)
    return internal_strncmp(Info.function, "libcudart_static_", 17) == 0;
  return Info.module && internal_strncmp(StripModuleName(Info.module), "libcudart.so", 12) == 0;
}

/// Returns true for the runtime API's functions in libcudart, wherever it is linked, and for the templates and launches
/// of its headers in code from nvcc, which is in a temporary file for the debug info.
static bool isCudart(const AddressInfo &Info) {
  if (isInsideCudart(Info))
    return true;
  bool IsUser = Info.file && !internal_strstr(Info.file, ".cudafe1.");
  return Info.function && !IsUser &&
         (internal_strncmp(Info.function, "cuda", 4) == 0 || internal_strncmp(Info.function, "__cuda", 6) == 0);
}

/// Prints the frames of the return address Pc, with inlined functions. Returns the next frame's number.
static int printCodeFrames(Symbolizer *Source, uptr ReturnPc, int Number) {
  const char *Format = common_flags()->stack_trace_format;
  uptr Pc = StackTrace::GetPreviousInstructionPc(ReturnPc);
  bool Symbolize = StackTracePrinter::GetOrInit()->RenderNeedsSymbolization(Format);
  SymbolizedStackHolder Frames(Symbolize ? Source->SymbolizePC(Pc) : SymbolizedStack::New(Pc));
  for (const SymbolizedStack *Frame = Frames.get(); Frame; Frame = Frame->next)
    if (!isLaunchStub(Frame->info) && !isInsideCudart(Frame->info))
      printFrame(Format, Number++, Frame->info);
  return Number;
}

/// Prints the frames of a word of a stack. Returns the next frame's number.
static int printHostFrames(Symbolizer *Source, uptr Word, int Number) {
  if (u32 LeftOut = leftOutFrames(Word)) {
    gasan_printf("    ... %u more frames of C code\n", LeftOut);
    return Number;
  }
  const gasan_python_frame *Python = gasan_python_find(Word);
  if (!Python)
    return printCodeFrames(Source, Word, Number);
  gasan_frame_print(Number, Python->function, Python->file, Python->line, 0);
  return Number + 1;
}

/// Prints the frame of the API function that the program called, under its API name.
static void printApiFrame(Symbolizer *Source, const char *Api, uptr ReturnPc, int Number) {
  AddressInfo Info;
  Info.address = StackTrace::GetPreviousInstructionPc(ReturnPc);
  Info.function = const_cast<char *>(Api);
  const char *Module = nullptr;
  if (Source->GetModuleNameAndOffsetForPC(Info.address, &Module, &Info.module_offset))
    Info.module = const_cast<char *>(StripModuleName(Module));
  printFrame(common_flags()->stack_trace_format, Number, Info);
}

int gasan_stack_print(uint32_t stack, int first_number, bool with_api) {
  initialize();
  ReportLock Lock;
  StackTrace Stored = StackDepotGet(stack);
  Symbolizer *Source = freshSymbolizer();
  int Number = first_number;
  if (with_api && Stored.size > StackApiFrame)
    printApiFrame(Source, reinterpret_cast<const char *>(Stored.trace[StackApiName]), Stored.trace[StackApiFrame],
                  Number++);
  for (u32 I = StackFirstUserFrame; I < Stored.size; ++I)
    Number = printHostFrames(Source, Stored.trace[I], Number);
  if (Number == first_number)
    writeReport("    <empty stack>\n");
  return Number;
}

static bool isEmpty(const char *Text) {
  return !Text || !*Text;
}

static AddressInfo deviceInfo(const char *Function, const char *File, int Line, int Column) {
  AddressInfo Info;
  Info.function = const_cast<char *>(Function);
  Info.file = isEmpty(File) ? nullptr : const_cast<char *>(File);
  Info.line = Line;
  Info.column = Column;
  return Info;
}

/// Appends the format without "%p ", because device code has no address here. In the default format, the "in" that
/// follows an address is omitted, too.
static void appendDeviceFormat(InternalScopedString *Text, const char *Format, bool FileKnown) {
  if (internal_strcmp(Format, "DEFAULT") == 0) {
    Text->Append(FileKnown ? "    #%n %f %L" : "    #%n %f");
    return;
  }
  while (*Format) {
    if (Format[0] == '%' && Format[1] == 'p') {
      Format += Format[2] == ' ' ? 3 : 2;
      continue;
    }
    // Copy "%%" as one, so that "%%p" is not taken for an address.
    uptr Length = Format[0] == '%' && Format[1] ? 2 : 1;
    Text->AppendF("%.*s", static_cast<int>(Length), Format);
    Format += Length;
  }
}

void gasan_frame_print(int number, const char *function, const char *file, int line, int column) {
  initialize();
  ReportLock Lock;
  InternalScopedString Format;
  appendDeviceFormat(&Format, common_flags()->stack_trace_format, !isEmpty(file));
  printFrame(Format.data(), number, deviceInfo(function, file, line, column));
}

void gasan_report_summary(const char *kind, const char *file, int line, int column, const char *function) {
  initialize();
  ReportLock Lock;
  if (isEmpty(file)) {
    writeSummary(kind, nullptr);
  } else {
    const AddressInfo Info = deviceInfo(function, file, line, column);
    writeSummary(kind, &Info);
  }
}

/// Returns true for a frame of the program: not a launch stub, and not a template of the C++ library or the CUDA
/// headers.
static bool isProgramFrame(const SymbolizedStack *Frame) {
  const char *File = Frame->info.file;
  return !isLaunchStub(Frame->info) && !isCudart(Frame->info) &&
         !(File && internal_strcmp(StripModuleName(File), "cuda_runtime.h") == 0) && SkipInternalFrames(Frame) == Frame;
}

/// Returns true for a file of the program, not one of an installed package or of the interpreter.
static bool isProgramFile(const char *File) {
  return File[0] != '<' && !internal_strstr(File, "-packages/") && !internal_strstr(File, "/lib/python3");
}

/// Returns the innermost Python frame of the program, else the innermost of all; null: there is none.
static const gasan_python_frame *pythonFrameFor(const StackTrace &Stored) {
  const gasan_python_frame *Innermost = nullptr;
  for (u32 I = StackFirstUserFrame; I < Stored.size; ++I) {
    const gasan_python_frame *Frame = leftOutFrames(Stored.trace[I]) ? nullptr : gasan_python_find(Stored.trace[I]);
    if (Frame && isProgramFile(Frame->file))
      return Frame;
    if (!Innermost)
      Innermost = Frame;
  }
  return Innermost;
}

/// Calls Visit with the frame of a host stack that names the report; with null if there is none.
template <typename Visitor>
static void visitSummaryFrame(uint32_t Stack, Visitor Visit) {
  StackTrace Stored = StackDepotGet(Stack);
  if (const gasan_python_frame *Python = pythonFrameFor(Stored)) {
    const AddressInfo Info = deviceInfo(Python->function, Python->file, Python->line, 0);
    Visit(&Info);
    return;
  }
  Symbolizer *Source = freshSymbolizer();
  for (u32 I = StackFirstUserFrame; I < Stored.size; ++I) {
    uptr Pc = StackTrace::GetPreviousInstructionPc(Stored.trace[I]);
    SymbolizedStackHolder Frames(Source->SymbolizePC(Pc));
    for (const SymbolizedStack *Frame = Frames.get(); Frame; Frame = Frame->next) {
      if (isProgramFrame(Frame)) {
        Visit(&Frame->info);
        return;
      }
    }
  }
  Visit(nullptr);
}

void gasan_report_summary_stack(const char *kind, uint32_t stack) {
  initialize();
  ReportLock Lock;
  visitSummaryFrame(stack, [&](const AddressInfo *Info) { writeSummary(kind, Info); });
}

void gasan_stack_visit_summary(uint32_t stack, void (*visit)(const char *file, int line, int column)) {
  initialize();
  ReportLock Lock;
  visitSummaryFrame(stack, [&](const AddressInfo *Info) {
    if (Info && Info->file)
      visit(Info->file, Info->line, Info->column);
  });
}

/// Returns true for the entry function that the retargeting pass creates for a kernel
/// (gasan_pass/retarget/Entries.cpp). Frames further out belong to gasan.
static bool isKernelEntry(const AddressInfo &Info) {
  return Info.function && (internal_strncmp(Info.function, "gasan.thread.", 13) == 0 ||
                           internal_strncmp(Info.function, "gasan.block.", 12) == 0);
}

/// Returns true for the pass's function for one thread, which is inlined into the function for a block. It has the
/// kernel's name and line, but no column.
static bool isInlinedEntry(const SymbolizedStack *Frame, const char *Before) {
  return Before && Frame->info.function && internal_strcmp(Before, Frame->info.function) == 0 && !Frame->info.column &&
         Frame->next && isKernelEntry(Frame->next->info);
}

/// Calls Visit with each device frame of the stack, innermost first, until it returns false.
template <typename Visitor>
static void visitDeviceFrames(const uintptr_t *Pcs, size_t Count, Visitor Visit) {
  Symbolizer *Source = freshSymbolizer();
  for (size_t I = 0; I < Count; ++I) {
    uptr Pc = StackTrace::GetPreviousInstructionPc(Pcs[I]);
    if (isOwnCode(Pc))
      continue;
    SymbolizedStackHolder Frames(Source->SymbolizePC(Pc));
    const char *Before = nullptr;
    for (const SymbolizedStack *Frame = Frames.get(); Frame; Frame = Frame->next) {
      if (isKernelEntry(Frame->info) || isInlinedEntry(Frame, Before) || !Visit(Frame->info))
        return;
      Before = Frame->info.function;
    }
  }
}

int gasan_device_stack_print(const uintptr_t *pcs, size_t count, int first_number) {
  initialize();
  ReportLock Lock;
  int Number = first_number;
  visitDeviceFrames(pcs, count, [&](const AddressInfo &Info) {
    gasan_frame_print(Number++, Info.function ? Info.function : "<unknown>", Info.file, Info.line, Info.column);
    return true;
  });
  return Number;
}

void gasan_report_summary_device_stack(const char *kind, const uintptr_t *pcs, size_t count,
                                       bool (*skip)(const char *file)) {
  initialize();
  ReportLock Lock;
  bool Printed = false;
  visitDeviceFrames(pcs, count, [&](const AddressInfo &Info) {
    if (!Info.file || skip(Info.file))
      return true;
    gasan_report_summary(kind, Info.file, Info.line, Info.column, Info.function);
    Printed = true;
    return false;
  });
  if (!Printed)
    writeSummary(kind, nullptr);
}
