#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/model.h"
#include "ops/find_operator.h"

namespace detent::test {

struct NodeOptions {
  int opset = 13;
  Layout layout = Layout::Plain;  ///< of the inputs of rank >= 3, for kernels that take it
  size_t outputs = 1;
};

/// Returns the word of a type; libonnx's text parser has none for the newest types, but kernels do not read the
/// declaration.
inline std::string_view declared_type(const Tensor& input) {
  const bool unknown = is_small_float(input.type()) || bit_size(input.type()) < 8;
  return input.empty_handle() || unknown ? "float" : name_of(input.type());
}

/// Runs one node, written "y = Add(a, b)" with inputs a, b, c ... and outputs y, y1, y2 ..., and returns plain outputs.
/// A default Tensor is an input that is left out. Every input is owned alone, so that kernels work in place where they
/// can.
inline std::vector<Tensor> run_node(const std::string& node, std::vector<Tensor> inputs,
                                    const NodeOptions& options = {}) {
  std::string text = "<ir_version: 8, opset_import: [\"\" : " + std::to_string(options.opset) + "]> g (";
  for (size_t i = 0; i < inputs.size(); ++i)
    text += (i ? ", " : "") + std::string(declared_type(inputs[i])) + " " + static_cast<char>('a' + i);
  text += ") => (";
  for (size_t i = 0; i < options.outputs; ++i) text += (i ? ", float y" + std::to_string(i) : "float y");
  const Model model = parse_model_text(text + ") { " + node + " }");
  const Graph& graph = model.graph();
  const OperatorDef* definition = find_operator("", graph.node(NodeId{0}).op_type, options.opset);
  if (!definition) throw Error(ErrorCode::Unsupported, graph.node(NodeId{0}).op_type);
  for (Tensor& input : inputs) {
    if (input.empty_handle()) continue;
    input = input.clone();
    const bool reorder = options.layout == Layout::ChannelsLast && definition->layout != LayoutNeed::Plain;
    if (reorder && input.shape().rank() >= 3) input = to_channels_last(input);
  }
  const KernelContext context{graph, graph.node(NodeId{0}), options.opset};
  const auto kernel = definition->make(context);
  std::vector<Tensor> outputs(options.outputs);
  Workspace workspace;
  KernelCall call(inputs, outputs, {}, Allocator::heap(), workspace);
  kernel->run(call);
  for (Tensor& output : outputs) output = to_plain(output);
  return outputs;
}

inline Tensor run_one(const std::string& node, std::vector<Tensor> inputs, const NodeOptions& options = {}) {
  return run_node(node, std::move(inputs), options).front();
}

/// Returns the same numbers in every run, spread over [low, high].
inline Tensor ramp(const Shape& shape, float low = -3, float high = 3) {
  Tensor tensor(DataType::Float32, shape);
  uint32_t state = 12345;
  for (float& x : tensor.mutable_data<float>()) {
    state = state * 1664525u + 1013904223u;
    x = low + (high - low) * static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
  }
  return tensor;
}

inline std::vector<float> values(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

inline std::vector<int64_t> integers(const Tensor& tensor) {
  const Tensor wide = cast(tensor, DataType::Int64);
  return {wide.data<int64_t>().begin(), wide.data<int64_t>().end()};
}

inline Tensor int64s(std::vector<int64_t> numbers) {
  return Tensor::from<int64_t>(Shape{static_cast<int64_t>(numbers.size())}, numbers);
}

/// Expects every element within `relative` of the expected one, with `absolute` near zero.
inline void expect_close(const Tensor& given, const Shape& shape, const std::vector<double>& expected, double relative,
                         double absolute) {
  ASSERT_EQ(given.shape(), shape) << given.shape().to_string();
  ASSERT_EQ(given.data<float>().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(static_cast<double>(given.data<float>()[i]), expected[i], absolute + relative * std::abs(expected[i]))
        << "element " << i;
}

inline constexpr Layout kLayouts[] = {Layout::Plain, Layout::ChannelsLast};

}  // namespace detent::test
