#include "ops/dequantizer.h"

#include <cmath>

#include "model/graph/tensor_proto.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Returns the type of codes that a DequantizeLinear without zero point reads; Undefined where the graph does not tell.
DataType type_of_codes(const KernelContext& dequantizer) {
  if (const Tensor* codes = dequantizer.constant(0)) return codes->type();
  const Node* producer = dequantizer.graph.producer(dequantizer.node.inputs[0]);
  if (!producer || traits_of(dequantizer.graph, *producer).kind != OpKind::QuantizeLinear) return DataType::Undefined;
  const KernelContext quantizer{dequantizer.graph, *producer, dequantizer.opset, {}, dequantizer.folded};
  if (const Tensor* zero_point = quantizer.constant(2)) return zero_point->type();
  if (producer->input(2)) return DataType::Undefined;
  const int64_t named = producer->int_or("output_dtype", 0);
  return named == 0 ? DataType::UInt8 : data_type_from_onnx(named);
}

}  // namespace

std::optional<Dequantizer> dequantizer_of(const KernelContext& context, size_t slot) {
  const Node* node = context.graph.producer(context.node.input(slot));
  if (!node || traits_of(context.graph, *node).kind != OpKind::DequantizeLinear || node->int_or("block_size", 0) != 0 ||
      node->int_or("output_dtype", 0) != 0)
    return std::nullopt;
  const KernelContext own{context.graph, *node, context.opset, {}, context.folded};
  const Tensor* scale = own.constant(1);
  const Tensor* zero_point = own.constant(2);
  if (!scale || scale->type() != DataType::Float32 || scale->shape().rank() > 1) return std::nullopt;
  if (node->input(2) && !zero_point) return std::nullopt;
  Dequantizer found{.node = node};
  for (const float one : scale->data<float>()) {
    if (!(one > 0) || !std::isfinite(one)) return std::nullopt;
    found.scales.push_back(one);
  }
  found.zero_points.assign(found.scales.size(), 0);
  found.type = zero_point ? zero_point->type() : type_of_codes(own);
  if (zero_point && zero_point->element_count() != scale->element_count()) return std::nullopt;
  if (found.type != DataType::Int8 && found.type != DataType::UInt8) return std::nullopt;
  for (size_t i = 0; zero_point && i < found.zero_points.size(); ++i)
    found.zero_points[i] =
        found.type == DataType::Int8 ? int32_t{zero_point->data<int8_t>()[i]} : int32_t{zero_point->data<uint8_t>()[i]};
  return found;
}

}  // namespace detent
