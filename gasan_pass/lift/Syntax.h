/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The parsed form of a PTX module.
#ifndef GASAN_PASS_LIFT_SYNTAX_H
#define GASAN_PASS_LIFT_SYNTAX_H

#include "gasan_pass/ptx/PtxText.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gasan::lift {

enum class Linkage { Local, Visible, Extern, Weak, Common };

// A number, or the address of a symbol plus a number. Generic: the symbol's generic address.
struct Constant {
  uint64_t Number = 0;
  std::string Symbol; // empty: a number
  bool Generic = false;
  uint64_t Mask = 0; // of the address's bytes: 0xFF00 selects the second byte; 0: the whole address
};

// A variable, register or parameter. `.reg .b32 %r<4>` is one variable with Registers = 4.
struct Variable {
  unsigned Line = 0;
  Linkage Link = Linkage::Local;
  std::string Name;
  std::string Space; // "reg", "global", "shared", "const", "local", "param"
  PtxType Type{'b', 32};
  unsigned Vector = 1; // values in one element
  unsigned Registers = 0;
  bool IsArray = false;
  uint64_t Elements = 1; // 0: an array of unknown size
  std::vector<uint64_t> Extents;
  unsigned Alignment = 0; // bytes; 0: the natural one
  bool IsManaged = false;
  bool IsPointer = false; // a parameter with .ptr
  bool InMemory = false;  // a kernel's parameter whose address the body takes
  bool HasValues = false;
  std::vector<Constant> Values;

  uint64_t bytes() const { return Elements * Vector * ((Type.Bits + 7) / 8); }
  unsigned alignment() const { return Alignment ? Alignment : Vector * ((Type.Bits + 7) / 8); }
};

struct Prototype {
  std::vector<Variable> Results, Parameters;
  bool NoReturn = false;
};

// A place in the source. File 0: none.
struct Location {
  unsigned File = 0, Line = 0, Column = 0;
  std::string FunctionLabel; // in .debug_str; empty: not inlined
  uint64_t FunctionOffset = 0;
  unsigned CallFile = 0, CallLine = 0, CallColumn = 0;
};

struct Item {
  enum class Kind { Statement, Label, Open, Close, Declaration, Place, Targets, CallPrototype, NoUnroll };
  Kind What;
  unsigned Line;
  PtxStatement Statement; // of a label or list of targets: Operands has the names
  std::string Text;       // of a statement, for messages
  size_t Index = 0;       // of a declaration, place or prototype in the function's lists
};

struct Function {
  unsigned Line = 0;
  Linkage Link = Linkage::Local;
  bool IsEntry = false, HasBody = false;
  std::string Name;
  Prototype Type;
  std::map<std::string, std::string> Limits; // "maxntid": "256,1,1"
  bool NoUnroll = false;                     // .pragma "nounroll" for all loops
  std::vector<Item> Body;
  std::vector<Variable> Variables;
  std::vector<Location> Places;
  std::vector<Prototype> Prototypes;
};

struct SyntaxTree {
  unsigned Version = 0; // 87 for 8.7
  std::string Target;   // "sm_90a"
  unsigned AddressBits = 32;
  bool NoUnroll = false;               // .pragma "nounroll" for all functions
  bool HasIndependentTextures = false; // .target texmode_independent: an instruction names texture and sampler
  std::vector<Variable> Variables;
  std::vector<Function> Functions;
  std::vector<std::pair<std::string, std::string>> Aliases; // name, function
  std::map<unsigned, std::string> Files;
  // Labels of sections, as offsets into the section's bytes. Only .debug_str is kept.
  std::map<std::string, size_t> DebugLabels;
  std::string DebugStrings;
};

// Parses a module. Empty: Error names line and reason.
std::optional<SyntaxTree> parseModule(llvm::StringRef Text, std::string &Error);

} // namespace gasan::lift

#endif
