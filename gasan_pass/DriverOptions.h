/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Declares the driver's options (driver/options.inc) for the pass: the name, description and default of each.
#ifndef GASAN_PASS_DRIVEROPTIONS_H
#define GASAN_PASS_DRIVEROPTIONS_H

#include "llvm/ADT/StringRef.h"

namespace gasan {

struct DriverOption {
  llvm::StringRef Name, Description, Default;

  bool isOn() const { return Default == "on"; }
};

namespace driver_options {

#define GASAN_DRIVER_OPTION(member, name, text, standard)                                                              \
  inline constexpr DriverOption member = {llvm::StringLiteral("gasan-" name), llvm::StringLiteral(text),               \
                                          llvm::StringLiteral(standard)};
#define GASAN_DRIVER_VALUE(member, value)
#define GASAN_DRIVER_AUTO(member, value) inline constexpr llvm::StringRef member##_auto = llvm::StringLiteral(value);
#include "driver/options.inc"

} // namespace driver_options
} // namespace gasan

#endif
