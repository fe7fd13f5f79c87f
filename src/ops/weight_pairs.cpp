#include "ops/weight_pairs.h"

#include "ops/traits.h"

namespace detent {

PairOrder weight_pairs(const Graph& graph, const Node& node, int slot, const Shape& weight, bool taps_apart) {
  const int rank = static_cast<int>(weight.rank());
  if (slot != 1 || rank == 0) return {};
  switch (traits_of(graph, node).kind) {
    case OpKind::Conv: {
      const int64_t groups = node.int_or("group", 1);
      const bool depthwise = rank >= 2 && weight[1] == 1 && groups == weight[0];
      if (rank < 3 || depthwise) return {};
      return {PairOrder::Kind::Convolution, 0, taps_apart && groups == 1};
    }
    case OpKind::ConvTranspose:
      if (rank < 3 || node.int_or("group", 1) != 1) return {};
      return {PairOrder::Kind::Deconvolution, 1};
    case OpKind::Gemm:
      if (rank != 2) return {};
      return {PairOrder::Kind::Matrix, node.int_or("transB", 0) != 0 ? 0 : 1};
    case OpKind::MatMul: return {PairOrder::Kind::Matrix, rank - 1};
    default: return {};
  }
}

}  // namespace detent
