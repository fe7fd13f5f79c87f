#include "tune/refine/layer_matrix.h"

#include <algorithm>

#include "ops/traits.h"
#include "ops/window/window.h"

namespace detent {

namespace {

/// Up to `most` positions of a layer: all, or multiples of the golden section, which do not align with image rows.
struct Positions {
  int64_t all = 0, taken = 0;

  Positions(int64_t count, int64_t most) : all(count), taken(std::min(count, most)) {}
  [[nodiscard]] int64_t at(int64_t i) const {
    if (taken == all) return i;
    const uint64_t fraction = static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15U >> 32;  // of 2^32
    return static_cast<int64_t>(fraction * static_cast<uint64_t>(all) >> 32);
  }
};

/// The window of a convolution, or of a transposed one, over its input.
class Walk {
 public:
  Walk(const Node& node, const Shape& weight, const Shape& input, OpKind kind)
      : transposed_(kind == OpKind::ConvTranspose), input_(input.begin() + 2, input.end()) {
    const std::vector<int64_t> kernel(weight.begin() + 2, weight.end());
    const WindowAttributes attributes = WindowAttributes::parse(node);
    window_ = transposed_ ? resolve_transposed_window(attributes, input_, kernel, node.ints_or("output_padding", {}),
                                                      node.ints_or("output_shape", {}))
                          : resolve_window(attributes, input_, kernel);
  }

  [[nodiscard]] int64_t outputs() const { return Shape(window_.output).element_count(); }
  [[nodiscard]] int64_t plane() const { return Shape(input_).element_count(); }

  /// Finds for each tap of the output at `position` the element of a channel's plane that it reads, or -1.
  void find_taps(int64_t position, std::vector<int64_t>& taps) const {
    taps.assign(1, 0);
    int64_t below = outputs();
    for (size_t axis = 0; axis < input_.size(); ++axis) {
      below /= window_.output[axis];
      const int64_t out = position / below % window_.output[axis];
      std::vector<int64_t> wider;
      for (const int64_t tap : taps)
        for (int64_t k = 0; k < window_.kernel[axis]; ++k) {
          const int64_t in = source(axis, out, k);
          wider.push_back(tap < 0 || in < 0 ? -1 : tap * input_[axis] + in);
        }
      taps = std::move(wider);
    }
  }

 private:
  [[nodiscard]] int64_t source(size_t axis, int64_t out, int64_t k) const {
    const int64_t stride = window_.strides[axis], step = k * window_.dilations[axis];
    const int64_t in =
        transposed_ ? out + window_.pad_begin[axis] - step : out * stride - window_.pad_begin[axis] + step;
    if (in < 0 || (transposed_ && in % stride != 0)) return -1;
    const int64_t at = transposed_ ? in / stride : in;
    return at < input_[axis] ? at : -1;
  }

  bool transposed_;
  std::vector<int64_t> input_;
  Window window_;
};

std::vector<float> convolution_vectors(const Walk& walk, const LayerMatrix& matrix, const Tensor& input, int64_t most) {
  const auto x = input.data<float>();
  const int64_t batch = input.shape()[0], channels = matrix.columns / matrix.taps;
  const Positions positions(batch * walk.outputs(), most);
  std::vector<float> vectors(static_cast<size_t>(matrix.groups * positions.taken * matrix.columns));
  std::vector<int64_t> taps;
  for (int64_t p = 0; p < positions.taken; ++p) {
    const int64_t sample = positions.at(p) / walk.outputs();
    walk.find_taps(positions.at(p) % walk.outputs(), taps);
    for (int64_t c = 0; c < matrix.groups * channels; ++c) {
      float* out = &vectors[static_cast<size_t>((c / channels * positions.taken + p) * matrix.columns +
                                                c % channels * matrix.taps)];
      const int64_t plane = (sample * matrix.groups * channels + c) * walk.plane();
      for (size_t t = 0; t < taps.size(); ++t) out[t] = taps[t] < 0 ? 0.0F : x[static_cast<size_t>(plane + taps[t])];
    }
  }
  return vectors;
}

/// along  axis of the input that the product sums over.
std::vector<float> product_vectors(const LayerMatrix& matrix, const Tensor& input, size_t along, int64_t most) {
  const Shape& shape = input.shape();
  const auto x = input.data<float>();
  const int64_t inner = shape.element_count(along + 1, shape.rank());
  const Positions positions(matrix.columns > 0 ? input.element_count() / matrix.columns : 0, most);
  std::vector<float> vectors(static_cast<size_t>(positions.taken * matrix.columns));
  for (int64_t p = 0; p < positions.taken; ++p) {
    const int64_t start = positions.at(p) / inner * matrix.columns * inner + positions.at(p) % inner;
    for (int64_t k = 0; k < matrix.columns; ++k)
      vectors[static_cast<size_t>(p * matrix.columns + k)] = x[static_cast<size_t>(start + k * inner)];
  }
  return vectors;
}

}  // namespace

std::optional<LayerMatrix> layer_matrix(const Graph& graph, const WeightDecision& weight) {
  const Tensor* constant = graph.constant(weight.value);
  if (!constant) return std::nullopt;
  const Node& node = graph.node(weight.node);
  const Shape& shape = constant->shape();
  const OpKind kind = traits_of(graph, node).kind;
  if (kind == OpKind::Conv || kind == OpKind::ConvTranspose) {
    const int64_t groups = node.int_or("group", 1), taps = shape.element_count(2, shape.rank());
    if (shape.rank() < 3 || weight.slot != 1 || groups < 1 || shape[0] % groups != 0) return std::nullopt;
    const int64_t first = shape[0] / groups, second = shape[1];
    if (kind == OpKind::Conv)
      return LayerMatrix{groups, first, second * taps, taps, first * second * taps, second * taps, taps};
    return LayerMatrix{groups, second, first * taps, taps, first * second * taps, taps, second * taps};
  }
  if ((kind != OpKind::Gemm && kind != OpKind::MatMul) || shape.rank() != 2) return std::nullopt;
  if (kind == OpKind::Gemm && weight.slot != 1) return std::nullopt;
  const bool rows_first = kind == OpKind::Gemm ? node.int_or("transB", 0) != 0 : weight.slot == 0;
  if (rows_first) return LayerMatrix{1, shape[0], shape[1], 1, 0, shape[1], 1};
  return LayerMatrix{1, shape[1], shape[0], 1, 0, 1, shape[1]};
}

std::vector<float> input_vectors(const Graph& graph, const WeightDecision& weight, const LayerMatrix& matrix,
                                 const Tensor& input, int64_t most) {
  const Node& node = graph.node(weight.node);
  const OpKind kind = traits_of(graph, node).kind;
  if (kind == OpKind::Conv || kind == OpKind::ConvTranspose)
    return convolution_vectors({node, graph.constant(weight.value)->shape(), input.shape(), kind}, matrix, input, most);
  const size_t rank = input.shape().rank();
  const bool second_to_last = kind == OpKind::Gemm ? node.int_or("transA", 0) != 0 : weight.slot == 0 && rank > 1;
  return product_vectors(matrix, input, rank - (second_to_last ? 2 : 1), most);
}

}  // namespace detent
