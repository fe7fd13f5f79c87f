#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/compare.h"

namespace detent {

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

}  // namespace detent
