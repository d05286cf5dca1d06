/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The steps that retargeting is made of, in the order in which Retarget.cpp takes them.
#ifndef GASAN_PASS_RETARGET_STEPS_H
#define GASAN_PASS_RETARGET_STEPS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <optional>
#include <string>

namespace gasan {

struct Kernel {
  llvm::Function *Body;
  std::string Name; // as the host registers it
  uint64_t StaticShared = 0;
  uint64_t DynamicSharedOffset = 0;
  unsigned MaxThreads = 0; // __launch_bounds__; 0: none
};

struct Variable {
  llvm::GlobalVariable *Global;
  std::string Name;
};

// What the module has for the host. Collected first, while the module still looks like NVPTX.
struct Image {
  unsigned Arch = 0; // 80 for sm_80
  bool HostChecks = false;
  unsigned ShadowScale = 0; // of the checks; 0: they need no shadow, or there are none
  bool Bounds = false;      // they compare bounds
  bool Tags = false;        // -fsanitize-gpu-address-tags
  llvm::SmallVector<Kernel, 16> Kernels;
  llvm::SmallVector<Variable, 16> Variables;
};

// Collect.cpp
bool isDeviceModule(const llvm::Module &M);
Image collectImage(llvm::Module &M);

// Attributes.cpp: removes what held for a GPU thread only: target, calling conventions, and attributes that say that a
// function reads no memory or always returns (reading %tid is a load now, and a call may end the thread).
void adaptAttributes(llvm::Module &M);
// Atomics' and fences' scopes of CUDA become the system's.
void widenSyncScopes(llvm::Module &M);

// Unsupported.cpp: what to do where the code needs something that the CPU device does not have: an error, or, if that
// was asked for, a warning, and an end of the launch when the code is run. Silent in code that no kernel reaches.
class Unsupported {
public:
  Unsupported(llvm::Module &M, llvm::ArrayRef<Kernel> Kernels);
  // Replaces the call.
  void replace(llvm::CallInst &Call, const llvm::Twine &What) const;

private:
  llvm::SmallPtrSet<const llvm::Function *, 32> Reached;
};

// InlineAsm.cpp: replaces inline PTX by calls of intrinsics and helpers.
void lowerInlineAsm(llvm::Module &M, const llvm::Module &Helpers, const Unsupported &Policy);

// Intrinsics.cpp: replaces llvm.nvvm.* by instructions or calls of helpers.
void lowerIntrinsics(llvm::Module &M, const llvm::Module &Helpers, unsigned Arch, const Unsupported &Policy);

// PtxMatrix.cpp: what names of instructions and intrinsics say about matrices, in the terms of device/cpu/matrix.h.
struct MatrixShape {
  unsigned M = 0, N = 0, K = 0;
};
std::optional<unsigned> matrixType(llvm::StringRef Name);
std::optional<MatrixShape> matrixShape(llvm::StringRef Name);
llvm::AllocaInst *createMatrixSlot(llvm::IRBuilderBase &AtEntry);
// Matrix.cpp: replaces calls of llvm.nvvm.wmma.* by helpers. False if the intrinsic is not known.
bool lowerWmma(llvm::StringRef Name, llvm::ArrayRef<llvm::CallInst *> Calls, const llvm::Module &Helpers);

// LibraryCalls.cpp: device functions that the CUDA runtime provides (vprintf, malloc, ...) become the engine's.
void redirectLibraryCalls(llvm::Module &M);

// SharedMemory.cpp: lays static __shared__ variables out for each kernel and replaces their uses.
void placeSharedMemory(llvm::Module &M, Image &Device);

// Unresolved.cpp: gives what the module only declares a definition that fails at run time.
void resolveDeclarations(llvm::Module &M);

// Arithmetic.cpp: what traps or is undefined on x86 but not on a GPU.
void guardArithmetic(llvm::Module &M);
// A floating-point value as an integer of `Type`, as PTX converts it.
llvm::Value *castToInteger(llvm::IRBuilderBase &Builder, llvm::Value *Value, llvm::Type *Type, bool Signed);

// Flush.cpp: functions compiled with -fgpu-flush-denormals-to-zero compute floats without subnormals.
void flushSubnormals(llvm::Module &M);

// Waiting.cpp: lets other threads run in loops that may wait for them.
void insertPolls(llvm::Module &M);
// The functions that may wait for another thread of the block, by themselves or through calls. Calls of them keep their
// frames.
llvm::SmallPtrSet<llvm::Function *, 16> findWaitingFunctions(llvm::Module &M);
// Those that may ask which lanes are active. The engine tells lanes apart by where they ask from, so these are inlined
// up to the kernel, at -O0 too.
llvm::SmallPtrSet<llvm::Function *, 16> inlineActiveMaskFunctions(llvm::Module &M);

// Visibility.cpp
void hideSymbols(llvm::Module &M);
void linkHelpers(llvm::Module &M, std::unique_ptr<llvm::Module> Helpers);
// Helpers that were linked for later steps, which did not need them.
void removeUnusedHelpers(llvm::Module &M);

// HostChecks.cpp: in the oracle build the host's AddressSanitizer is to check what -gasan-prepare has marked.
bool wantsHostChecks(const llvm::Module &M);
void markForHostChecks(llvm::Module &M);

// Entries.cpp: thread and block entries of each kernel.
struct KernelEntries {
  llvm::Function *Thread;
  llvm::Function *Block; // null: the kernel may wait
  bool UsesActiveMask = false;
};
KernelEntries createEntries(llvm::Module &M, const Kernel &K, bool MayWait);

// ImageTables.cpp: the tables of device/cpu/image.h and the constructor that registers them.
void emitImage(llvm::Module &M, const Image &Device, llvm::ArrayRef<KernelEntries> Entries, llvm::StringRef Id);

// Support.cpp
// Warns at `At`'s source line that the CPU device does not have `What`.
void warnUnsupported(const llvm::Instruction &At, const llvm::Twine &What);
// Before `At`: a call that ends the launch with an error naming `What`.
void callUnsupported(llvm::Instruction &At, llvm::StringRef What);
// A call of a helper, with each argument converted to the parameter's type. The helper is declared in `M` if needed.
llvm::CallInst *callHelper(llvm::IRBuilderBase &Builder, const llvm::Function &Helper,
                           llvm::ArrayRef<llvm::Value *> Arguments);
// `Value` as `Type`: bit casts and address space casts only; the sizes are equal.
llvm::Value *convertBits(llvm::IRBuilderBase &Builder, llvm::Value *Value, llvm::Type *Type);
// Places the builder where calls go whose result is the same everywhere in the function.
void moveToEntry(llvm::IRBuilderBase &Builder, llvm::Function &F);

} // namespace gasan

#endif
