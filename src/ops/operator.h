#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ops/kernel.h"
#include "ops/signature.h"

namespace detent {

/// Why a node cannot run.
struct Unsupported {
  std::string reason;  ///< "attribute mode='cubic' with antialias"
};

/// One operator over a range of opsets.
struct OperatorDef {
  std::string_view op_type;
  Signature signature;  ///< has no default: an operator that does not state it does not compile
  OpTraits traits;
  /// Makes the kernel.
  /// Errors  Unsupported / InvalidModel when attributes make no sense.
  std::unique_ptr<Kernel> (*make)(const KernelContext& context);
  int first_opset = 1;
  LayoutNeed layout = LayoutNeed::Plain;
  int last_opset = std::numeric_limits<int>::max();
  /// Counts the first `candidates` (a chain of single-use followers) that this operator can execute as part of itself.
  size_t (*fuse)(const KernelContext& context, std::span<const FusedOp> candidates) = nullptr;
  /// Attribute combinations that cannot run, found before anything runs; nullopt = fine. nullptr = always fine.
  std::optional<Unsupported> (*check)(const KernelContext& context) = nullptr;
  /// True when the kernel of this context sums the codes in front of the DequantizeLinear nodes of its data (input 0)
  /// and its weight: it takes codes in input 0 as well as floats, with the same bits, and reads only the shape of the
  /// weight's floats. nullptr = never.
  bool (*sums_codes)(const KernelContext& context) = nullptr;
  std::string_view domain = "";
  /// True when inputs and outputs may be sequences and absent optionals (empty handles); the executor keeps them away
  /// from all other operators.
  bool any_value = false;
};

}  // namespace detent
