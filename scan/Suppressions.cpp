/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "scan/Suppressions.h"
#include "scan/Print.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/MemoryBuffer.h"

extern "C" {
#include "document/writers.h"
}

using namespace llvm;

namespace gasan::scan {

static const char *const kTypes[] = {
    "kernel", "fun", "file", "alloc", "leak",
#define GASAN_KIND(id, name) name,
#include "gasan_rt/report/kinds.inc"
#undef GASAN_KIND
};

bool matchesPattern(StringRef Pattern, StringRef Text) {
  const bool FromBegin = Pattern.consume_front("^"), ToEnd = Pattern.consume_back("$");
  SmallVector<StringRef, 4> Parts;
  Pattern.split(Parts, '*');
  size_t At = 0;
  for (size_t I = 0; I < Parts.size(); I++) {
    const bool First = I == 0 && FromBegin, Last = I + 1 == Parts.size() && ToEnd;
    if (First && !Text.starts_with(Parts[I]))
      return false;
    if (Last) // a later place may match, too
      return Text.size() >= At + Parts[I].size() && Text.ends_with(Parts[I]) &&
             (!First || Text.size() == Parts[I].size());
    const size_t Found = First ? 0 : Text.find(Parts[I], At);
    if (Found == StringRef::npos)
      return false;
    At = Found + Parts[I].size();
  }
  return true;
}

bool Suppressions::read(const std::string &Path, std::string &Message) {
  auto Text = MemoryBuffer::getFile(Path);
  if (!Text) {
    Message = "cannot read " + Path + ": " + Text.getError().message();
    return false;
  }
  unsigned Number = 0;
  for (StringRef Line : split((*Text)->getBuffer(), '\n')) {
    Number++;
    Line = Line.trim();
    if (Line.empty() || Line.starts_with("#"))
      continue;
    const auto [Type, Pattern] = Line.split(':');
    if (!is_contained(kTypes, Type) || Pattern.empty()) {
      Message = Path + ": line " + std::to_string(Number) +
                " has no type of suppressions; write TYPE:PATTERN with the type kernel, fun, file, alloc or leak, or "
                "with a kind of error, for example heap-buffer-overflow";
      return false;
    }
    Rules.push_back({Type.str(), Pattern.str()});
  }
  return true;
}

std::string Suppressions::find(const Verdicts &V) const {
  const std::string Kernel = V.Kernel.empty() ? "" : demangle(V.Kernel), Kind = kindOf(V);
  for (const Rule &R : Rules) {
    auto matches = [&](const std::string &Text) { return !Text.empty() && matchesPattern(R.Pattern, Text); };
    const bool OfKind = R.Type == Kind, Leak = V.Kind == Problem::Leak;
    bool Found = (R.Type == "kernel" || OfKind) && matches(Kernel);
    for (const Place &P : V.Stack)
      Found |= ((R.Type == "fun" || OfKind || (R.Type == "leak" && Leak)) && matches(P.Function)) ||
               ((R.Type == "file" || OfKind) && matches(P.File));
    if (R.Type == "alloc" && V.Root)
      Found |= matches(V.Root->Allocated.Function);
    if (Found)
      return R.Type + ":" + R.Pattern;
  }
  return "";
}

bool markKnown(std::vector<Verdicts> &All, const std::string &Path, std::string &Message) {
  auto Text = MemoryBuffer::getFile(Path);
  char Why[256] = "";
  gasan_document Known = {}, Mine = {};
  if (!Text || !gasan_read_json(&Known, (*Text)->getBufferStart(), (*Text)->getBufferSize(), Why, sizeof Why)) {
    Message = "cannot read " + Path + ": " + (Text ? std::string(Why) : Text.getError().message());
    return false;
  }
  std::map<const gasan_doc_report *, std::vector<Verdicts *>> Owners;
  for (Verdicts &V : All)
    if (V.Result == Finding::Possible)
      Owners[gasan_doc_add_report(&Mine, createReport(V))].push_back(&V);
  gasan_doc_leave_out_known(&Mine, &Known);
  std::set<const gasan_doc_report *> New;
  for (const gasan_doc_report *R = Mine.reports; R; R = R->next)
    New.insert(R);
  for (auto &[Report, Verdicts] : Owners)
    if (!New.count(Report))
      for (auto *V : Verdicts)
        V->Known = "in " + Path;
  gasan_doc_free(&Mine);
  gasan_doc_free(&Known);
  return true;
}

} // namespace gasan::scan
