#include "rewrite/pack_products.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "core/float_type.h"
#include "core/index.h"
#include "model/name_source.h"

namespace detent {
namespace {

constexpr int64_t kChannelBlock = 128, kLeastBlock = 16;

/// A matrix [K, N] in codes.
struct CodedMatrix {
  const Tensor* codes = nullptr;
  const Tensor* scales = nullptr;  ///< [N], or [blocks, N]
  int64_t block = 0;               ///< rows; 0: all
};

bool is_zero(const Tensor* zero_point) {
  if (!zero_point) return false;
  const Tensor numbers = cast(*zero_point, DataType::Float32);
  return std::ranges::all_of(numbers.data<float>(), [](float number) { return number == 0; });
}

/// Returns the matrix that a DequantizeLinear writes; nullopt where MatMulNBits cannot hold it.
std::optional<CodedMatrix> matrix_of(const Graph& graph, const Node& dequantize) {
  CodedMatrix matrix{graph.constant(dequantize.input(0)), graph.constant(dequantize.input(1)),
                     dequantize.int_or("block_size", 0)};
  if (!matrix.codes || !matrix.scales || matrix.codes->shape().rank() != 2) return std::nullopt;
  if (matrix.codes->type() != DataType::Int8 && matrix.codes->type() != DataType::Int4) return std::nullopt;
  if (dequantize.input(2) && !is_zero(graph.constant(dequantize.input(2)))) return std::nullopt;
  const int64_t rows = matrix.codes->shape()[0], columns = matrix.codes->shape()[1];
  if (rows == 0 || columns == 0) return std::nullopt;
  const int64_t axis = dequantize.int_or("axis", 1);
  if (matrix.block == 0) {
    const bool by_column = (axis == 1 || axis == -1) && matrix.scales->shape() == Shape{columns};
    return by_column ? std::optional(matrix) : std::nullopt;
  }
  if (matrix.block < kLeastBlock || !std::has_single_bit(static_cast<uint64_t>(matrix.block))) return std::nullopt;
  const Shape blocks{(rows + matrix.block - 1) / matrix.block, columns};
  const bool by_rows = (axis == 0 || axis == -2) && matrix.scales->shape() == blocks;
  return by_rows ? std::optional(matrix) : std::nullopt;
}

struct Packed {
  Tensor codes, scales;
  int64_t bits, block;
};

Packed pack(const CodedMatrix& matrix) {
  const int64_t rows = matrix.codes->shape()[0], columns = matrix.codes->shape()[1];
  const int64_t bits = matrix.codes->type() == DataType::Int4 ? 4 : 8;
  const int64_t block = matrix.block == 0 ? kChannelBlock : matrix.block, blocks = (rows + block - 1) / block;
  const int64_t bytes = block * bits / 8;
  const int zero = 1 << (bits - 1);
  const uint8_t filler = bits == 4 ? 0x88 : 0x80;  // rows beyond the last
  Packed packed{Tensor(DataType::UInt8, Shape{columns, blocks, bytes}), {}, bits, block};
  const auto out = packed.codes.mutable_data<uint8_t>();
  std::ranges::fill(out, filler);
  const auto codes = matrix.codes->data<int8_t>();
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t row = 0; row < rows; ++row) {
      const int code = codes[as_index(row * columns + column)] + zero;
      uint8_t& byte = out[as_index((column * blocks + row / block) * bytes + row % block * bits / 8)];
      if (bits == 8)
        byte = static_cast<uint8_t>(code);
      else  // the low half first
        byte = static_cast<uint8_t>(row % 2 == 0 ? (byte & 0xF0) | code : (byte & 0x0F) | code << 4);
    }
  const Tensor scales = cast(*matrix.scales, DataType::Float32);
  Tensor repeated(DataType::Float32, Shape{columns * blocks});
  const auto scale_of = repeated.mutable_data<float>();
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t at = 0; at < blocks; ++at)
      scale_of[as_index(column * blocks + at)] =
          scales.data<float>()[as_index(matrix.block == 0 ? column : at * columns + column)];
  packed.scales = cast(repeated, matrix.scales->type());
  return packed;
}

}  // namespace

GraphPatch pack_products(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "write products of weights in codes as MatMulNBits";
  NameSource names(graph);
  for (const Node& node : graph.nodes()) {
    if (node.op_type != "MatMul" || !node.domain.empty() || !node.input(0) || !node.input(1)) continue;
    const Node* dequantize = graph.producer(node.input(1));
    if (!dequantize || dequantize->op_type != "DequantizeLinear" || !dequantize->domain.empty()) continue;
    const Value& weight = graph.value(*node.input(1));
    if (weight.uses.size() != 1 || weight.is_output) continue;
    const auto matrix = matrix_of(graph, *dequantize);
    if (!matrix) continue;
    Packed packed = pack(*matrix);
    const std::string codes = names.fresh(weight.name + "_packed"), scales = names.fresh(weight.name + "_scales");
    patch.add_initializers.emplace_back(codes, std::move(packed.codes));
    patch.add_initializers.emplace_back(scales, std::move(packed.scales));
    patch.add_nodes.push_back({"MatMulNBits",
                               names.fresh(node.name + "_MatMulNBits"),
                               {graph.value(*node.input(0)).name, codes, scales},
                               {graph.value(*node.output(0)).name},
                               {{"K", matrix->codes->shape()[0]},
                                {"N", matrix->codes->shape()[1]},
                                {"bits", packed.bits},
                                {"block_size", packed.block}},
                               "com.microsoft"});
    patch.remove_nodes.push_back(node.name);
    patch.remove_nodes.push_back(dequantize->name);
  }
  return patch;
}

}  // namespace detent
