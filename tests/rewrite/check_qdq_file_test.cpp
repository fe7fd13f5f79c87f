#include "rewrite/check_qdq_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include "model/temporary_folder.h"
#include "place/make_plan.h"
#include "place/placement_case_reader.h"
#include "rewrite/qdq_inserter.h"
#include "rewrite/quantized_network.h"

namespace detent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Tensor scalar(float number) { return Tensor::from<float>({}, {number}); }

/// Returns codes of a 3x3 weight that is 0.5 everywhere, one of them damaged.
Tensor codes_with(int8_t damaged) {
  std::vector<int8_t> numbers(size_t{16} * 16 * 9, 127);
  numbers[100] = damaged;
  return Tensor::from<int8_t>({16, 16, 3, 3}, numbers);
}

/// Returns a scale per output channel of 16, one of them damaged.
Tensor scales_with(float damaged, float others = 0.01F) {
  std::vector<float> numbers(16, others);
  numbers[5] = damaged;
  return Tensor::from<float>({16}, numbers);
}

void add_pair(QuantizedNetwork& network, const std::string& value, const std::string& scale, const std::string& zero) {
  GraphPatch patch;
  patch.add_nodes.push_back(
      {"QuantizeLinear", "extra_q", {value, scale, zero}, {"extra_codes"}, {{"axis", int64_t{0}}}, ""});
  patch.add_nodes.push_back(
      {"DequantizeLinear", "extra_dq", {"extra_codes", scale, zero}, {"extra"}, {{"axis", int64_t{0}}}, ""});
  network.apply(patch);
}

