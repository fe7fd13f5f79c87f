// Pairs of weights whose products x86 CPUs without VNNI add in 16 bits.

#include <fmt/core.h>

#include <algorithm>

#include "core/index.h"
#include "core/text.h"
#include "lint/findings/findings.h"
#include "ops/traits.h"
#include "ops/weight_pairs.h"

namespace detent::findings {
namespace {

/// Returns the INT8 codes of a layer's weight in the file: an initializer, or a float constant behind a QuantizeLinear.
/// An empty handle for other types and for weights computed from inputs.
Tensor weight_codes(const Graph& file, const Node& layer, size_t slot) {
  const Node* dequantize = file.producer(layer.input(slot));
  if (!dequantize || traits_of(file, *dequantize).kind != OpKind::DequantizeLinear) return {};
  if (const Tensor* codes = readable_constant(file, dequantize->input(0)))
    return codes->type() == DataType::Int8 ? *codes : Tensor();
  const Node* quantize = file.producer(dequantize->input(0));
  if (!quantize || traits_of(file, *quantize).kind != OpKind::QuantizeLinear) return {};
  const Tensor* numbers = readable_constant(file, quantize->input(0));
  const QdqNode grid = describe_qdq(file, *quantize);
  if (!numbers || grid.codes != DataType::Int8 || grid.scales.empty() || grid.block != 0) return {};
  const Shape& shape = numbers->shape();
  const auto rank = static_cast<int64_t>(shape.rank());
  const int64_t given = grid.axis.value_or(1), axis = given < 0 ? given + rank : given;
  const bool one = grid.scales.size() == 1;
  if (!one && (axis < 0 || axis >= rank || shape[as_index(axis)] != std::ssize(grid.scales))) return {};
  const int64_t inner = one ? 1 : shape.element_count(static_cast<size_t>(axis) + 1, shape.rank());
  const Tensor floats = cast(*numbers, DataType::Float32);
  Tensor codes(DataType::Int8, shape);
  const auto out = codes.mutable_data<int8_t>();
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t at = one ? 0 : static_cast<size_t>(static_cast<int64_t>(i) / inner) % grid.scales.size();
    const auto zero =
        static_cast<int32_t>(grid.zero_points.empty() ? 0 : grid.zero_points[grid.zero_points.size() == 1 ? 0 : at]);
    out[i] = static_cast<int8_t>(
        quantize_element(floats.data<float>()[i], grid.scales[at], zero, code_range(DataType::Int8)));
  }
  return codes;
}

/// True where UINT8 codes end at 127, as PyTorch's reduce_range has them for this reason: 2 * 127 * 128 fits into 16
/// bits.
bool reads_seven_bits(const LintView& view, NodeId layer) {
  const auto pairs = view.pairs_in_front(layer, view.data_slot(layer));
  return !pairs.empty() && std::ranges::all_of(pairs, [&](const QuantizedOperand* pair) {
    const QdqNode& grid = view.grid(*pair);
    return grid.codes == DataType::UInt8 && grid.range().highest <= 127;
  });
}

struct UnsafeLayer {
  NodeId node{};
  std::string name;
  UnsafePairs pairs;
};

std::vector<UnsafeLayer> unsafe_layers(const LintView& view) {
  const Graph& file = view.file().graph;
  std::vector<UnsafeLayer> found;
  for (const LayerDecision& layer : view.found_plan().layers) {
    if (!layer.runs_on_codes()) continue;
    const Node& node = view.node(layer.node);
    const int slot = view.facts().weight_slot(layer.node);
    const MaybeNode written = file.find_node(node.name);
    if (slot < 0 || !written || reads_seven_bits(view, layer.node)) continue;
    const Tensor codes = weight_codes(file, file.node(*written), static_cast<size_t>(slot));
    if (codes.empty_handle()) continue;
    const PairOrder order =
        weight_pairs(file, file.node(*written), slot, codes.shape(), view.target().pairs_taps_apart);
    const UnsafePairs pairs = count_unsafe_pairs(codes, order);
    if (pairs.pairs > 0) found.push_back({layer.node, node.name, pairs});
  }
  return found;
}

std::string loss_text(const LintedFile::CpuLoss& loss) {
  return fmt::format(
      "; on {} samples SQNR falls from {:.1f} to {:.1f} dB there, against the same weights and float activations",
      loss.samples, loss.exact_db, loss.saturated_db);
}

}  // namespace

void saturates_without_vnni(const LintView& view, FindingLog& log) {
  if (!view.target().saturates_without_vnni) return;
  const std::vector<UnsafeLayer> layers = unsafe_layers(view);
  if (layers.empty()) return;
  int64_t pairs = 0, all = 0;
  std::vector<NodeId> nodes;
  for (const UnsafeLayer& layer : layers) {
    pairs += layer.pairs.pairs, all += layer.pairs.all_pairs;
    nodes.push_back(layer.node);
  }
  const UnsafeLayer& worst = *std::ranges::max_element(layers, {}, [](const UnsafeLayer& layer) {
    return static_cast<double>(layer.pairs.pairs) / static_cast<double>(layer.pairs.all_pairs);
  });
  const auto& loss = view.file().cpu_loss;
  constexpr double kErrorDb = 3;
  const bool large = loss && !(loss->exact_db - loss->saturated_db <= kErrorDb);
  log.add(worst.name,
          fmt::format("{} of {} pairs of weights in {} can saturate on x86 CPUs without VNNI, which add the "
                      "products of two neighbouring weights in 16 bits; this layer has the largest share{}",
                      pairs, all, plural(layers.size(), "layer"), loss ? loss_text(*loss) : ""),
          "quantize the float model with `detent quantize --target onnxruntime`, whose weights never saturate, or set "
          "the session option session.x64quantprecision=1, which takes longer",
          nodes, large ? FindingLevel::Error : FindingLevel::Warning);
}

}  // namespace detent::findings
