/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Prints verdicts as text, and writes possible errors as a document, which has the formats of gasan's reports.
#ifndef GASAN_SCAN_PRINT_H
#define GASAN_SCAN_PRINT_H

#include "scan/Judge.h"

struct gasan_doc_report;

namespace gasan::scan {

struct Totals {
  unsigned Proven = 0, WithoutWrap = 0, Unknown = 0, Possible = 0, Known = 0;
};

Totals countVerdicts(const std::vector<Verdicts> &All);

// One line: the place, the access and the verdict.
std::string describeVerdict(const Verdicts &V);
std::string placeText(const Place &P);
// The kind of error: "heap-buffer-overflow".
std::string kindOf(const Verdicts &V);
// The whole report, as ASan would print it.
std::string reportText(const Verdicts &V);
// The report as data. The caller owns it.
gasan_doc_report *createReport(const Verdicts &V);

} // namespace gasan::scan

#endif
