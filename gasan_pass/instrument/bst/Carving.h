// Which views of dynamic shared memory are buffers that end where another view begins (scuba IV-B).
//
//   extern __shared__ float region[];
//   float *left = region, *right = left + n;      left ends where right begins
//
// Views may overlap on purpose. So a view ends another one only if nothing in the kernel says that they do: the rules
// are at Carving.cpp's functions, and each comes from real kernels. The marks overrule them. In a kernel as clang emits
// it only.
#ifndef GASAN_PASS_INSTRUMENT_BST_CARVING_H
#define GASAN_PASS_INSTRUMENT_BST_CARVING_H

#include "gasan_pass/instrument/bst/SourceSums.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

namespace gasan {

// The marks, __attribute__((annotate("..."))), at pointer variables.
constexpr const char *kPartitionMark = "gasan_partition", *kNoPartitionMark = "gasan_no_partition";

bool isDynamicShared(const llvm::GlobalVariable &Variable);
llvm::StringRef markOf(const llvm::IntrinsicInst &Annotation); // "": none

// The buffer that begins with the value of `First` ends with that of `End`, in the same block.
struct CarvedBuffer {
  llvm::StoreInst *First, *End;
};

class Carving {
public:
  explicit Carving(llvm::Function &Kernel) : F(Kernel), Sums(Kernel) {}

  std::vector<CarvedBuffer> find();

private:
  struct View {
    llvm::AllocaInst *Variable;
    llvm::StoreInst *Set;
    Sum Start;        // from the region's beginning, in bytes
    unsigned Stretch; // of code in which nothing else happens
    bool IsMarked;
  };
  struct Use {
    std::optional<Sum> Offset; // from the view's beginning, of what is accessed; none: it is not known
    bool Writes, Clears;       // stores something, or a zero
  };
  struct Limit { // in the code there is `Index < Below`
    Sum Index, Below;
  };

  llvm::Function &F;
  SourceSums Sums;
  std::vector<View> Views;
  std::vector<Limit> Limits;
  llvm::DenseMap<const llvm::AllocaInst *, llvm::StringRef> Marks;

  void collect();
  std::optional<Sum> distanceOf(llvm::Value *Pointer, unsigned Depth = 0);
  void addLimit(llvm::ICmpInst &Comparison);
  std::vector<Use> usesOf(const View &V);
  const View *endOf(const View &V) const;
  bool isBuffer(const View &V, const View &End);
  bool holdsData(const std::vector<Use> &Uses);
  bool goesBeyond(const Use &U, const Sum &Size) const;
};

} // namespace gasan

#endif
