/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Values and memory during the symbolic execution of a program.
#ifndef GASAN_SCAN_MEMORY_H
#define GASAN_SCAN_MEMORY_H

#include "scan/Expression.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

#include <deque>
#include <map>
#include <memory>
#include <set>

namespace gasan::scan {

struct Place { // of source code
  std::string File;
  unsigned Line = 0, Column = 0;
  std::string Function;
  bool isKnown() const { return Line != 0; }
};

enum class Space : uint8_t {
  Unknown,
  Null,
  Function,
  Host,
  HostHeap,
  HostVariable,
  Global,
  Managed,
  Shared,
  DynamicShared,
  Local,
  DeviceVariable,
  Text
};

struct Contents;

// A piece of memory with bounds of its own.
struct Object {
  Space Where = Space::Unknown;
  std::string Name;           // the user's, if known
  std::string Type;           // of an access to it: "heap", "shared"
  std::string Reason;         // of an unknown object
  const Node *Size = nullptr; // bytes, 64 bits; NULL: not known
  Place Allocated;
  const char *Api = nullptr;   // "cudaMalloc"
  Variable *Address = nullptr; // of the first byte
  llvm::Function *Code = nullptr;
  llvm::GlobalVariable *Source = nullptr;
  const void *Site = nullptr; // the instruction that allocates
  unsigned Number = 0;
  std::shared_ptr<const Contents> Initial; // of a variable, in a state that does not have it yet; NULL: none
  bool Escaped = false;                    // pointers to it may be in places that the analysis does not follow
  bool isDeviceHeap() const { return Where == Space::Global || Where == Space::Managed; }
};

struct Target { // one of the places that a pointer may point to
  const Node *Guard;
  Object *Root;
  const Node *Offset;         // bytes, 64 bits
  const Node *Part = nullptr; // where the array begins that the kernel carves out of dynamic shared memory
};

struct Value {
  // Nothing: not defined on this way. Anything: data that the analysis does not follow.
  enum Shape : uint8_t { Nothing, Anything, Integer, Pointer, Parts, Real } Form = Nothing;
  const Node *Number = nullptr; // of an integer; of a real: the numerator, NULL if not followed
  uint64_t Divisor = 1;         // of a real
  std::vector<Target> Targets;
  std::vector<Value> Elements;

  static Value anything() {
    Value Result;
    Result.Form = Anything;
    return Result;
  }
  static Value integer(const Node *Number) {
    Value Result;
    Result.Form = Integer;
    Result.Number = Number;
    return Result;
  }
  static Value real(const Node *Numerator = nullptr, uint64_t Divisor = 1) {
    Value Result;
    Result.Form = Real;
    Result.Number = Numerator;
    Result.Divisor = Divisor;
    return Result;
  }
  bool operator==(const Value &Other) const;
};

struct Cell {
  uint64_t Size;
  Value Content;
  bool operator==(const Cell &Other) const { return Size == Other.Size && Content == Other.Content; }
};

// A number that code stores at places which the analysis does not follow one by one.
struct Template {
  const Node *Guard, *Number;
  bool operator==(const Template &Other) const { return Guard == Other.Guard && Number == Other.Number; }
  bool operator<(const Template &Other) const { return std::tie(Guard, Number) < std::tie(Other.Guard, Other.Number); }
};

// The bytes of an object that no cell has.
struct Background {
  enum Kind : uint8_t { Undefined, Zero, Input, Templates, Unknown } Form = Undefined;
  unsigned Block = 0; // of input
  std::string Name;   // of input
  std::string Reason; // of unknown bytes
  unsigned Unit = 0;  // bytes of a template's number
  std::shared_ptr<std::vector<Template>> Stored;
  static Background unknown(const std::string &Reason) {
    Background Result;
    Result.Form = Unknown;
    Result.Reason = Reason;
    return Result;
  }
  static Background zero() {
    Background Result;
    Result.Form = Zero;
    return Result;
  }
  bool operator==(const Background &Other) const {
    return Form == Other.Form && Block == Other.Block && Unit == Other.Unit && // the reason may differ
           (Stored == Other.Stored || (Stored && Other.Stored && *Stored == *Other.Stored));
  }
};

struct Contents {
  std::map<uint64_t, Cell> Cells;
  Background Rest;
  const Node *Exists = nullptr; // the condition under which it was allocated
  const Node *Freed = nullptr;  // NULL: never
  Place FreedAt;
  bool operator==(const Contents &Other) const {
    return Cells == Other.Cells && Rest == Other.Rest && Freed == Other.Freed;
  }
};

// The reason of values that functions without code here return.
inline constexpr char kResultOf[] = "the result of ";

// The contents of all objects. Copy on write, in two levels: copies share what was not changed since they parted, so
// that copies and joins are fast.
class State {
public:
  using Slot = std::shared_ptr<Contents>;

