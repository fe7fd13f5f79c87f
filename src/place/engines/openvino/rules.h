#pragma once

#include <string_view>

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::openvino {

// Sources of more than one rule.
inline constexpr std::string_view kNncfSetups = "github.com/openvinotoolkit/nncf, src/nncf/common/hardware/setups";
inline constexpr std::string_view kOpenVinoPlugin = "OpenVINO 2026.4.1, CPU plugin, asked; November 2026";

extern const Rule kElementwise;
extern const Rule kCopies;
extern const Rule kSymmetric;
extern const Rule kFloatLayers;
extern const Rule kOpenAxes;

}  // namespace detent::rules::openvino