struct Damage {
  std::string name, target;
  std::function<void(QuantizedNetwork&)> harm;
  std::string node, what;  ///< the expected message
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

std::vector<Damage> damages() {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  using Network = QuantizedNetwork;
  return {
      {"ZeroScale", "tensorrt", [](Network& n) { n.replace("x_scale", scalar(0)); }, "'x_QuantizeLinear'",
       "a scale is 0"},
      {"NegativeScale", "tensorrt", [](Network& n) { n.replace("x_scale", scalar(-1)); }, "'x_QuantizeLinear'",
       "a scale is negative"},
      {"NanScale", "tensorrt", [=](Network& n) { n.replace("w1_scale", scales_with(nan)); }, "'w1_DequantizeLinear'",
       "a scale is not finite"},
      {"InfiniteScale", "onnxruntime", [=](Network& n) { n.replace("w1_scale", scales_with(infinity)); },
       "'w1_DequantizeLinear'", "a scale is not finite"},
      {"ComputedScale", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.add_nodes.push_back({"Abs", "computed", {"x_scale"}, {"computed_scale"}, {}, ""});
         patch.rewire.push_back({n.writer(n.reads("c1", 0)).name, 1, "computed_scale"});
         n.apply(patch);
       },
       "'x_DequantizeLinear'", "its scale is not constant"},
      {"Uint8ZeroPoint", "tensorrt",
       [](Network& n) { n.replace("x_zero_point", cast(Tensor::from<int32_t>({}, {0}), DataType::UInt8)); },
       "'x_QuantizeLinear'", "takes int8 only"},
      {"ZeroPointNotZero", "tensorrt",
       [](Network& n) { n.replace("x_zero_point", cast(Tensor::from<int32_t>({}, {3}), DataType::Int8)); },
       "'x_QuantizeLinear'", "the zero point of int8 codes is not 0"},
      {"ZeroPointLeftOut", "tensorrt", [](Network& n) { n.rewire(n.reads("c1", 1), 2, ""); }, "'w1_DequantizeLinear'",
       "its zero point is left out"},
      {"ZeroPointOfAnotherShape", "tensorrt",
       [](Network& n) { n.replace("w1_zero_point", cast(Tensor::from<int32_t>({}, {0}), DataType::Int8)); },
       "'w1_DequantizeLinear'", "its zero point has shape scalar, its scale 16"},
      {"AxisMissing", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.remove_attributes.emplace_back(n.writer(n.reads("c1", 1)).name, "axis");
         n.apply(patch);
       },
       "'w1_DequantizeLinear'", "no axis attribute"},
      {"AxisOfConvWrong", "tensorrt", [](Network& n) { n.set_axis(n.reads("c1", 1), 1); }, "'w1_DequantizeLinear'",
       "has axis 1; the weight of Conv"},
      {"AxisOfDeconvolutionWrong", "tensorrt", [](Network& n) { n.set_axis(n.reads("t", 1), 0); },
       "'wt_DequantizeLinear'", "has axis 0; the weight of ConvTranspose"},
      {"ScalesForTheWrongChannels", "tensorrt",
       [](Network& n) {
         n.replace("wt_scale", Tensor::from<float>({32}, std::vector<float>(32, 0.01F)));
         n.replace("wt_zero_point",
                   Tensor(cast(Tensor::from<int32_t>({32}, std::vector<int32_t>(32)), DataType::Int8)));
       },
       "'wt_DequantizeLinear'", "has 32 scales for 16 channels"},
      {"ScalesOfAnActivationPerChannel", "tensorrt",
       [](Network& n) {
         n.replace("rt_scale", scales_with(0.02F));
         n.replace("rt_zero_point",
                   Tensor(cast(Tensor::from<int32_t>({16}, std::vector<int32_t>(16)), DataType::Int8)));
       },
       "'rt_DequantizeLinear'", "an activation has 16 scales"},
      {"QuantizeWithoutDequantize", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.add_nodes.push_back({"QuantizeLinear",
                                    "lonely",
                                    {"r2", "x_scale", "x_zero_point"},
                                    {"lonely_codes"},
                                    {{"axis", int64_t{0}}},
                                    ""});
         n.apply(patch);
       },
       "'lonely'", "read by 0 nodes"},
      {"DequantizeOfSomethingNeverQuantized", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.add_nodes.push_back({"Cast", "codes", {"x"}, {"x_codes"}, {{"to", int64_t{3}}}, ""});
         patch.rewire.push_back({n.writer(n.reads("c1", 0)).name, 0, "x_codes"});
         n.apply(patch);
       },
       "'x_DequantizeLinear'", "neither constant nor written by a QuantizeLinear"},
      {"PairOfTwoScales", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.add_initializers.emplace_back("another_scale", scalar(0.5F));
         patch.rewire.push_back({n.writer(n.reads("c1", 0)).name, 1, "another_scale"});
         n.apply(patch);
       },
       "'x_DequantizeLinear'", "differs from that of QuantizeLinear"},
      {"ConcatOfUnequalScales", "tensorrt", [](Network& n) { n.replace("cat_scale", scalar(0.3F)); },
       "DequantizeLinear", "shares its scale with"},
      {"PairMissing", "tensorrt", [](Network& n) { n.rewire("c2", 0, "r1"); }, "Conv", "reads 'r1' without a pair"},
      {"PairOfAnotherValue", "tensorrt", [](Network& n) { n.rewire("c2", 0, n.reads("c1", 0)); }, "Conv",
       "the plan puts one on 'r1'"},
      {"PairWhereThePlanHasNone", "tensorrt",
       [](Network& n) {
         add_pair(n, "c1", "x_scale", "x_zero_point");
         n.rewire("r1", 0, "extra");
       },
       "Relu", "the plan keeps 'c1' float"},
      {"PairThatNobodyReads", "tensorrt", [](Network& n) { add_pair(n, "r2", "x_scale", "x_zero_point"); },
       "'extra_dq'", "a pair that the plan does not have"},
      {"SecondPairOnAValue", "tensorrt",
       [](Network& n) {
         add_pair(n, "x", "x_scale", "x_zero_point");
         n.promised.nodes[1].inputs[0] = n.promised.nodes[0].inputs[0];
         n.rewire("r1", 0, "extra");
       },
       "'extra_dq'", "a second pair on 'x'"},
      {"PairOnAGraphOutput", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.rename_outputs.push_back({n.writer("y").name, 0, "y_float"});
         patch.add_nodes.push_back(
             {"QuantizeLinear", "yq", {"y_float", "x_scale", "x_zero_point"}, {"y_codes"}, {{"axis", int64_t{0}}}, ""});
         patch.add_nodes.push_back(
             {"DequantizeLinear", "ydq", {"y_codes", "x_scale", "x_zero_point"}, {"y"}, {{"axis", int64_t{0}}}, ""});
         n.apply(patch);
       },
       "'ydq'", "a pair on the graph output 'y'"},
      {"FloatWeight", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.add_initializers.emplace_back("plain", Tensor(DataType::Float32, {16, 16, 1, 1}));
         patch.rewire.push_back({n.writer("y").name, 1, "plain"});
         n.apply(patch);
       },
       "Conv", "reads a float weight"},
      {"WeightOfAnotherLayer", "tensorrt", [](Network& n) { n.rewire("y", 1, n.reads("t", 1)); }, "Conv",
       "is not the quantized weight 'wy'"},
      {"WeightCodeOneOff", "tensorrt", [](Network& n) { n.replace("w1_quantized", codes_with(126)); }, "Conv",
       "input 1, 'w1', holds"},
      {"WeightOfTheOtherSign", "tensorrt", [](Network& n) { n.replace("w1_quantized", codes_with(-127)); }, "Conv",
       "input 1, 'w1', holds"},
      {"WeightScaleOfOneChannelDoubled", "onnxruntime",
       [](Network& n) { n.replace("w2_scale", scales_with(0.02F, 0.5F / 127)); }, "Conv", "input 1, 'w2', holds"},
      {"WeightScaleOfOneChannelThirded", "tensorrt",
       [](Network& n) { n.replace("w2_scale", scales_with(0.5F / 127 / 3, 0.5F / 127)); }, "Conv",
       "input 1, 'w2', holds"},
      {"FloatWeightOfOtherNumbers", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.add_initializers.emplace_back("other",
                                             Tensor::from<float>({16, 16, 1, 1}, std::vector<float>(256, 0.4F)));
         patch.add_initializers.emplace_back("other_scale", scales_with(0.4F / 127, 0.4F / 127));
         patch.add_initializers.emplace_back(
             "other_zero", Tensor(cast(Tensor::from<int32_t>({16}, std::vector<int32_t>(16)), DataType::Int8)));
         patch.add_nodes.push_back({"QuantizeLinear",
                                    "other_q",
                                    {"other", "other_scale", "other_zero"},
                                    {"other_codes"},
                                    {{"axis", int64_t{0}}},
                                    ""});
         patch.add_nodes.push_back({"DequantizeLinear",
                                    "other_dq",
                                    {"other_codes", "other_scale", "other_zero"},
                                    {"other_read"},
                                    {{"axis", int64_t{0}}},
                                    ""});
         patch.rewire.push_back({n.writer("y").name, 1, "other_read"});
         n.apply(patch);
       },
       "Conv", "input 1, 'wy', holds other numbers than the model's"},
      {"BiasCodeOneOff", "onnxruntime",
       [](Network& n) {
         const std::string codes = n.graph().value(*n.writer(n.reads("c1", 2)).input(0)).name;
         Tensor damaged = n.graph().constant(*n.graph().find_value(codes))->clone();
         damaged.mutable_data<int32_t>()[3] += 1;
         n.replace(codes, std::move(damaged));
       },
       "Conv", "input 2, 'b1', holds"},
      {"FloatBiasChanged", "tensorrt",
       [](Network& n) { n.replace("b1", Tensor::from<float>({16}, std::vector<float>(16, 0.25F))); }, "Conv",
       "input 2, 'b1', holds other numbers than the model's"},
      {"OldOpset", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.opset = 12;  // no axis there: with one the file could not be read
         for (const Node& node : n.graph().nodes())
           if (node.has("axis") && node.op_type != "Concat") patch.remove_attributes.emplace_back(node.name, "axis");
         n.apply(patch);
       },
       "'x_QuantizeLinear'", "opset 12 is too old for it: 13 is needed"},
      {"HalfScalesInAnOldOpset", "tensorrt",
       [](Network& n) { n.replace("x_scale", cast(scalar(0.01F), DataType::Float16)); }, "'x_QuantizeLinear'",
       "opset 17 is too old for it: 19 is needed"},
      {"BiasOfAnotherScale", "onnxruntime",
       [](Network& n) {
         const std::string scale = n.graph().value(*n.writer(n.reads("c1", 2)).input(1)).name;
         n.replace(scale, scales_with(0.5F));
       },
       "DequantizeLinear", "its scale is not s_x * s_w"},
      {"Int32Codes", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.add_initializers.emplace_back("bias_codes", Tensor::from<int32_t>({16}, std::vector<int32_t>(16, 7)));
         patch.add_initializers.emplace_back("bias_zero", Tensor::from<int32_t>({16}, std::vector<int32_t>(16, 0)));
         patch.add_nodes.push_back({"DequantizeLinear",
                                    "bias_dq",
                                    {"bias_codes", "w1_scale", "bias_zero"},
                                    {"bias"},
                                    {{"axis", int64_t{0}}},
                                    ""});
         patch.rewire.push_back({n.writer("c1").name, 2, "bias"});
         n.apply(patch);
       },
       "'bias_dq'", "its zero point is int32; tensorrt:10.13 takes int8 only"},
      {"ReaderOfAnotherValue", "tensorrt", [](Network& n) { n.rewire("rt", 0, "cat"); }, "Relu", "reads 'cat'"},
      {"ForeignNode", "tensorrt",
       [](Network& n) {
         GraphPatch patch;
         patch.add_nodes.push_back({"Identity", "stranger", {"r2"}, {"r2_copy"}, {}, ""});
         n.apply(patch);
       },
       "'stranger'", "is not in the planned graph"},
  };
}

