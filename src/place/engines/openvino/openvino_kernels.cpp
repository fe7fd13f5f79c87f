#include "place/engines/openvino/openvino_kernels.h"

namespace detent {

std::string openvino_kernel_obstacle(const GraphFacts& facts, const Node& layer) {
  const OpKind kind = facts.kind(layer.id);
  if (kind == OpKind::ConvTranspose && layer.int_or("group", 1) != 1)
    return "runs a ConvTranspose with groups in float";
  const MaybeValue data = facts.data_input(layer.id);
  if (kind == OpKind::MatMul && facts.find_rank(data) == 1U) return "makes a matrix of a vector between pairs";
  return "";
}

}  // namespace detent
