// The table of TensorRT's kernels against what the engine did: each row of tests/engines/tensorrt/kernels.csv was built
// by TensorRT 10.6 on an H100 and inspected.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "model/half_constants.h"
#include "place/engines/tensorrt/kernels.h"
#include "place/make_plan.h"
#include "place/placement_case_reader.h"

namespace detent::test {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char letter : line) {
    if (letter == ',')
      cells.emplace_back();
    else
      cells.back() += letter;
  }
  return cells;
}

std::vector<Row> measured_rows() {
  std::ifstream file(std::filesystem::path(DETENT_SOURCE_DIR) / "tests/engines/tensorrt/kernels.csv");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = cells_of(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Row row;
    for (size_t i = 0; i < names.size(); ++i) row[names[i]] = cells.at(i);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Nodes of each activation, from v to a.
const std::map<std::string, std::string> kActivations{
    {"none", "a = Identity (v)"},
    {"relu", "a = Relu (v)"},
    {"leaky", "a = LeakyRelu (v)"},
    {"clip6", "a = Clip (v, zero, six)"},
    {"sigmoid", "a = Sigmoid (v)"},
    {"tanh", "a = Tanh (v)"},
    {"elu", "a = Elu (v)"},
    {"softplus", "a = Softplus (v)"},
    {"hardswish", "a = HardSwish (v)"},
    {"hardsigmoid", "a = HardSigmoid (v)"},
    {"silu", "b = Sigmoid (v)\n a = Mul (v, b)"},
    {"quickgelu", "b = Mul (v, six)\n c = Sigmoid (b)\n a = Mul (v, c)"},
    {"mish", "b = Softplus (v)\n c = Tanh (b)\n a = Mul (v, c)"},
    {"hardsigmoid_mul", "b = HardSigmoid (v)\n a = Mul (v, b)"},
    {"clip_mul", "b = Add (v, six)\n c = Clip (b, zero, six)\n d = Mul (v, c)\n a = Div (d, six)"},
    {"gelu", "b = Div (v, six)\n c = Erf (b)\n d = Add (c, six)\n e = Mul (v, d)\n a = Mul (e, six)"},
    {"prelu", "a = PRelu (v, six)"},
};

std::string joined(const std::vector<std::string>& numbers) {
  std::string text;
  for (const std::string& number : numbers) text += (text.empty() ? "" : ",") + number;
  return text;
}

/// Returns the network of tests/engines/tensorrt/probes.py, whose layer under test writes v, without pairs.
std::string model_of(const Row& row) {
  const size_t axes = std::stoul(row.at("axes"));
  const std::vector<std::string> ones(axes, "1"), open(axes, "8");
  std::string extents = row.at("kernel");
  for (char& letter : extents) letter = letter == 'x' ? ',' : letter;
  std::vector<std::string> kernel = cells_of(extents);
  kernel.resize(axes, kernel.front());
  const int in = std::stoi(row.at("in")), out = std::stoi(row.at("out")), groups = std::stoi(row.at("groups"));
  const bool conv = row.at("op") == "Conv", stem = row.at("stem") == "yes";
  std::string weights = conv ? fmt::format("float[{},{},{}] w = {{...}}", out, in / groups, joined(kernel))
                             : fmt::format("float[{},{},{}] w = {{...}}", in, out / groups, joined(kernel));
  weights +=
      fmt::format(", float[{},32,{}] f = {{...}}, float[32,{},{}] t = {{...}}", in, joined(ones), out, joined(ones));
  const std::string& behind = row.at("behind");
  std::string nodes = stem ? "" : "g = Conv (x, f)\n r = Relu (g)\n";
  nodes += fmt::format("v = {} <group = {}> ({}, w)\n {}\n", row.at("op"), groups, stem ? "x" : "r",
                       kActivations.at(row.at("activation")));
  if (row.at("activation") == "none") nodes = nodes.substr(0, nodes.find("a = Identity"));
  const std::string last = row.at("activation") == "none" ? "v" : "a";
  std::string output = last;
  if (behind == "int8" || behind == "float") {
    nodes += fmt::format("y = Conv ({}, t)", last);
    output = "y";
  } else if (behind == "norm" || behind == "pair norm") {
    nodes += fmt::format("y = Softmax ({})", last);
    output = "y";
  }
  return fmt::format(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n g (float[N,{},{}] x) => (float[N,C,{}] {})\n"
      "<{}, float zero = {{0}}, float six = {{6}}>\n{{\n {}\n}}\n",
      stem ? in : 32, joined(open), joined(open), output, weights, nodes);
}

TEST(TensorRtKernels, RunAsTheTableSays) {
  const std::vector<Row> rows = measured_rows();
  ASSERT_GT(rows.size(), 400U);
  size_t floats = 0, asked = 0;
  for (const Row& row : rows) {
    if (row.at("runs").empty()) continue;  // no engine was asked yet
    ++asked;
    const Model model = parse_half_model(fill_tensors(model_of(row)));
    PlacementRequest options;
    options.small_layers = PlacementOptions::SmallLayers::Quantize;
    options.quantize_outputs = row.at("behind") == "pair";
    if (row.at("behind") == "float")
      options.exclude = {"^" + model.graph().producer(model.graph().find_value("y"))->name + "$"};
    const PlacementPlan plan = make_placement_plan(model.graph(), find_target("tensorrt"), options, {}, {});
    const Node& layer = *model.graph().producer(model.graph().find_value("v"));
    const LayerDecision* decision = plan.find_layer(layer.id);
    ASSERT_TRUE(decision) << model_of(row);
    // A depthwise Conv that writes floats does so in a slow kernel.
    const bool depthwise = row.at("groups") != "1" && row.at("groups") == row.at("in");
    const bool int8 = row.at("runs") == "int8" || (row.at("runs") == "int8 to float" && !depthwise);
    EXPECT_EQ(decision->runs_on_codes(), int8) << decision->reason << "\n" << model_of(row);
    floats += !int8;
  }
  EXPECT_GT(asked, 480U);
  EXPECT_GT(floats, 100U) << "the rows tell the two apart";
}

}  // namespace
}  // namespace detent::test
