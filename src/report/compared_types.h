#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/compare.h"

namespace detent {

/// Returns the variant that `report.winner` names; null when there is none.
[[nodiscard]] const ComparisonReport::Variant* winning_variant(const ComparisonReport& report);

/// Returns the kind of the variants: "calibrator", "type" or "target".
[[nodiscard]] std::string compared_kind(const ComparisonReport& report);

/// True when the calibrator that gave the ranges is not a part of the variant's name.
[[nodiscard]] bool adds_calibrator(const ComparisonReport::Variant& variant);

/// Returns the number of weighted layers of a target that stay float.
[[nodiscard]] size_t count_float_layers(const TargetFacts& facts);

/// Returns a metric of a variant or the float model; nothing where it was not measured.
[[nodiscard]] std::optional<double> find_metric(const std::map<std::string, double>& metrics, const std::string& name);

/// Returns part / whole; of a whole of 0 `part`.
[[nodiscard]] double ratio_of(uint64_t part, uint64_t whole);

/// Returns the types of the variants' weights, as keys of TypeFacts::weight_bytes: int8, fp8, int4, others, and always
/// "float" at the end.
[[nodiscard]] std::vector<std::string> weight_types(const ComparisonReport& report);

/// Returns the bytes of all types.
[[nodiscard]] uint64_t weight_bytes(const TypeFacts& facts);
/// Returns the share of one type in all bytes of weights, in [0, 1]; 0 without weights.
[[nodiscard]] double weight_share(const TypeFacts& facts, const std::string& type);

/// Describes how a type was quantized, as a clause: "18 of 18 weighted layers, 24 pairs, calibrator mse".
[[nodiscard]] std::string type_text(const ComparisonReport::Variant& variant);

/// Names the smallest type within the limit with its loss and size, or the closest one where none is, as a clause. ""
/// without a limit.
[[nodiscard]] std::string limit_text(const ComparisonReport& report);

}  // namespace detent
