/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Possible errors that the user knows: a suppressions file, with the lines of the runtime's (docs/options.md), and a
// baseline, which is an earlier JSON file.
#ifndef GASAN_SCAN_SUPPRESSIONS_H
#define GASAN_SCAN_SUPPRESSIONS_H

#include "scan/Judge.h"

namespace gasan::scan {

class Suppressions {
public:
  // Reads a file. Returns false and a message that says which line is wrong.
  bool read(const std::string &Path, std::string &Message);
  // Returns the line that suppresses the error; empty: none does.
  std::string find(const Verdicts &V) const;

private:
  struct Rule {
    std::string Type, Pattern;
  };
  std::vector<Rule> Rules;
};

// Returns true if the pattern matches in the text: `*` is any text, `^` and `$` are its begin and end.
bool matchesPattern(llvm::StringRef Pattern, llvm::StringRef Text);

// Sets Known for each possible error that a JSON file has. Returns false and a message if it cannot be read.
bool markKnown(std::vector<Verdicts> &All, const std::string &Path, std::string &Message);

} // namespace gasan::scan

#endif
