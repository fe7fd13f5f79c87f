#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "half/half_values.h"
#include "model/graph/graph.h"

namespace detent {

/// The original file with pairs and casts: a strongly typed engine computes in exactly these types. Findings about
/// types read it; the others read the graph without pairs. The graph must outlive it.
struct LintedFile {
  const Graph& graph;
  /// The floating-point type of each value that the file declares or that follows from its operators; Undefined for
  /// other types and unknown ones (ValueTypes).
  ValueMap<DataType> types;
  /// True when Detent made the file and --float-type or measurements chose FP32 or 16 bits for each node.
  bool types_chosen = false;
  HalfValues measured;  ///< empty without data
  /// The loss by saturation on x86 CPUs without VNNI: SQNR of the worst output with and without VNNI, against the
  /// file's weights with float activations. Absent without data, and when no layer could run that way.
  struct CpuLoss {
    double exact_db = 0, saturated_db = 0;
    size_t samples = 0;
  };
  std::optional<CpuLoss> cpu_loss;
  /// Reasons for float layers by node, from the metadata of a file that Detent made.
  std::map<std::string, std::string> left_float;

  explicit LintedFile(const Graph& file);

  /// Returns Undefined for kNoValue too.
  [[nodiscard]] DataType type_of(MaybeValue value) const { return value ? types[*value] : DataType::Undefined; }
  /// True when some node except QuantizeLinear and DequantizeLinear writes FP16 or BF16.
  [[nodiscard]] bool holds_half() const;
};

/// Returns "FP32", "FP16" or "BF16".
[[nodiscard]] std::string_view short_name(DataType type);

}  // namespace detent