class DamagedFile : public testing::TestWithParam<Damage> {};

TEST_P(DamagedFile, IsCaughtAndItsTwinPasses) {
  const Damage& damage = GetParam();
  QuantizedNetwork network(damage.target);
  for (const Flaw& flaw : find_qdq_flaws(network.graph(), network.promised))
    ADD_FAILURE() << flaw.node << ": " << flaw.what;
  const TemporaryFolder folder;
  const fs::path path = folder / (damage.name + ".onnx");
  damage.harm(network);
  write_model(network.model, path, {.overwrite = true});
  const Model back = read_model(path);
  try {
    check_qdq_file(back.graph(), path, network.promised, {});
    FAIL() << "the damage was not seen";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Internal);
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
  }
  const std::vector<Flaw> flaws = find_qdq_flaws(back.graph(), network.promised);
  std::string all;
  bool named = false;
  for (const Flaw& flaw : flaws) {
    named =
        named || (flaw.node.find(damage.node) != std::string::npos && flaw.what.find(damage.what) != std::string::npos);
    all += "  " + flaw.node + ": " + flaw.what + "\n";
  }
  EXPECT_TRUE(named) << "wanted " << damage.node << ": " << damage.what << "\n" << all;
}

INSTANTIATE_TEST_SUITE_P(Each, DamagedFile, testing::ValuesIn(damages()),
                         [](const auto& one) { return one.param.name; });

