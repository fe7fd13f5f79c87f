#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "half/half_values.h"
#include "model/graph/graph.h"

namespace detent {

/// A file as it is written, pairs and casts included: a strongly typed engine computes in just these types. The
/// findings about types look at it; the others at the graph without pairs. The graph must outlive it.
struct LintedFile {
  const Graph& graph;
  /// By value id, the floating-point type that the file declares, or that follows from its operators; Undefined for
  /// other types and where nothing tells (ValueTypes).
  ValueMap<DataType> types;
  /// Detent made it and chose FP32 or 16 bits node by node, by what samples showed.
  bool types_measured = false;
  HalfValues measured;  ///< empty without data
  /// The loss by saturation on x86 CPUs without VNNI: SQNR at the worst output on CPUs with it and without, against the
  /// file's weights with float activations. Absent without data, and where no layer could be run so.
  struct CpuLoss {
    double exact_db = 0, saturated_db = 0;
    size_t samples = 0;
  };
  std::optional<CpuLoss> cpu_loss;
  /// Why Detent, which made the file, left a layer float, by node; nothing where it did not make the file.
  std::map<std::string, std::string> left_float;

  explicit LintedFile(const Graph& file);

  /// Undefined for kNoValue too.
  [[nodiscard]] DataType type_of(ValueId value) const { return value == kNoValue ? DataType::Undefined : types[value]; }
  /// Some node but QuantizeLinear and DequantizeLinear makes FP16 or BF16.
  [[nodiscard]] bool holds_half() const;
};

/// "FP32", "FP16", "BF16".
[[nodiscard]] std::string_view short_name(DataType type);

}  // namespace detent
