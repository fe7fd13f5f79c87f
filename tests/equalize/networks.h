#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "equalize/choose_factors.h"
#include "equalize/equalize_patch.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "model/model.h"
#include "observe/channel_range_observer.h"

namespace detent {

/// "float[2, 1] NAME = {1, 4, ...}": weights of one shape, rows of which differ by factors, so that channels differ.
inline std::string uneven(const std::string& name, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  std::string extents, values;
  for (const int64_t extent : shape) {
    count *= extent;
    extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  }
  std::minstd_rand random(static_cast<uint32_t>(std::hash<std::string>{}(name) % 1000 + 1));
  const int64_t row = std::max<int64_t>(1, count / shape[0]);
  for (int64_t i = 0; i < count; ++i) {
    const double size = std::exp2(static_cast<double>(i / row % 5) - 2);
    const double value = size * (static_cast<double>(random() % 2000) / 1000 - 1);
    values += (i ? ", " : "") + std::to_string(value);
  }
  return "float[" + extents + "] " + name + " = {" + values + "}";
}

/// Returns a network of one input x and one output y, in ONNX text form.
inline Model network(const std::string& nodes, const std::vector<std::string>& constants,
                     const std::string& input = "float[1, 4, 5, 5] x",
                     const std::string& outputs = "float[N, C, H, W] y", int opset = 17) {
  std::string weights;
  for (const std::string& constant : constants) weights += (weights.empty() ? "" : ", ") + constant;
  return parse_model_text("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]>\ng (" + input +
                          ") => (" + outputs + ")\n<" + weights + ">\n{" + nodes + "}");
}

/// Returns normally distributed numbers, the same in every run.
inline Tensor random_input(const Graph& graph, uint32_t seed = 1) {
  const Shape shape{std::span<const int64_t>(*graph.value(graph.inputs()[0]).declared_shape)};
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Tensor tensor(DataType::Float32, shape);
  for (float& element : tensor.mutable_data<float>()) element = normal(random);
  return tensor;
}

inline ValueShapes shapes_of(const Graph& graph, const Tensor& input) {
  struct ShapeObserver : Observer {
    ValueShapes shapes;
    void observe(ValueId value, const Tensor& tensor) override { shapes[value] = tensor.shape(); }
  } observer;
  std::vector<ValueId> wanted;
  for (const Value& value : graph.values())
    if (value.producer || value.is_input) wanted.push_back(value.id);
  const Schedule schedule(graph, wanted, {.fuse = false});
  Executor(schedule).run(std::vector<Tensor>{input}, observer);
  for (const Value& value : graph.values())
    if (const Tensor* constant = graph.constant(value.id)) observer.shapes[value.id] = constant->shape();
  return observer.shapes;
}

inline ChannelRanges ranges_of(const Graph& graph, const std::map<ValueId, int>& axes, const Tensor& input) {
  std::vector<ValueId> wanted;
  for (const auto& [value, axis] : axes) wanted.push_back(value);
  const Schedule schedule(graph, wanted, {});
  ChannelRangeObserver observer(axes);
  Executor(schedule).run(std::vector<Tensor>{input}, observer);
  return observer.ranges();
}

inline std::vector<ChannelGroup> groups_of(const Model& model,
                                           ActivationFactors activations = ActivationFactors::None) {
  const Graph& graph = model.graph();
  return find_channel_groups(graph, shapes_of(graph, random_input(graph)), activations);
}

inline Equalization factors_of(const Model& model, const FactorOptions& options = {},
                               ActivationFactors activations = ActivationFactors::None) {
  const Graph& graph = model.graph();
  const auto groups = groups_of(model, activations);
  return choose_factors(graph, groups, ranges_of(graph, values_to_range(groups), random_input(graph)), options);
}

/// Returns the largest difference of the outputs relative to the largest output, by default on inputs that were not
/// measured.
inline double output_change(const Model& before, const Model& after, uint32_t seed = 7) {
  const Tensor input = random_input(before.graph(), seed);
  const auto run = [&](const Model& model) {
    return run_once(model.graph(), std::vector<Tensor>{input}, {model.graph().outputs().data(), 1}).front();
  };
  const Tensor a = run(before), b = run(after);
  double worst = 0, largest = 0;
  for (size_t i = 0; i < a.data<float>().size(); ++i) {
    worst =
        std::max(worst, std::abs(static_cast<double>(a.data<float>()[i]) - static_cast<double>(b.data<float>()[i])));
    largest = std::max(largest, std::abs(static_cast<double>(a.data<float>()[i])));
  }
  return worst / largest;
}

/// Tolerance: weights are rounded once, 2^-24 each; sums of up to a hundred products add no more than tenfold.
inline constexpr double kRounding = 1e-5;

/// Equalizes everything, expects values of one family and the same outputs.
inline Equalization expect_exact(const Model& model, EqualizeFamily family,
                                 ActivationFactors activations = ActivationFactors::None) {
  const Equalization equalization = factors_of(model, {}, activations);
  EXPECT_FALSE(equalization.empty());
  for (const auto& [name, value] : equalization.values) EXPECT_EQ(value.family, family) << name;
  Model equalized = model.clone();
  apply_patch(equalized, make_equalize_patch(equalized.graph(), equalization));
  EXPECT_LT(output_change(model, equalized), kRounding);
  return equalization;
}

}  // namespace detent