TEST(QdqCheck, TakesEveryFormThatTheRewriterWrites) {
  RewriteOptions float_weights, one_scale;
  float_weights.int8_weights = false;
  one_scale.per_tensor_weights = true;
  PlacementRequest outputs, inputs;
  outputs.quantize_outputs = true;
  inputs.concat = PlacementOptions::Concat::Inputs;
  for (const char* target : {"tensorrt", "tensorrt:8.6", "onnxruntime"}) {
    for (const RewriteOptions& form : {RewriteOptions{}, float_weights, one_scale})
      for (const PlacementRequest& placement : {PlacementRequest{}, outputs, inputs}) {
        const QuantizedNetwork network(target, form, placement);
        for (const Flaw& flaw :
             find_qdq_flaws(network.graph(), network.promised, {placement.quantize_outputs, form.per_tensor_weights}))
          ADD_FAILURE() << target << ": " << flaw.node << ": " << flaw.what;
      }
  }
}

TEST(QdqCheck, TakesThePairOfAnOutputWhoseScalesHaveAnotherType) {
  struct OutputCase {
    const char* nodes;
    bool half_scales;
  };
  const OutputCase cases[] = {{"y = Relu (x)", false},
                              {"y = Relu (x)", true},
                              {"a, b = Split (x) y = Relu (a)", false},
                              {"r = Relu (x) y = Cast <to = 10> (r)", false},
                              {"r = Relu (x) y = Cast <to = 10> (r)", true}};
  for (const OutputCase& one : cases) {
    Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 19]> g (float16[2] x) => (float16[2] y) { " +
                                   std::string(one.nodes) + " }");
    PlacementPlan plan;
    plan.target = &find_target("tensorrt");
    const ValueId y = *model.graph().find_value("y");
    plan.values[y] = {.pair = true, .output = OutputPair{nullptr, "for the test"}};
    const PromisedFile promised = promise_of(model.graph(), plan);
    RewriteOptions options;
    options.activation = plan.target->activation;
    options.half_scales = one.half_scales;
    apply_patch(model, make_qdq_patch(model.graph(), plan, {{y, {-1, 1}}}, options).patch);
    for (const Flaw& flaw : find_qdq_flaws(model.graph(), promised, {true, false}))
      ADD_FAILURE() << one.nodes << ": " << flaw.node << ": " << flaw.what;
    EXPECT_FALSE(find_qdq_flaws(model.graph(), promised, {false, false}).empty()) << "no output was to have a pair";
  }
}

