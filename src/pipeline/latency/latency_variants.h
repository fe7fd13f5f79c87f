#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "detent/quantize.h"
#include "pipeline/latency/latency_factor.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/rewritten_model.h"

namespace detent {

/// Reason of layers that a search by latency leaves float.
inline constexpr const char* kFixedIsFaster = "a scale in advance is faster here (--latency-command)";
inline constexpr const char* kFloatIsFaster = "float is faster here (--latency-command)";

/// A file that differs from the default one in some factors.
struct LatencyVariant {
  QuantizeOptions options;  ///< that make the same file by hand
  Recipe recipe;
  RewriteOptions format;
  PlacementPlan plan;
};

/// Returns the variant of an attempt with these factors.
/// Errors  those of resolved() and make_placement_plan().
[[nodiscard]] LatencyVariant variant_of(const Attempt& attempt, const QuantizeOptions& options,
                                        const std::vector<const LatencyFactor*>& on);

/// Returns a text that is the same for plans with the same pairs and layers on codes: with the same types of codes they
/// make the same file.
[[nodiscard]] std::string pairs_of(const PlacementPlan& plan);

/// Makes the models of variants as they would be written. Its arguments must outlive it.
class LatencyVariants {
 public:
  LatencyVariants(const Attempt& attempt, const QuantizeOptions& options) : attempt_(attempt), options_(options) {}

  /// Returns the ranges of the variant's values; measures what the attempt did not.
  /// Errors  those of measuring.
  [[nodiscard]] std::map<ValueId, Range> ranges_of(const LatencyVariant& variant);
  /// Errors  those of ranges_of() and rewritten().
  [[nodiscard]] RewrittenModel model_of(const LatencyVariant& variant, const Provenance& provenance);

 private:
  const Attempt& attempt_;
  const QuantizeOptions& options_;
  std::map<RangeKind, RangeBook> books_;
};

/// Makes the attempt that of the variant.
void take_variant(Attempt& attempt, LatencyVariant variant, std::map<ValueId, Range> ranges);

}  // namespace detent
