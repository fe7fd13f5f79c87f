#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "detent/base/calibrator.h"
#include "detent/base/qparams.h"
#include "place/plan/placement_plan.h"
#include "repair/covering_ranges.h"
#include "repair/trained_pairs.h"

namespace detent {

/// The range of a planned value that follows from the pairs of the file.
struct CarriedRange {
  enum class Origin : uint8_t {
    Kept,   ///< of the value itself
    Moved,  ///< of a value that holds its numbers too
    Fitted  ///< of the value itself, fitted to the target's grid, which its zero point or a Clip demands
  };
  Range range;
  Origin origin = Origin::Kept;
  std::string from;  ///< name of the value whose pair gave it
};

/// Returns the ranges of the plan's values that pairs of the file cover (covering_ranges).
/// graph  of the plan: a prepared form of trained.model
/// kind   of 8-bit codes where the plan mixes widths
[[nodiscard]] std::map<ValueId, CarriedRange> carry_ranges(const Graph& graph, const PlacementPlan& plan,
                                                           const TrainedPairs& trained, RangeKind kind);

/// Returns the values without a range that may be negative while every range of a value that they share a scale with
/// begins at 0: that scale would cut them.
[[nodiscard]] std::set<ValueId> values_below_ranges(const Graph& graph, const PlacementPlan& plan,
                                                    const std::map<ValueId, CarriedRange>& carried);

/// Scales of weights, by name of the constant (RewriteOptions::weight_scales).
struct CarriedWeights {
  std::map<std::string, std::vector<float>> scales;  ///< 0: the channel gets a new one
  std::map<std::string, int32_t> points;  ///< zero points other than the middle (RewriteOptions::weight_points)
  size_t kept = 0;
  std::vector<std::string> anew;  ///< nodes whose weight gets other scales, with the reason
};

/// The codes that weights get.
struct WeightForm {
  DataType type = DataType::Int8;  ///< or Float8E4M3FN
  bool per_tensor = false;
  bool narrow = false;              ///< the lowest code is not used: INT8 from -127 to 127
  bool point_of_one_scale = false;  ///< a weight with one scale has UINT8 codes and a zero point
};

/// Returns the scales of the plan's weights, except of those with codes that `form` does not have, and of channels
/// whose scale in the file is none (0, NaN). A factor that preparing folded into a channel (BatchNormalization) is in
/// its scale too, so that all codes keep their magnitude.
[[nodiscard]] CarriedWeights carry_weights(const Graph& graph, const PlacementPlan& plan, const TrainedPairs& trained,
                                           const WeightForm& form);

}  // namespace detent
