/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The CPU time of the analysis. Other processes do not change verdicts, as they would with a wall clock.
#ifndef GASAN_SCAN_BUDGET_H
#define GASAN_SCAN_BUDGET_H

#include <cstdint>
#include <ctime>

namespace gasan::scan {

// In milliseconds, of this process.
inline int64_t cpuTime() {
  return int64_t(clock()) * 1000 / CLOCKS_PER_SEC;
}

// Each step of the analysis may use a part of the time that the steps before it left.
class Budget {
public:
  explicit Budget(unsigned Seconds) : End(cpuTime() + int64_t(Seconds) * 1000) {}
  // Returns the time at which a step must end.
  int64_t after(unsigned Percent) const {
    const int64_t Now = cpuTime();
    return Now + (End > Now ? (End - Now) * Percent / 100 : 0);
  }

private:
  int64_t End;
};

} // namespace gasan::scan

#endif
