#pragma once

#include <string>

#include "lint/view/pair_view.h"

namespace detent {

/// Returns why OpenVINO does not run the weighted op in INT8; empty when it does.
[[nodiscard]] std::string openvino_obstacle(const PairView& view, NodeId layer);

}  // namespace detent
