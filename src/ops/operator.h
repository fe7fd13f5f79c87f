#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ops/kernel.h"

namespace detent {

/// The reason why a node cannot run.
struct Unsupported {
  std::string reason;  ///< "attribute mode='cubic' with antialias"
};

/// One operator of ONNX's own domain over a range of opsets. Its inputs, outputs, attributes and types: signatures.h.
struct OperatorDef {
  std::string_view op_type;
  OpTraits traits;
  /// Makes the kernel.
  /// Errors  Unsupported / InvalidModel when attributes make no sense.
  std::unique_ptr<Kernel> (*make)(const KernelContext& context);
  int first_opset = 1;
  LayoutNeed layout = LayoutNeed::Plain;
  /// Finds attribute combinations that cannot run before anything runs; nullopt = fine. nullptr = always fine. Element
  /// types that attributes name are checked for all operators (find_unsupported).
  std::optional<Unsupported> (*check)(const KernelContext& context) = nullptr;
  int last_opset = std::numeric_limits<int>::max();
  /// Counts the first `candidates` (a chain of single-use followers) that this operator can execute as part of itself.
  size_t (*fuse)(const KernelContext& context, std::span<const FusedOp> candidates) = nullptr;
  /// True when the kernel of this context sums the codes in front of the DequantizeLinear nodes of its data (input 0)
  /// and its weight: it takes codes in input 0 as well as floats, with the same bits, and reads only the shape of the
  /// weight's floats. nullptr = never.
  bool (*sums_codes)(const KernelContext& context) = nullptr;
  /// True when inputs and outputs may be sequences and absent optionals (empty handles); the executor keeps them away
  /// from all other operators.
  bool any_value = false;
};

}  // namespace detent
