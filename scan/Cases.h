/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Proofs by cases. Products and divisions of variables are hard for solvers, and easy if one side is a constant. Many
// programs have sizes like `argc > 1 ? 4096 : 100`: in each of the two cases they are constants.
#ifndef GASAN_SCAN_CASES_H
#define GASAN_SCAN_CASES_H

#include "scan/Expression.h"

namespace gasan::scan {

// Returns a condition that chooses a constant which other numbers are multiplied with or divided by; NULL: there is
// none.
const Node *findChoice(const std::vector<const Node *> &Conditions);

// Returns the conditions in the case that Choice has this value; one false condition: they exclude the case.
std::vector<const Node *> conditionsOfCase(Expressions &Nodes, const std::vector<const Node *> &Conditions,
                                           const Node *Choice, bool Holds);

} // namespace gasan::scan

#endif
