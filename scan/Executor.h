/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Executes a program symbolically: the host's code from an entry function on, and the kernels that the host launches,
// for any thread of any block.
//
// Where ways join, values become choices by the conditions of the ways. A loop is summarised: its variables become
// closed forms in the number of the round, or unknown. `hunt` unrolls loops instead, up to a number of rounds: then
// fewer runs are covered, but values are exact.
//
// Each value that the code does not determine is a variable. Variables of kind Unknown stand for values that the
// analysis does not follow, so that conditions without them are exact.
#ifndef GASAN_SCAN_EXECUTOR_H
#define GASAN_SCAN_EXECUTOR_H

#include "scan/Budget.h"
#include "scan/Memory.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <optional>

namespace gasan::scan {

class Fields;
struct Effects;

enum class Problem : uint8_t { Bounds, Field, CopySource, CopyTarget, UseAfterFree, DoubleFree, InvalidFree, Leak };

// An array that a kernel carves out of dynamic shared memory: it ends where the next one begins.
struct Partition {
  std::string Name;
  const Node *Begin;
  bool Shared; // several names begin there, so that the end is not certain
};

struct Launch {
  llvm::Function *Kernel = nullptr;
  Place At;
  const Node *Grid[3] = {}, *Block[3] = {}, *SharedBytes = nullptr;
  const Node *Thread[3] = {}, *BlockIndex[3] = {};
  std::vector<Value> Arguments;
  State Before;     // memory at the launch
  std::string Stub; // the name of the kernel's host function
  std::vector<Partition> Partitions;
  unsigned Number = 0;
};

// An array in a structure that the access must not leave.
struct FieldBounds {
  std::string Name;
  const Node *Offset; // of the access, from the field's begin
  uint64_t Size;
};

// One place in the code that may go wrong, under one set of circumstances.
struct Check {
  Problem Kind = Problem::Bounds;
  const llvm::Instruction *Site = nullptr;
  const Launch *In = nullptr; // NULL: host code
  std::vector<Place> Stack;   // innermost first
  std::string Operation;      // "read", "write", "atomic"
  std::string Api;            // "cudaMemcpy"
  const Node *Path = nullptr;
  Object *Root = nullptr;
  const Node *Offset = nullptr, *Bytes = nullptr;
  const Node *Limit = nullptr; // the object's size at that time
  const Node *Freed = nullptr;
  Place FreedAt, Lost;        // Lost: the call behind which no pointer to a leak is left
  const Node *Part = nullptr; // the begin of the partition that the access belongs to
  std::vector<FieldBounds> ToStayIn;
  std::string Unknown; // the reason why nothing is known; empty: the formula holds
};

struct Options {
  bool Hunt = false;
  bool NoArguments = false;    // main gets none: many programs have constants for what no argument says
  unsigned Rounds = 12;        // that a hunt unrolls of a loop without a known number of rounds
  unsigned Budget = 2'000'000; // instructions
  std::string Entry;           // its arguments are inputs
  bool Partitions = false;     // pointers into dynamic shared memory begin arrays
};

class Executor {
public:
  Executor(Expressions &Nodes, llvm::Module &Host, llvm::Module *Device, Options Settings);
  ~Executor();

  // Runs main, or the entry, or, if there is neither, each host function that may be called from outside.
  // Returns false if the entry that the user named has no code here.
  bool hasEntry() const { return entry() != nullptr; }
  bool hasArguments() const { return ArgumentCount != nullptr; } // of the command line
  // Until: in cpuTime(). Code that the execution does not reach until then makes the verdicts incomplete.
  void run(int64_t Until);

  const Options &settings() const { return Settings; }

  std::vector<Check> Checks;
  std::deque<Launch> Launches;
  std::set<const llvm::Function *> Launched;
  std::string Incomplete; // the reason why some code was not executed; empty: all was
  std::map<const llvm::Function *, std::string> IncompleteKernels;
  std::set<const llvm::Instruction *> Executed;

private:
  struct Edge {
    const llvm::BasicBlock *From;
    const Node *Path;
    State Memory;
    std::vector<Value> Phis;
  };
  struct Analyses;
  struct Return {
    const Node *Path;
    State Memory;
    Value Result;
  };
  struct Frame {
    llvm::Function *Code = nullptr;
    Analyses *Facts = nullptr;
    Frame *Caller = nullptr;
    const llvm::CallBase *Site = nullptr;
    llvm::DenseMap<const llvm::Value *, Value> Values;
    llvm::DenseMap<const llvm::BasicBlock *, std::vector<Edge>> Pending;
    std::vector<Return> Returns;
    unsigned Depth = 0;
  };
  struct LoopPlan;
  // Variables for what functions say of one text.
  struct TextAnswers {
    std::map<std::pair<unsigned, unsigned>, Variable *> Numbers; // by their width and base
    Variable *Length = nullptr;
    std::vector<std::pair<std::string, Variable *>> Begins; // whether the text begins so; with its 0: is so
  };
  struct Text { // one of those that a pointer may point to
    const Node *Guard = nullptr;
    std::string Name;
    const Node *Exists = nullptr; // of an argument of the program
    std::optional<std::string> Constant;
    TextAnswers *All = nullptr; // of a text from the user
  };

