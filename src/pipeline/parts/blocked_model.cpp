#include "pipeline/parts/blocked_model.h"

#include <algorithm>

#include "core/text.h"
#include "detent/base/error.h"
#include "detent/base/version.h"
#include "exec/same_outputs.h"
#include "ops/traits.h"
#include "place/engines/target_versions.h"
#include "prepare/fit_opset.h"
#include "prepare/raise_opset.h"
#include "prepare/weights_in_rows.h"
#include "run/workers.h"
#include "tune/weights/block_variants.h"

namespace detent {

namespace {

/// Raises the opset for the format and rearranges constants as engines need them, checked on `inputs`.
size_t prepare(Model& model, const BlockFormat& format, std::span<const Tensor> inputs) {
  const bool raises = model.graph().opset() < opset_for(format);
  const bool rearranges = !put_weights_in_rows(model.graph()).rewire.empty();
  if (!raises && !rearranges) return 0;
  const NamedOutputs before = inputs.empty() ? NamedOutputs{} : outputs_of(model, inputs);
  if (raises) raise_opset(model, opset_for(format));
  const size_t rearranged = put_weights_in_rows(model);
  if (!inputs.empty()) check_same_outputs(before, model, inputs, "raising the opset and rearranging weights");
  return rearranged;
}

constexpr int64_t kPairsOpset = 20;

/// True for a file with pairs that stays below opset 21. From there on ONNX Runtime's fusions copy a QuantizeLinear
/// with `output_dtype`, and releases 1.30 to 1.32 then refuse INT8 pairs.
bool has_low_pairs(const Graph& graph) {
  return graph.opset() <= kPairsOpset && std::ranges::any_of(graph.nodes(), [](const Node& node) {
           return node.op_type == "QuantizeLinear" && node.domain.empty();
         });
}

/// True when blocks are worth their opset: there are products, and no pairs of a lower opset.
bool needs_blocks(const Graph& graph) {
  return !has_low_pairs(graph) && std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    const OpKind kind = traits_of(graph, node).kind;
    return kind == OpKind::MatMul || kind == OpKind::Gemm;
  });
}

/// Returns the options as the command line spells them.
std::string options_text(const BlockedModel& blocked, const BlockedRequest& request) {
  const int64_t block = blocked.format.block;
  std::string text = "weight-only=" + std::string(name_of(request.format.codes)) +
                     "; block=" + (block == 0 ? std::string("channel") : std::to_string(block));
  for (const std::string& pattern : request.nodes.exclude) text += "; exclude=" + pattern;
  for (const std::string& op : request.nodes.exclude_op) text += "; exclude-op=" + op;
  if (blocked.rounding && blocked.rounding->kept) text += "; rounding=moments";
  const std::vector<std::string>& judged = request.run.judged_outputs;
  if (!judged.empty()) text += "; judged-outputs=" + join(judged, ",");
  return text;
}

}  // namespace

BlockFormat block_format(const WeightFormat& format) {
  const bool known = format.block == 0 || format.block == 16 || format.block == 32 || format.block == 64 ||
                     format.block == 128 || format.block == 256;
  if (!known)
    throw Error(ErrorCode::InvalidOption, "no engine has blocks of " + std::to_string(format.block),
                "16, 32, 64, 128, 256 or channel");
  return {.codes = format.codes == WeightCodes::Int4 ? DataType::Int4 : DataType::Int8, .block = format.block};
}

BlockedModel make_blocked_model(Model model, const BlockedRequest& request, const DataSource* data,
                                std::span<const Tensor> inputs) {
  BlockedModel blocked{.model = std::move(model), .format = block_format(request.format)};
  blocked.format.divides = request.target.engine.shortens_blocks;
  if (blocked.format.codes == DataType::Int8 && !needs_blocks(blocked.model.graph())) blocked.format.block = 0;
  if (opset_for(blocked.format) > kPairsOpset && has_low_pairs(blocked.model.graph()))
    throw Error(ErrorCode::InvalidOption,
                "4-bit codes need opset 21, in which ONNX Runtime refuses pairs of an older opset",
                "--type int8, or make the weights of the float model codes");
  // First: the hint of the opset could name a version that has no such codes.
  if (blocked.format.codes == DataType::Int4) check_takes_4bit_codes(request.target, "--type int8");
  check_opset_limit(request.target, opset_for(blocked.format), "blocks of codes need");
  fit_opset(blocked.model, request.target);
  blocked.rearranged = prepare(blocked.model, blocked.format, inputs);
  const Graph& graph = blocked.model.graph();
  blocked.plan = make_weights_plan(graph, request.target, request.nodes, blocks_of(blocked.format));
  blocked.weights = quantize_weights(graph, blocked.plan, blocked.format, worker_count(request.run));
  if (!data || blocked.plan.weights.empty()) return blocked;
  blocked.rounding = round_blocks(blocked.model, blocked.plan, blocked.format, blocked.weights, *data, request.run);
  blocked.weights = std::move(blocked.rounding->weights);
  return blocked;
}

std::vector<TiedTable> write_blocks(BlockedModel& blocked) {
  return insert_blocks(blocked.model, blocked.plan, blocked.weights, blocked.format);
}

Provenance describe_blocked_origin(const BlockedModel& blocked, const BlockedRequest& request,
                                   const ModelFacts& facts) {
  return {.producer = tool_version(),
          .target = request.target.spec(),
          .calibrator = "",
          .ranges = "",
          .samples = blocked.rounding ? blocked.rounding->samples : 0,
          .sample_digest = "",
          .options = options_text(blocked, request),
          .source_producer = facts.producer};
}

}  // namespace detent
