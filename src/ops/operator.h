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
  /// Makes the kernel. Errors  Unsupported / InvalidModel when attributes make no sense.
  std::unique_ptr<Kernel> (*make)(const KernelContext& context);
  LayoutNeed layout = LayoutNeed::Plain;
  int first_opset = 1;
  int last_opset = std::numeric_limits<int>::max();
  /// Counts the first `candidates` (a chain of single-use followers) that this operator can execute as part of itself.
  size_t (*fuse)(const KernelContext& context, std::span<const FusedOp> candidates) = nullptr;
  /// Attribute combinations that cannot run, found before anything runs; nullopt = fine. nullptr = always fine.
  std::optional<Unsupported> (*check)(const KernelContext& context) = nullptr;
  /// True when the kernel of this context reads only the shape of the constant in input `slot`: its numbers need not be made. nullptr =
  /// never.
  bool (*reads_shape_only)(const KernelContext& context, size_t slot) = nullptr;
  /// True when the kernel of this context also takes, in input 0, the codes that the DequantizeLinear in front reads, and gives the same
  /// bits: that node need not run for it. nullptr = never.
  bool (*reads_codes)(const KernelContext& context) = nullptr;
  std::string_view domain = "";
  /// True when inputs and outputs may be sequences and absent optionals (empty handles); the executor keeps them away from
  /// all other operators.
  bool any_value = false;
};

}  // namespace detent