  // Frames and blocks (Executor.cpp).
  Analyses &analysesOf(llvm::Function &Code);
  const Effects &effectsOf(llvm::Function &Code);
  Value call(llvm::Function &Code, std::vector<Value> Arguments, const llvm::CallBase *Site);
  void runBlocks(const llvm::Loop *L);
  bool enter(const llvm::BasicBlock &Block, std::vector<Edge> Edges);
  void execute(const llvm::BasicBlock &Block);
  void terminate(const llvm::Instruction &Last);
  void go(const llvm::BasicBlock &From, const llvm::BasicBlock &To, const Node *Condition);
  const Node *relative(const Node *A, const Node *B);
  void giveUp(const std::string &Reason);
  bool isLate();
  llvm::Function *entry() const;
  void runEntry(llvm::Function &Code, bool ArgumentsAreInput);

  // Loops (Loops.cpp, LoopStates.cpp, LoopForms.cpp).
  void runLoop(const llvm::Loop &L);
  bool unroll(const llvm::Loop &L, std::vector<Edge> Edges, unsigned Rounds);
  bool explore(LoopPlan &Plan);
  void blurChanges(LoopPlan &Plan, bool Written);
  std::vector<Edge> runRound(const LoopPlan &Plan, const std::vector<Value> &Phis, const State &Start);
  bool generalise(LoopPlan &Plan, const std::vector<Value> &Phis, const State &Latch);
  bool generaliseValue(LoopPlan &Plan, Value &Assumed, const Value &Latch, const void *Key, unsigned Index);
  bool generaliseContents(LoopPlan &Plan, Object *Root, const Contents &Latch);
  const Node *stepOf(const Node *Latch, const Node *Variable, const LoopPlan &Plan);
  void findSteps(LoopPlan &Plan);
  void findPrimary(LoopPlan &Plan);
  void setForms(LoopPlan &Plan, bool AtExit);
  const Node *setPrimary(LoopPlan &Plan, bool AtExit);
  const Node *neverWraps(LoopPlan &Plan, const Node *Claim, bool AtExit);
  void finish(LoopPlan &Plan);
  bool varies(const Node *A, const LoopPlan &Plan);
  std::optional<uint64_t> roundsOf(const LoopPlan &Plan);

  // Instructions (Instructions.cpp).
  void execute(const llvm::Instruction &I);
  Value executeCast(const llvm::CastInst &Cast);
  Value executeBinary(const llvm::BinaryOperator &Operation);
  Value executeReal(const llvm::BinaryOperator &Operation, const Value &A, const Value &B);
  Value executeCompare(const llvm::CmpInst &Compare);
  Value comparePointers(const llvm::CmpInst &Compare, const Value &A, const Value &B);
  const Node *distanceOf(const llvm::GEPOperator &Step);
  Value executeAddress(const llvm::GEPOperator &Address);
  void carve(const llvm::Instruction &I, Target &T);
  void addPartition(const std::string &Name, const Node *Begin);
  void carveBase(const llvm::Function &Kernel);
  Value executeOverflow(const llvm::IntrinsicInst &Call);
  Value valueOf(const llvm::Value *V);
  Value valueOfConstant(const llvm::Constant *C);
  Object *objectOf(llvm::GlobalVariable *Variable);
  void initialise(Object *Root, const llvm::Constant *C, uint64_t Offset);
  Value any(const llvm::Value &V, const std::string &Reason);
  const Node *number(const llvm::Value *V, unsigned Width, bool Signed);

  // Accesses (Accesses.cpp).
  Value load(const llvm::Instruction &I, const Value &Pointer, llvm::Type *Type);
  void store(const llvm::Instruction &I, const Value &Pointer, const Value &What, uint64_t Bytes);
  void check(const llvm::Instruction &I, const Value &Pointer, const Node *Bytes, const char *Operation,
             Problem Kind = Problem::Bounds, const char *Api = nullptr);
  std::vector<FieldBounds> fieldsOf(const llvm::Instruction &I, const char *Operation);
  void copy(const Value &To, const Value &From, const Node *Bytes);
  void record(Check New);
  std::vector<Place> stack(const llvm::Instruction &I);
  bool isDeviceAccess(const Object *Root) const;

