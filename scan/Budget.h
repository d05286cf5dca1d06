/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The CPU time of the analysis. Other processes do not change verdicts, as they would with a wall clock.
#ifndef GASAN_SCAN_BUDGET_H
#define GASAN_SCAN_BUDGET_H

#include <cstdint>
#include <ctime>
#include <sys/resource.h>

namespace gasan::scan {

// In milliseconds, of this process.
inline int64_t cpuTime() {
  return int64_t(clock()) * 1000 / CLOCKS_PER_SEC;
}

// The same for the compilers, which have ended.
inline int64_t childTime() {
  rusage Used = {};
  getrusage(RUSAGE_CHILDREN, &Used);
  return int64_t(Used.ru_utime.tv_sec + Used.ru_stime.tv_sec) * 1000 +
         (Used.ru_utime.tv_usec + Used.ru_stime.tv_usec) / 1000;
}

// Each step of the analysis may use a part of the time that the steps before it left.
class Budget {
public:
  explicit Budget(int64_t Milliseconds) : End(cpuTime() + Milliseconds) {}
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
