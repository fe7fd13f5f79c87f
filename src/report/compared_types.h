#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/compare.h"

namespace detent {

/// Returns the variant that `report.winner` names; null when there is none.
template <class Report>
[[nodiscard]] auto winning_variant(const Report& report) {
  const auto found = std::ranges::find(report.variants, report.winner, &ComparedVariant::name);
  return found == report.variants.end() ? nullptr : &*found;
}

/// Returns a metric of a variant or the float model; nothing where it was not measured.
[[nodiscard]] std::optional<double> find_metric(const std::map<std::string, double>& metrics, const std::string& name);

/// Returns part / whole; of a whole of 0 `part`.
[[nodiscard]] double ratio_of(uint64_t part, uint64_t whole);

/// Returns the types of the variants' weights, as keys of TypeFacts::weight_bytes: int8, fp8, int4, others, and always
/// "float" at the end.
[[nodiscard]] std::vector<std::string> weight_types(const CompareTypesReport& report);

/// Returns the bytes of all types.
[[nodiscard]] uint64_t weight_bytes(const TypeFacts& facts);
/// Returns the share of one type in all bytes of weights, in [0, 1]; 0 without weights.
[[nodiscard]] double weight_share(const TypeFacts& facts, const std::string& type);

/// Describes how a type was quantized, as a clause: "18 of 18 weighted layers, 24 pairs, calibrator mse".
[[nodiscard]] std::string type_text(const TypeVariant& variant);

/// Names the smallest type within the limit with its loss and size, or the closest one where none is, as a clause. ""
/// without a limit.
[[nodiscard]] std::string limit_text(const CompareTypesReport& report);

/// One of the three comparisons, as text and page print it.
struct PrintedComparison : ComparisonReport {
  PrintedComparison(const CompareCalibratorsReport& report);
  PrintedComparison(const CompareTargetsReport& report);
  PrintedComparison(const CompareTypesReport& report);

  struct Variant : ComparedVariant {
    std::string takes;  ///< the calibrator, where it is not the name
    const TargetVariant* target = nullptr;
    const TypeVariant* type = nullptr;
  };
  std::string target;
  std::vector<Variant> variants;
  std::optional<EqualizeReport> equalized;
  PlanReport plan;
  std::vector<ValueHistogram> values;
  std::vector<std::string> targets;
  const CompareTypesReport* types = nullptr;
};

/// Returns the kind of the variants: "calibrator", "type" or "target".
[[nodiscard]] std::string compared_kind(const PrintedComparison& report);

/// True when the calibrator that gave the ranges is not a part of the variant's name.
[[nodiscard]] bool adds_calibrator(const PrintedComparison::Variant& variant);

/// Returns the number of weighted layers of a target that stay float.
[[nodiscard]] size_t count_float_layers(const TargetVariant& variant);

}  // namespace detent