  const Contents *find(const Object *Root) const {
    const Contents *Mine = at(Root->Number).get();
    return Mine ? Mine : Root->Initial.get();
  }
  Slot at(unsigned Number) const {
    const unsigned Index = Number / kSlots;
    return Index < Chunks.size() && Chunks[Index] ? Chunks[Index]->Slots[Number % kSlots] : Slot();
  }
  Contents &change(Object *Root);
  void set(unsigned Number, Slot New);
  void forget(const Object *Root) { set(Root->Number, Slot()); }
  // Calls Visit(Number, contents of A, contents of B) for each object whose contents are not the same ones. NULL: the
  // object does not exist there.
  template <typename Visitor>
  static void compare(const State &A, const State &B, Visitor Visit) {
    const size_t Count = std::max(A.Chunks.size(), B.Chunks.size());
    for (size_t I = 0; I < Count; I++) {
      const std::shared_ptr<Chunk> None, &Mine = I < A.Chunks.size() ? A.Chunks[I] : None,
                                         &Theirs = I < B.Chunks.size() ? B.Chunks[I] : None;
      if (Mine == Theirs)
        continue;
      for (unsigned J = 0; J < kSlots; J++) {
        const Slot Left = Mine ? Mine->Slots[J] : Slot(), Right = Theirs ? Theirs->Slots[J] : Slot();
        if (Left != Right)
          Visit(unsigned(I * kSlots + J), Left, Right);
      }
    }
  }

private:
  static constexpr unsigned kSlots = 32;
  struct Chunk {
    Slot Slots[kSlots];
  };
  Slot &own(unsigned Number);

  std::vector<std::shared_ptr<Chunk>> Chunks;
};

class Heap {
public:
  explicit Heap(Expressions &Nodes) : Nodes(Nodes) {}
  Object *create(Space Where, std::string Name, const Node *Size);
  Object *byNumber(unsigned Number) { return &Objects[Number]; }
  Object *unknown(const std::string &Reason);
  Object *null();

  Value pointer(Object *Root, const Node *Offset = nullptr);
  Value anyOf(llvm::Type *Type, const std::string &Reason, const llvm::DataLayout &Layout);
  Value unknownPointer(const std::string &Reason) { return pointer(unknown(Reason)); }
  const Node *address(const Value &Pointer); // of a pointer as a number
  Value fromAddress(const Node *Number);

  Value choose(const Node *Condition, const Value &A, const Value &B);
  // Joins two states; Condition holds where A is the state.
  State join(const Node *Condition, const State &A, const State &B);

  Value load(State &Now, const Target &At, llvm::Type *Type, const llvm::DataLayout &Layout);
  void store(State &Now, const Target &At, const Value &What, uint64_t Size, const Node *Guard);
  void copy(State &Now, const Target &To, const Target &From, const Node *Bytes, const Node *Guard);
  void blur(State &Now, Object *Root, const std::string &Reason);
  void makeInput(State &Now, Object *Root, const std::string &Name);
  void clear(State &Now, const Target &At, const Node *Bytes, bool Zero);

  static void markEscaped(const Value &V); // the memory that it points to
  static void markEscaped(const Contents &Of);
  // Blurs the memory that lost pointers may lead to, because of a store through such a pointer, or by code that the
  // analysis does not follow. OtherFiles: the code is there, and knows variables by their names. What: the stored
  // value, which changes data of its own type only.
  void blurEscaped(State &Now, const std::string &Reason, bool OtherFiles, const Value *What = nullptr);
  // Whose memory the code may write that is executed now.
  bool WritesHost = true, WritesDevice = false;
  bool joinTemplates(Contents &A, const Contents &B);

  // From now on, a value that is not known is the variable that it was in the last execution of this instruction in
  // this context, so that a repeated execution stores the same expressions. Added to Used.
  void begin(const void *Instruction, uint64_t Context) { Reader = {Instruction, Context}, Reads = 0; }
  std::vector<const Variable *> Used;

  unsigned count() const { return Objects.size(); }
  unsigned LastBlock = 0;

private:
  Value loadWhole(const Cell &From, llvm::Type *Type, const llvm::DataLayout &Layout);
  Value loadNumber(const Contents &From, uint64_t Offset, uint64_t Size, const Target &At);
  const Node *background(const Contents &From, const Node *Offset, unsigned Width, const Object *Root);
  const Node *fromTemplates(const Background &From, unsigned Width);
  void addTemplate(Contents &To, const Value &What, uint64_t Size, const Node *Guard);
  bool collectTemplates(const Contents &From, uint64_t Unit, std::vector<Template> &All);
  static void setTemplates(Contents &To, uint64_t Unit, std::vector<Template> All);
  void joinContents(const Node *Condition, Contents &A, const Contents &B);
  void markReachable(const State &Now);
  bool isLost(const Target &At);
  void storeToLost(State &Now, const Target &At, const Value *What = nullptr);
  bool mayWrite(const Object &Root) const;

  Variable *unknownVariable(unsigned Width, const std::string &Reason, const std::vector<Template> *Stored, bool &New);
  const Node *unknownNumber(unsigned Width, const std::string &Reason);

  struct ReadKey {
    const void *Instruction;
    uint64_t Context;
    unsigned Number, Width;
    std::string Reason;
    std::vector<Template> Stored;
    bool operator<(const ReadKey &Other) const {
      return std::tie(Instruction, Context, Number, Width, Reason, Stored) <
             std::tie(Other.Instruction, Other.Context, Other.Number, Other.Width, Other.Reason, Other.Stored);
    }
  };

  Expressions &Nodes;
  std::pair<const void *, uint64_t> Reader = {nullptr, 0};
  unsigned Reads = 0;
  std::map<ReadKey, Variable *> Reused;
  std::deque<Object> Objects;
  std::map<std::string, Object *> Unknowns;
  std::map<std::pair<const Object *, const Node *>, bool> Foreign; // offsets with the address of another object
  Object *Null = nullptr;
};

} // namespace gasan::scan

#endif
