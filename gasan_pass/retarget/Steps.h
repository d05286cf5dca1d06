/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Declares the steps of retargeting, in the order of Retarget.cpp.
#ifndef GASAN_PASS_RETARGET_STEPS_H
#define GASAN_PASS_RETARGET_STEPS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
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

// The module's data for the host. It is collected first, while the module is still NVPTX.
struct Image {
  unsigned Arch = 0; // 80 for sm_80
  bool HostChecks = false;
  unsigned ShadowScale = 0; // of the checks; 0: no checks, or checks without shadow
  bool Bounds = false;      // the checks compare bounds
  bool Tags = false;        // -fsanitize-gpu-address-tags
  llvm::SmallVector<Kernel, 16> Kernels;
  llvm::SmallVector<Variable, 16> Variables;
};

// CoverageTables.cpp: completes the coverage for fuzzers (instrument/Coverage.h). Runs after the optimiser.
struct CoverageTablesPass : llvm::PassInfoMixin<CoverageTablesPass> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};
// Returns true for libFuzzer's functions that trace comparisons and calls.
bool isCoverageCallback(const llvm::Function &F);

// Variants.cpp: removes the kernels' variants and the proof table. In a build for both devices, programs run on the
// GPU, and on the CPU device in tests. Three copies of each kernel there would take most of the image's compilation.
void removeVariants(llvm::Module &M);

// Collect.cpp
bool isDeviceModule(const llvm::Module &M);
Image collectImage(llvm::Module &M);
// Removes all code, and so leaves only the variables.
void removeCode(llvm::Module &M, Image &Device);

// Attributes.cpp: removes properties that hold for GPU threads only: the target, calling conventions, and attributes of
// functions that read no memory or always return. (Reading %tid is a load now, and a call may end the thread.)
void adaptAttributes(llvm::Module &M);
// Widens CUDA's scopes of atomics and fences to the system.
void widenSyncScopes(llvm::Module &M);

// Unsupported.cpp: replaces code that the CPU device does not support. Such code is an error. By option, it is a
// warning instead, and ends the launch when it runs. Code that no kernel reaches is replaced silently.
class Unsupported {
public:
  Unsupported(llvm::Module &M, llvm::ArrayRef<Kernel> Kernels);
  // Replaces the call.
  void replace(llvm::CallInst &Call, const llvm::Twine &What) const;

private:
  llvm::SmallPtrSet<const llvm::Function *, 32> Reached;
  mutable llvm::StringSet<> Named; // in warnings about lifted code

  void warn(const llvm::CallInst &Call, const std::string &Text) const;
};

// InlineAsm.cpp: replaces inline PTX by calls of intrinsics and helpers.
void lowerInlineAsm(llvm::Module &M, const llvm::Module &Helpers, const Unsupported &Policy);

// Intrinsics.cpp: replaces llvm.nvvm.* by instructions or calls of helpers.
void lowerIntrinsics(llvm::Module &M, const llvm::Module &Helpers, unsigned Arch, const Unsupported &Policy);

// PtxMatrix.cpp: reads the names of matrix instructions and intrinsics, in the terms of device/cpu/matrix.h.
struct MatrixShape {
  unsigned M = 0, N = 0, K = 0;
};
std::optional<unsigned> matrixType(llvm::StringRef Name);
std::optional<MatrixShape> matrixShape(llvm::StringRef Name);
llvm::AllocaInst *createMatrixSlot(llvm::IRBuilderBase &AtEntry);
// Matrix.cpp: replaces calls of llvm.nvvm.wmma.* by helpers. Returns false if the intrinsic is unknown.
bool lowerWmma(llvm::StringRef Name, llvm::ArrayRef<llvm::CallInst *> Calls, const llvm::Module &Helpers);

// LibraryCalls.cpp: redirects device functions of the CUDA runtime (vprintf, malloc, ...) to the engine.
void redirectLibraryCalls(llvm::Module &M);

// SharedMemory.cpp: lays out static __shared__ variables for each kernel, and replaces their uses.
void placeSharedMemory(llvm::Module &M, Image &Device);

// Unresolved.cpp: defines functions and variables that the module only declares; they fail at run time.
void resolveDeclarations(llvm::Module &M);

// Arithmetic.cpp: guards operations that trap or are undefined on x86 but not on a GPU.
void guardArithmetic(llvm::Module &M);
// Converts a floating-point value to an integer of `Type`, as PTX does.
llvm::Value *castToInteger(llvm::IRBuilderBase &Builder, llvm::Value *Value, llvm::Type *Type, bool Signed);

// Flush.cpp: makes functions compiled with -fgpu-flush-denormals-to-zero flush subnormals.
void flushSubnormals(llvm::Module &M);

// Waiting.cpp: lets other threads run in loops that may wait for them.
void insertPolls(llvm::Module &M);
// Returns the functions that may wait for another thread of the block, by themselves or through calls. Calls of these
// functions keep their stack frames.
llvm::SmallPtrSet<llvm::Function *, 16> findWaitingFunctions(llvm::Module &M);
// Inlines functions that may read the active mask into their callers, up to the kernel, at -O0 too. Returns the
// functions that were to be inlined. The engine distinguishes lanes by the place of the call.
llvm::SmallPtrSet<llvm::Function *, 16> inlineActiveMaskFunctions(llvm::Module &M);

// Visibility.cpp
void hideSymbols(llvm::Module &M);
void linkHelpers(llvm::Module &M, std::unique_ptr<llvm::Module> Helpers);
// Makes the names of the runtime weak.
void weakenRuntime(llvm::Module &M);
// Removes helpers that were linked for later steps and not used.
void removeUnusedHelpers(llvm::Module &M);

// HostChecks.cpp: in the oracle build, makes the host's AddressSanitizer check the functions that -gasan-prepare has
// marked.
bool wantsHostChecks(const llvm::Module &M);
void markForHostChecks(llvm::Module &M);

// Entries.cpp: creates the thread and block entries of each kernel.
struct KernelEntries {
  llvm::Function *Thread;
  llvm::Function *Block; // null: the kernel may wait
  bool UsesActiveMask = false;
};
KernelEntries createEntries(llvm::Module &M, const Kernel &K, bool MayWait);

// ImageTables.cpp: emits the tables of device/cpu/image.h and the constructor that registers them.
void emitImage(llvm::Module &M, const Image &Device, llvm::ArrayRef<KernelEntries> Entries, llvm::StringRef Id);

// Support.cpp
// Warns, with `At`'s source line, that the CPU device does not have `What`.
void warnUnsupported(const llvm::Instruction &At, const llvm::Twine &What);
// Inserts before `At` a call that ends the launch with an error that names `What`.
void callUnsupported(llvm::Instruction &At, llvm::StringRef What);
// Calls a helper, with each argument converted to the parameter's type. Declares the helper in `M` if needed.
llvm::CallInst *callHelper(llvm::IRBuilderBase &Builder, const llvm::Function &Helper,
                           llvm::ArrayRef<llvm::Value *> Arguments);
// Converts `Value` to `Type` of the same size by bit casts and address space casts.
llvm::Value *convertBits(llvm::IRBuilderBase &Builder, llvm::Value *Value, llvm::Type *Type);
// Moves the builder to the function's entry, for calls whose result is the same in the whole function.
void moveToEntry(llvm::IRBuilderBase &Builder, llvm::Function &F);

} // namespace gasan

#endif
