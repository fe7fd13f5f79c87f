#pragma once

#include <string>
#include <string_view>

#include "detent/options/float_types.h"

namespace detent {

/// Of a plan without data.
inline constexpr std::string_view kValuesNotMeasured =
    "no value was measured: with --data, nodes whose values a 16-bit type would ruin stay in float32 too";

/// Equal for nodes that stay FP32 for one reason: reports list those together.
[[nodiscard]] inline std::string group_key(const FloatReport::Exception& exception) {
  return exception.rule + "\n" + exception.value + "\n" + exception.reason;
}

}  // namespace detent
