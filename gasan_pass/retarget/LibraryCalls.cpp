// Functions that CUDA's device runtime provides and that the engine or a helper provides here.
#include "gasan_pass/retarget/Steps.h"

using namespace llvm;

namespace gasan {

namespace {

struct Redirection {
  const char *From, *To;
};

constexpr Redirection kRedirections[] = {
    {"vprintf", "gasan_cpu_vprintf"},          {"malloc", "gasan_cpu_malloc"}, {"free", "gasan_cpu_free"},
    {"__assertfail", "gasan_cpu_assert_fail"}, {"_Z3nanPKc", "gasan_nan"},     {"_ZL3nanPKc", "gasan_nan"},
};

} // namespace

void redirectLibraryCalls(Module &M) {
  for (const Redirection &R : kRedirections) {
    Function *From = M.getFunction(R.From);
    if (!From || !From->isDeclaration())
      continue;
    FunctionCallee To = M.getOrInsertFunction(R.To, From->getFunctionType());
    From->replaceAllUsesWith(To.getCallee());
    From->eraseFromParent();
  }
}

} // namespace gasan
