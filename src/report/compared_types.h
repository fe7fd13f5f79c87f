#pragma once

#include <string>
#include <vector>

#include "detent/compare.h"

namespace detent {

/// The types that some variant's weights have, as keys of TypeFacts::weight_bytes: int8, fp8, int4, then others;
/// "float" last, always.
[[nodiscard]] std::vector<std::string> weight_types(const ComparisonReport& report);

/// All types together.
[[nodiscard]] uint64_t weight_bytes(const TypeFacts& facts);
/// Of all bytes of weights, those of one type, in [0, 1]; 0 without weights.
[[nodiscard]] double weight_share(const TypeFacts& facts, const std::string& type);

/// A clause: how the type was quantized, and how much of the model. "18 of 18 weighted layers, 24 pairs, calibrator
/// mse".
[[nodiscard]] std::string type_text(const ComparisonReport::Variant& variant);

/// A sentence without its full stop: the smallest type within the limit with what it loses and saves, or that there is
/// none, with the one that comes closest. Without a limit "".
[[nodiscard]] std::string limit_text(const ComparisonReport& report);

}  // namespace detent
