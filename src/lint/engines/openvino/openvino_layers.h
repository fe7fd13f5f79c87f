#pragma once

#include <string>

#include "lint/view/pair_view.h"

namespace detent {

/// True for a grid without a zero point.
[[nodiscard]] bool is_symmetric(const QdqNode& node);

/// Returns why OpenVINO does not run the weighted op in INT8; empty when it does.
[[nodiscard]] std::string openvino_obstacle(const PairView& view, NodeId layer);

}  // namespace detent
