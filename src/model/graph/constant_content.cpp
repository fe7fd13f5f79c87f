#include "model/graph/constant_content.h"

namespace detent {

std::optional<Tensor> constant_content(const Node& node) {
  const auto vector_shape = [](const auto& list) { return Shape{static_cast<int64_t>(list.size())}; };
  if (const Tensor* tensor = node.tensor("value")) return *tensor;
  if (node.has("value_float")) return Tensor::scalar(node.float_or("value_float", 0));
  if (node.has("value_int")) return Tensor::scalar(node.int_or("value_int", 0));
  if (node.has("value_floats")) {
    const std::vector<float> list = node.floats_or("value_floats", {});
    return Tensor::from<float>(vector_shape(list), list);
  }
  if (node.has("value_ints")) {
    const std::vector<int64_t> list = node.ints_or("value_ints", {});
    return Tensor::from<int64_t>(vector_shape(list), list);
  }
  return std::nullopt;
}

}  // namespace detent
