#include "prepare/prepare_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "model/graph/float_types.h"
#include "prepare/fold_batchnorm.h"
#include "prepare/forward_constants.h"
#include "prepare/inline_functions.h"
#include "prepare/raise_opset.h"

namespace detent {

Model read_runnable_model(const std::filesystem::path& path) {
  Model model = read_model(path);
  try {
    inline_functions(model);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
  return model;
}

Model read_float_model(const std::filesystem::path& path) {
  Model model = read_runnable_model(path);
  if (is_quantized(model.graph()))
    throw Error(ErrorCode::InvalidModel,
                path.string() +
                    ": the model is already quantized (it holds QuantizeLinear, "
                    "DequantizeLinear or integer operators)",
                "quantize the float model it was made from");
  return model;
}

std::vector<InputSpec> input_specs(const Graph& graph) {
  std::vector<InputSpec> specs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    if (value.declared_type == DataType::Sequence)
      throw Error(ErrorCode::Unsupported, "input '" + value.name + "' is a sequence; samples are made of tensors");
    specs.push_back({value.name, value.declared_type.value_or(DataType::Float32),
                     value.declared_shape.value_or(std::vector<int64_t>{})});
  }
  return specs;
}

namespace {

/// FP16 scales are valid from opset 19 on. Source: ONNX docs/Changelog.md, QuantizeLinear-19.
constexpr int64_t kHalfScalesOpset = 19;

bool needs_half_scales(const Graph& graph, const PrepareOptions& options) {
  return options.half_scales && graph.opset() < kHalfScalesOpset && holds_half_values(graph);
}

}  // namespace

Preparation prepare_model(Model& model, const Target& target, const PrepareOptions& options) {
  Preparation done;
  done.opset_before = model.graph().opset();
  if (done.opset_before < target.minimum_opset) raise_opset(model, target.minimum_opset);
  try {
    if (needs_half_scales(model.graph(), options)) raise_opset(model, kHalfScalesOpset);
  } catch (const Error& error) {
    throw Error(error.code(), std::string("FP16 scales need opset 19: ") + error.what(),
                "--scales fp32 keeps opset " + std::to_string(model.graph().opset()));
  }
  done.opset_after = model.graph().opset();
  done.forwarded_constants = forward_constants(model);
  done.folded_batchnorms = fold_batchnorms(model);
  return done;
}

namespace {

double largest_magnitude(std::span<const float> values) {
  double largest = 0;
  for (const float value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  return largest;
}

void check_same(const Tensor& expected, const Tensor& got, const std::string& what, const std::string& name,
                double share) {
  if (expected.type() != got.type() || expected.shape() != got.shape())
    throw Error(ErrorCode::Internal, what + " changed type or shape of output '" + name + "'");
  if (expected.empty_handle()) return;  // an absent optional
  if (expected.is_sequence()) {
    for (size_t i = 0; i < expected.elements().size(); ++i)
      check_same(expected.elements()[i], got.elements()[i], what, name, share);
    return;
  }
  const Tensor a = cast(expected, DataType::Float32);
  const Tensor b = cast(got, DataType::Float32);
  const bool half = expected.type() == DataType::Float16 || expected.type() == DataType::BFloat16;
  const double bound = share * (half ? 2e-2 : 1e-4) * std::max(largest_magnitude(a.data<float>()), 1e-6);
  double worst = 0;
  for (size_t k = 0; k < a.data<float>().size(); ++k)
    worst =
        std::max(worst, std::abs(static_cast<double>(a.data<float>()[k]) - static_cast<double>(b.data<float>()[k])));
  if (worst <= bound) return;
  char text[64];
  std::snprintf(text, sizeof text, "%.2g, allowed is %.2g", worst, bound);
  throw Error(ErrorCode::Internal, what + " changed output '" + name + "' by " + text);
}

bool may_change(const Graph& graph, const Target& target, const PrepareOptions& options) {
  if (graph.opset() < target.minimum_opset || needs_half_scales(graph, options)) return true;
  return std::ranges::any_of(graph.nodes(), [](const Node& node) {
    return node.op_type == "BatchNormalization" || node.op_type == "Identity";
  });
}

}  // namespace

NamedOutputs outputs_of(const Model& model, std::span<const Tensor> inputs) {
  const Graph& graph = model.graph();
  NamedOutputs outputs{names_of(graph, RunnablePart(graph).ends()), {}};
  outputs.tensors = run_once(graph, inputs, values_named(graph, outputs.names));
  return outputs;
}

void check_same_outputs(const NamedOutputs& before, const Model& after, std::span<const Tensor> inputs,
                        const std::string& what, double share) {
  const std::vector<Tensor> got = run_once(after.graph(), inputs, values_named(after.graph(), before.names));
  for (size_t i = 0; i < got.size(); ++i) check_same(before.tensors[i], got[i], what, before.names[i], share);
}

Preparation prepare_checked(Model& model, const Target& target, std::span<const Tensor> inputs,
                            const PrepareOptions& options) {
  // What the model said before is kept, not the model: its weights would lie in memory twice.
  NamedOutputs before;
  if (!inputs.empty() && may_change(model.graph(), target, options)) before = outputs_of(model, inputs);
  const Preparation preparation = prepare_model(model, target, options);
  if (!inputs.empty() && preparation.changed()) check_same_outputs(before, model, inputs, "folding and opset raising");
  return preparation;
}

}  // namespace detent