  // Calls (Calls.cpp, HostCalls.cpp, CudaCalls.cpp, Handles.cpp, DeviceCalls.cpp). The bool functions return false for
  // a function that they do not know.
  Value executeCall(const llvm::CallBase &Call);
  bool lacksArgument(const llvm::CallBase &Call, const llvm::Function &Code);
  bool callIntrinsic(const llvm::CallBase &Call, llvm::StringRef Name, Value &Result);
  bool callArithmetic(const llvm::CallBase &Call, llvm::StringRef Name, Value &Result);
  bool callHost(const llvm::CallBase &Call, llvm::StringRef Name, Value &Result);
  bool callInput(const llvm::CallBase &Call, llvm::StringRef Name, Value &Result);
  bool callCuda(const llvm::CallBase &Call, llvm::StringRef Name, Value &Result);
  bool callCudaAllocator(const llvm::CallBase &Call, llvm::StringRef Name, Value &Result);
  bool callCudaCopy(const llvm::CallBase &Call, llvm::StringRef Name, Value &Result);
  bool callCudaHandle(const llvm::CallBase &Call, llvm::StringRef Name);
  bool isValidHandle(const Value &Handle, llvm::StringRef Kind) const;
  bool isValidAllocation(const llvm::CallBase &Call, llvm::StringRef Name);
  bool callDevice(const llvm::CallBase &Call, llvm::StringRef Name, Value &Result);
  void mayCall(const llvm::Function &Code, const std::string &Caller);
  Value callUnknown(const llvm::CallBase &Call, const std::string &Name);
  // Texts (Texts.cpp).
  bool callText(const llvm::CallBase &Call, llvm::StringRef Name, Value &Result);
  Value argumentText(const Target &Element);
  void excludeNull(const Value &Pointer); // ends the program where the host reads or writes at NULL
  std::vector<Text> textsOf(const Value &Pointer);
  void relateAnswers(const TextAnswers &All, Variable *New);
  const Node *numberOfText(const llvm::CallBase &Call, const Value &Pointer, unsigned Width, unsigned Base);
  const Node *lengthOfText(const llvm::CallBase &Call, const Text &Of);
  const Node *beginsWith(const llvm::CallBase &Call, const Text &Of, const std::string &Pattern);
  const Node *compareTexts(const llvm::CallBase &Call, const Text &A, const Text &B, uint64_t Most);

  void scanText(const llvm::CallBase &Call, unsigned Format);
  void storeInput(const Value &Pointer, unsigned Bits, bool Real, const std::string &Name);
  Object *allocate(const llvm::CallBase &Call, Space Where, const Node *Bytes, const char *Api,
                   const std::string &Name);
  void release(const llvm::CallBase &Call, const Value &Pointer, const char *Api);
  const Node *input(const llvm::Instruction &From, unsigned Width, const std::string &Otherwise);
  Value argument(const llvm::CallBase &Call, unsigned Index);
  const Node *argumentNumber(const llvm::CallBase &Call, unsigned Index, unsigned Width);
  std::string text(const llvm::Value *V);
  void checkLeaks(const llvm::CallBase &Call, const Value &Result, unsigned Number);
  std::string nameOfTarget(const Value &Pointer, const llvm::Value *Code);
  void endProgram();

  // Launches (Launch.cpp).
  bool callLaunch(const llvm::CallBase &Call, llvm::StringRef Name, Value &Result);
  void launch(const llvm::CallBase &Call, llvm::Function &Kernel, const std::string &Stub,
              std::vector<Value> Arguments);
  State afterOtherThreads(const llvm::CallBase &Call, llvm::Function &Kernel, const std::vector<Value> &Arguments);
  State joinEnds(const llvm::CallBase &Call, const State &Start, State Next);
  const Node *validShape(const Launch &L);
  llvm::Function *kernelOfStub(const llvm::Function &Stub);

  Variable *variableFor(const void *Key, unsigned Index, VariableKind Kind, unsigned Width, const std::string &Name,
                        const std::string &Reason);

  Expressions &Nodes;
  Heap Memory;
  llvm::Module &Host, *Device;
  Options Settings;
  std::map<llvm::Function *, std::unique_ptr<Analyses>> Known;
  std::map<llvm::GlobalVariable *, Object *> Variables;
  std::unique_ptr<Fields> DeviceFields;
  std::map<std::tuple<const void *, unsigned, uint64_t>, Variable *> Memoised;
  std::vector<const Variable *> Touched; // variables in the order of their uses by variableFor()
  State Now;
  const Node *Path = nullptr;
  Frame *Top = nullptr;
  Launch *Current = nullptr;
  int64_t Until = 0; // the end of the time for the execution
  bool Late = false; // nothing is executed any more
  unsigned Quiet = 0, Steps = 0;
  unsigned LoopDepth = 0; // of loops whose round stands for all rounds
  uint64_t Context = 0;
  std::map<std::tuple<const Object *, unsigned, uint64_t>, TextAnswers> Answers; // by object, block and offset
  std::map<std::pair<const Object *, uint64_t>, Object *> ArgumentTexts;
  std::map<const Object *, uint64_t> ArgumentNumbers;                 // of these texts
  std::map<std::string, std::pair<Object *, Variable *>> Environment; // variables, and whether they exist
  bool EnvironmentChanges = false;                                    // by the program
  const Node *ArgumentCount = nullptr;
  std::vector<Value> NextShape; // grid, block, shared bytes
  std::vector<State> Ends;      // memory where a thread of the kernel ends before its return
};

// Source places.
Place placeOf(const llvm::Instruction &I);
std::string userName(const llvm::Value &V);
// Returns true for a header of clang, the system or CUDA.
bool isSystemFile(llvm::StringRef File);

} // namespace gasan::scan

#endif