TEST(QdqCheck, ValuesOfOneScaleHaveOneNumberInEveryType) {
  for (const char* type : {"float16", "float"}) {  // of the input of the Cast
    Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 19]> g (" + std::string(type) +
                                   "[1,4,4] x) => (float[1,4,4] y) "
                                   "{ c = Cast <to = 1> (x) t = Transpose <perm = [0,2,1]> (c) y = MatMul (c, t) }");
    PlacementPlan plan;
    plan.target = &find_target("tensorrt");
    const Graph& graph = model.graph();
    std::map<ValueId, Range> ranges;
    for (const char* name : {"c", "t"}) {
      EdgeDecision edge;
      edge.value = *graph.find_value(name);
      edge.consumer = *graph.value(*graph.find_value("y")).producer;
      edge.slot = name[0] == 'c' ? 0 : 1;
      edge.reads = Reads::Pair;
      plan.edges.push_back(edge);
      plan.values[edge.value] = {.pair = true, .scale_group = 0};
      ranges[edge.value] = {-0.7001F, 0.3F};  // 0.7001 / 127 is not an FP16 number
    }
    const PromisedFile promised = promise_of(graph, plan);
    RewriteOptions options;
    options.activation = plan.target->activation;
    apply_patch(model, make_qdq_patch(graph, plan, ranges, options).patch);
    for (const Flaw& flaw : find_qdq_flaws(model.graph(), promised)) ADD_FAILURE() << flaw.node << ": " << flaw.what;
  }
}

TEST(QdqCheck, AFloatModelWithoutPairsKeepsAnEmptyPromise) {
  const Model model = parse_model_text(test::fill_tensors(kNetwork));
  PlacementPlan plan;
  plan.target = &find_target("tensorrt");
  EXPECT_THAT(find_qdq_flaws(model.graph(), promise_of(model.graph(), plan)), IsEmpty());
}

// FP8: codes and zero points of one type, in an opset that has it.

PlacementRequest fp8_placement() {
  PlacementRequest placement;
  placement.type = CodeType::Fp8;
  placement.small_layers = PlacementOptions::SmallLayers::Quantize;
  return placement;
}

/// Returns the flaws of the network in FP8 at this opset, after `change`.
std::string fp8_flaws(int64_t opset, const std::function<void(QuantizedNetwork&)>& change = {}) {
  QuantizedNetwork network("tensorrt", {}, fp8_placement());
  GraphPatch raise;
  raise.opset = opset;
  network.apply(raise);
  if (change) change(network);
  std::string text;
  for (const Flaw& flaw : find_qdq_flaws(network.graph(), network.promised)) text += flaw.what + "\n";
  return text;
}

TEST(CheckQdqFile, AnFp8FileKeepsItsPromise) {
  EXPECT_THAT(fp8_flaws(19), IsEmpty());
  EXPECT_THAT(fp8_flaws(18), HasSubstr("opset 18 is too old for it: 19 is needed"));
}

TEST(CheckQdqFile, AnInt8PairInAnFp8FileIsNamed) {
  const auto make_int8 = [](QuantizedNetwork& network) {
    GraphPatch patch;
    patch.replace_constants.emplace_back("x_zero_point", cast(Tensor::from<int32_t>({}, {0}), DataType::Int8));
    network.apply(patch);
  };
  EXPECT_THAT(fp8_flaws(19, make_int8), HasSubstr("its zero point is int8; the file is FP8"));
  const auto shift = [](QuantizedNetwork& network) {
    GraphPatch patch;
    patch.replace_constants.emplace_back("x_zero_point", cast(Tensor::from<float>({}, {1}), DataType::Float8E4M3FN));
    network.apply(patch);
  };
  EXPECT_THAT(fp8_flaws(19, shift), HasSubstr("the zero point of FP8 codes is not 0"));
}

}  // namespace
}  // namespace detent
