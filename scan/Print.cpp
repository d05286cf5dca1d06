/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Print.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/raw_ostream.h"

extern "C" {
#include "document/document.h"
}

using namespace llvm;

namespace gasan::scan {

Totals countVerdicts(const std::vector<Verdicts> &All) {
  Totals Result;
  for (const Verdicts &V : All)
    switch (V.Result) {
    case Finding::Proven:
      Result.Proven++;
      break;
    case Finding::ProvenWithoutWrap:
      Result.WithoutWrap++;
      break;
    case Finding::Undecided:
      Result.Unknown++;
      break;
    case Finding::Possible:
      (V.Known.empty() ? Result.Possible : Result.Known)++;
      break;
    }
  return Result;
}

std::string placeText(const Place &P) {
  if (!P.isKnown())
    return "(no line)";
  return P.File + ":" + std::to_string(P.Line) + (P.Column ? ":" + std::to_string(P.Column) : "");
}

static std::string functionOf(const Verdicts &V) {
  return V.Kernel.empty() ? V.Function : demangle(V.Kernel);
}

static std::string accessOf(const Verdicts &V) {
  switch (V.Kind) {
  case Problem::CopySource:
    return V.Api + " reads";
  case Problem::CopyTarget:
    return V.Api + " writes";
  case Problem::DoubleFree:
  case Problem::InvalidFree:
    return V.Api;
  case Problem::Leak:
    return "allocation";
  default:
    return V.Operation;
  }
}

std::string kindOf(const Verdicts &V) {
  switch (V.Kind) {
  case Problem::UseAfterFree:
    return "heap-use-after-free";
  case Problem::DoubleFree:
    return "double-free";
  case Problem::InvalidFree:
    return "bad-free";
  case Problem::Leak:
    return "memory-leak";
  case Problem::Field:
    return "intra-object-overflow";
  default:
    break;
  }
  switch (V.Root ? V.Root->Where : Space::Unknown) {
  case Space::Shared:
    return "shared-buffer-overflow";
  case Space::DynamicShared:
    return "shared-buffer-overflow";
  case Space::Local:
  case Space::Host:
    return "stack-buffer-overflow";
  case Space::DeviceVariable:
  case Space::HostVariable:
    return "global-buffer-overflow";
  default:
    return "heap-buffer-overflow";
  }
}

std::string describeVerdict(const Verdicts &V) {
  std::string Result = placeText(V.Where) + ": " + accessOf(V) + " in " + functionOf(V) + ": ";
  switch (V.Result) {
  case Finding::Proven:
    return Result + "proven";
  case Finding::ProvenWithoutWrap:
    return Result + "proven, if no signed integer overflows";
  case Finding::Undecided:
    return Result + "unknown (" + V.Reason + ")";
  default:
    return Result + "possible " + kindOf(V) + (V.Known.empty() ? "" : " (" + V.Known + ")");
  }
}

static std::string three(const uint64_t *Numbers) {
  return "(" + std::to_string(Numbers[0]) + "," + std::to_string(Numbers[1]) + "," + std::to_string(Numbers[2]) + ")";
}

// "for n = 17, argv[1] is "small""
static std::string inputsOf(const Verdicts &V) {
  std::string Result, Not;
  for (const Setting &S : V.Values.Inputs)
    if (!S.IsCondition)
      Result += (Result.empty() ? "for " : ", ") + S.Name + " = " + std::to_string(S.Number);
    else if (S.Number)
      Result += (Result.empty() ? "for " : ", ") + S.Name;
    else if (Not.empty())
      Not = "unless " + S.Name;
  if (Result.empty())
    Result = Not;
  return Result.empty() ? "for each input" : Result;
}

static std::string memoryOf(const Verdicts &V) {
  std::string Result = V.Root->Name.empty() ? "memory" : "'" + V.Root->Name + "'";
  const char *Kind = nullptr;
  switch (V.Root->Where) {
  case Space::Shared:
    Kind = "shared variable ";
    break;
  case Space::DynamicShared:
    Kind = "dynamic shared memory ";
    break;
  case Space::Local:
    Kind = "local variable ";
    break;
  case Space::DeviceVariable:
    Kind = "global variable ";
    break;
  default:
    Kind = "";
  }
  return Kind + Result;
}

// Returns the part of the memory that the access leaves.
static std::string partOf(const Verdicts &V) {
  return V.Part.empty()             ? memoryOf(V)
         : V.Kind == Problem::Field ? "field '" + V.Part + "' of " + memoryOf(V)
                                    : "'" + V.Part + "', a part of " + memoryOf(V);
}

static std::string sizeOf(const Verdicts &V) {
  return std::to_string(V.Values.Size) + "-byte ";
}

static std::string relationOf(const Verdicts &V) {
  const Witness &W = V.Values;
  if (W.Below)
    return std::to_string(-W.Offset) + " bytes before " + sizeOf(V) + partOf(V);
  if (W.Offset >= W.Size)
    return std::to_string(W.Offset - W.Size) + " bytes after " + sizeOf(V) + partOf(V);
  return std::to_string(W.Offset) + " bytes inside of " + sizeOf(V) + partOf(V);
}

std::string reportText(const Verdicts &V) {
  std::string Text;
  raw_string_ostream Out(Text);
  const std::string Line = "=================================================================\n";
  Out << Line << "==gasan-scan==ERROR: possible " << kindOf(V) << " " << inputsOf(V) << "\n";
  const bool Access = V.Kind != Problem::DoubleFree && V.Kind != Problem::InvalidFree && V.Kind != Problem::Leak;
  if (Access) {
    Out << StringRef(V.Operation).upper() << " of size " << V.Bytes << " " << relationOf(V);
    if (!V.Api.empty())
      Out << ", by " << V.Api;
    else
      Out << ", by thread " << three(V.Values.Thread) << " in block " << three(V.Values.BlockIndex);
    Out << "\n";
  } else {
    Out << "of " << (V.Kind == Problem::Leak ? sizeOf(V) : "") << memoryOf(V) << "\n";
  }
  unsigned Frame = 0;
  for (const Place &P : V.Stack)
    Out << "    #" << Frame++ << " in " << P.Function << " " << placeText(P) << "\n";
  if (V.Launched.isKnown())
    Out << "  launched with grid " << three(V.Values.Grid) << " and block " << three(V.Values.Block)
        << (V.Values.SharedBytes ? " and " + std::to_string(V.Values.SharedBytes) + " bytes of dynamic shared memory"
                                 : "")
        << " at " << placeText(V.Launched) << "\n";
  if (V.Root && V.Root->Allocated.isKnown())
    Out << "  " << memoryOf(V) << (V.Root->Api ? std::string(" was allocated by ") + V.Root->Api : " is declared")
        << " at " << placeText(V.Root->Allocated) << "\n";
  if ((V.Kind == Problem::UseAfterFree || V.Kind == Problem::DoubleFree) && V.Freed.isKnown())
    Out << "  freed at " << placeText(V.Freed) << "\n";
  if (V.Lost.isKnown())
    Out << "  no pointer to it is left behind the call at " << placeText(V.Lost) << "\n";
  Out << "SUMMARY: gasan-scan: possible " << kindOf(V) << " " << placeText(V.Where) << " in " << functionOf(V) << "\n";
  return Text;
}

static const char *keep(gasan_doc_report *Report, const std::string &Text) {
  return gasan_arena_copy(&Report->arena, Text.c_str());
}

static void addFrame(gasan_doc_report *Report, gasan_doc_stack *Stack, const Place &P) {
  if (!P.isKnown())
    return;
  gasan_doc_frame *Frame = gasan_doc_add_frame(Report, Stack);
  Frame->function = keep(Report, P.Function);
  Frame->file = keep(Report, P.File);
  Frame->line = P.Line;
  Frame->column = P.Column;
}

gasan_doc_report *createReport(const Verdicts &V) {
  gasan_doc_report *Report = gasan_doc_create_report();
  Report->kind = keep(Report, kindOf(V));
  Report->title = keep(Report, "possible " + kindOf(V) + " " + inputsOf(V));
  Report->text = keep(Report, reportText(V));
  Report->operation = keep(Report, V.Operation == "atomic" ? "write" : V.Operation.empty() ? "free" : V.Operation);
  if (!V.Api.empty())
    Report->api = keep(Report, V.Api);
  Report->has_size = Report->has_access = V.Bytes != 0;
  Report->size = V.Bytes;
  gasan_doc_stack *Access = gasan_doc_add_stack(Report, GASAN_DOC_ACCESS);
  for (const Place &P : V.Stack)
    addFrame(Report, Access, P);
  if (Access->frames)
    Report->location = *Access->frames;
  if (V.Launched.isKnown()) {
    Access->has_device_thread = true;
    gasan_doc_stack *Launch = gasan_doc_add_stack(Report, GASAN_DOC_LAUNCH);
    Launch->has_shape = true;
    Launch->kernel = keep(Report, demangle(V.Kernel));
    for (unsigned D = 0; D < 3; D++) {
      Access->thread[D] = uint32_t(V.Values.Thread[D]);
      Access->block[D] = uint32_t(V.Values.BlockIndex[D]);
      Launch->grid_dim[D] = uint32_t(V.Values.Grid[D]);
      Launch->block_dim[D] = uint32_t(V.Values.Block[D]);
    }
    addFrame(Report, Launch, V.Launched);
  }
  if (V.Root && V.Root->Allocated.isKnown())
    addFrame(Report, gasan_doc_add_stack(Report, GASAN_DOC_ALLOCATION), V.Root->Allocated);
  if (V.Freed.isKnown())
    addFrame(Report, gasan_doc_add_stack(Report, GASAN_DOC_FREE), V.Freed);
  if (V.Root) {
    gasan_doc_object *Object = gasan_doc_add_object(Report);
    const std::string &Name = V.Kind == Problem::Field ? V.Part : V.Root->Name;
    Object->type = V.Kind == Problem::Field ? "field" : V.Root->isDeviceHeap() ? "region" : "variable";
    Object->name = Name.empty() ? nullptr : keep(Report, Name);
    Object->size = V.Values.Size;
    Object->unit = "bytes";
    const Witness &W = V.Values;
    Object->relation = W.Below ? "before" : W.Offset >= W.Size ? "after" : "inside of";
    Object->distance = W.Below ? -W.Offset : W.Offset >= W.Size ? W.Offset - W.Size : W.Offset;
  }
  return Report;
}

} // namespace gasan::scan
