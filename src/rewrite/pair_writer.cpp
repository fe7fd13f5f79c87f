#include "rewrite/pair_writer.h"

#include <algorithm>

#include "model/graph/tensor_proto.h"

namespace detent {

namespace {

Shape shape_of(const QParams& qparams) { return qparams.axis < 0 ? Shape{} : Shape{std::ssize(qparams.scale)}; }

/// Returns the domain of the operators for codes of a type. Source: QuantizeLinear-21; onnxruntime, quantization
/// option UseQDQContribOps.
std::string domain_of(DataType codes, const Graph& graph) {
  const auto formats = code_formats();
  const auto format = std::ranges::find(formats, codes, &CodeFormat::type);
  const bool wide = format != formats.end() && format->bits == 16 && graph.opset() < format->opset;
  return wide ? std::string(kMicrosoftDomain) : "";
}

Attribute to_type(DataType type) { return {"to", static_cast<int64_t>(onnx_type_of(type))}; }

}  // namespace

std::string PairWriter::add_constant(const std::string& wish, Tensor tensor) {
  const std::string added = fresh(wish);
  patch_.add_initializers.emplace_back(added, std::move(tensor));
  return added;
}

PairWriter::Grid PairWriter::add_grid(const std::string& wish, const QParams& qparams, DataType scale_type) {
  // Engines differ in the default axis; with one scale it has no meaning.
  const int64_t axis = std::max(qparams.axis, 0);
  const Shape shape = shape_of(qparams);
  Tensor scale = cast(Tensor::from<float>(shape, qparams.scale), scale_type);
  Tensor zero_point = cast(Tensor::from<int32_t>(shape, qparams.zero_point), qparams.type);
  const std::string scale_name = add_constant(wish + "_scale", std::move(scale));
  return {scale_name, add_constant(wish + "_zero_point", std::move(zero_point)), axis, scale_type,
          domain_of(qparams.type, graph_)};
}

PairWriter::Grid PairWriter::in_type(const Grid& grid, const std::string& wish, const QParams& qparams,
                                     DataType scale_type) {
  if (scale_type == grid.scale_type) return grid;
  Grid other = grid;
  other.scale_type = scale_type;
  other.scale = add_constant(wish + "_scale_" + std::string(name_of(scale_type)),
                             cast(Tensor::from<float>(shape_of(qparams), qparams.scale), scale_type));
  return other;
}

std::string PairWriter::add_quantize(const std::string& wish, std::string source, const Grid& grid, DataType type) {
  if (type != grid.scale_type) {
    const std::string wide = fresh(wish + "_to_scale_type");
    patch_.add_nodes.push_back({"Cast", fresh(wide + "_Cast"), {source}, {wide}, {to_type(grid.scale_type)}, ""});
    source = wide;
  }
  const std::string codes = fresh(wish + "_quantized");
  patch_.add_nodes.push_back({"QuantizeLinear",
                              fresh(wish + "_QuantizeLinear"),
                              {source, grid.scale, grid.zero_point},
                              {codes},
                              {{"axis", grid.axis}},
                              grid.domain});
  return codes;
}

void PairWriter::add_dequantize(const std::string& wish, const std::string& codes, const std::string& result,
                                const Grid& grid, DataType type) {
  const bool casts = type != grid.scale_type;
  const std::string output = casts ? fresh(wish + "_dequantized_" + std::string(name_of(grid.scale_type))) : result;
  patch_.add_nodes.push_back({"DequantizeLinear",
                              fresh(wish + "_DequantizeLinear"),
                              {codes, grid.scale, grid.zero_point},
                              {output},
                              {{"axis", grid.axis}},
                              grid.domain});
  if (casts) patch_.add_nodes.push_back({"Cast", fresh(wish + "_Cast"), {output}, {result}, {to_type(type)}, ""});
}

void PairWriter::read(NodeId node, int slot, const std::string& value) {
  patch_.rewire.push_back({graph_.node(node).name, slot, value});
}

}  // namespace detent
