#include "pipeline/prepare_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "model/fold_batchnorm.h"
#include "model/inline_functions.h"
#include "model/raise_opset.h"

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

Preparation prepare_model(Model& model, const Target& target) {
  Preparation done;
  done.opset_before = model.graph().opset();
  if (done.opset_before < target.minimum_opset) raise_opset(model, target.minimum_opset);
  done.opset_after = model.graph().opset();
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

void check_same(const Tensor& expected, const Tensor& got, const std::string& what, const std::string& name) {
  if (expected.type() != got.type() || expected.shape() != got.shape())
    throw Error(ErrorCode::Internal, what + " changed type or shape of output '" + name + "'");
  if (expected.empty_handle()) return;  // an absent optional
  if (expected.is_sequence()) {
    for (size_t i = 0; i < expected.elements().size(); ++i)
      check_same(expected.elements()[i], got.elements()[i], what, name);
    return;
  }
  const Tensor a = cast(expected, DataType::Float32);
  const Tensor b = cast(got, DataType::Float32);
  const bool half = expected.type() == DataType::Float16 || expected.type() == DataType::BFloat16;
  const double bound = (half ? 2e-2 : 1e-4) * std::max(largest_magnitude(a.data<float>()), 1e-6);
  double worst = 0;
  for (size_t k = 0; k < a.data<float>().size(); ++k)
    worst =
        std::max(worst, std::abs(static_cast<double>(a.data<float>()[k]) - static_cast<double>(b.data<float>()[k])));
  if (worst <= bound) return;
  char text[64];
  std::snprintf(text, sizeof text, "%.2g, allowed is %.2g", worst, bound);
  throw Error(ErrorCode::Internal, what + " changed output '" + name + "' by " + text);
}

}  // namespace

void check_same_outputs(const Model& before, const Model& after, std::span<const Tensor> inputs,
                        const std::string& what) {
  const Graph& old_graph = before.graph();
  const Graph& new_graph = after.graph();
  const std::vector<std::string> names = names_of(old_graph, RunnablePart(old_graph).ends());
  const std::vector<Tensor> expected = run_once(old_graph, inputs, values_named(old_graph, names));
  const std::vector<Tensor> got = run_once(new_graph, inputs, values_named(new_graph, names));
  for (size_t i = 0; i < expected.size(); ++i) check_same(expected[i], got[i], what, names[i]);
}

}  // namespace detent
