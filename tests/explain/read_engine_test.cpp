#include "explain/read_engine.h"

#include <gmock/gmock.h>

#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kDetailed = R"({"Layers": [{
  "Name": "w + Conv_1 + MaxPool_2", "LayerType": "ConvActPool",
  "Inputs": [{"Name": "x", "Dimensions": [1,3,8,8], "Format/Datatype": "Row major linear FP32"}],
  "Outputs": [{"Name": "y", "Dimensions": [1,8,4,4], "Format/Datatype": "Half"}],
  "ConvWeights": {"Type": "Int8", "Count": 216}, "TacticName": "sm80_i8i8", "Metadata": "[ONNX Layer: Conv_1]"
},{"Name": "q", "LayerType": "Reformat", "Origin": "QDQ", "Inputs": [], "Outputs": []}],
"Bindings": ["x", "y"]})";
/// The same layers as TensorRT 11 writes them.
constexpr const char* kEleven = R"({"Layers": [{
  "Name": "w + Conv_1", "LayerType": "CaskConvolution",
  "Inputs": [{"Name": "x", "Dimensions": [1,3,8,8], "Format": "Row major linear", "Datatype": "Float"}],
  "Outputs": [{"Name": "y", "Dimensions": [1,-1,4,4], "Format": "", "Datatype": "Int8"}]}],
"I/O Tensors": [{"Name": "x", "IOMode": "Input", "DataType": "Float"}, {"Name": "y", "IOMode": "Output"}, {}]})";
constexpr const char* kProfile =
    R"([{"count": 2}, {"name": "q", "timeMs": 0.5, "averageMs": 0.25, "percentage": 100}])";
constexpr const char* kEvents = R"([
  {"cat": "Session", "name": "model_run", "dur": 900, "args": {}},
  {"cat": "Node", "name": "conv_fence_before", "dur": 1, "args": {"op_name": "QLinearConv"}},
  {"cat": "Node", "name": "conv_kernel_time", "dur": 100, "args": {"op_name": "QLinearConv", "provider": "CPU",
   "input_type_shape": [{"uint8": [1, 3]}, {"float": []}], "output_type_shape": [{"uint8": [1, 3]}]}},
  {"cat": "Node", "name": "conv_kernel_time", "dur": 300, "args": {"op_name": "QLinearConv"}}])";
constexpr const char* kBuildLog = R"([03/24/2023-12:57:38] [V] [TRT] Engine Layer Information:
Layer(Reformat): /in/QuantizeLinear, Tactic: 0x0000000000000000, input (Float[1,3,8,8]) -> q, 1 (Int8[1,3:4,8,8])
Layer(CaskConvolution): Conv_1 + Relu_2, Tactic: 6972489290272968208, q, 1[Half(1,4,8,8)], s[Half(1,4,8,8)] -> y[Half(1,8,8,8)]
Layer(Constant): c, Tactic: 0x0000000000000000,  -> k (Float[1])
[03/24/2023-12:57:39] [I] done
)";
constexpr const char* kDumpLog = R"([03/24/2023-12:57:38] [I] Layers:
Name: Conv_1 + Relu_2, LayerType: CaskConvolution, Inputs: [ { Name: a, b, Location: Device, Dimensions: [1,2], Format/Datatype: Row major linear FP16 format }], Outputs: [ { Name: y, Dimensions: [1,2], Format/Datatype: Row major linear FP32 }], ParameterType: Convolution, Weights: {"Type": "Half", "Count": 9}, TacticName: sm80_f16f16, TacticValue: 0x1
Name: k, LayerType: Constant, Inputs: [], Outputs: [], ParameterType: Constant
Name: r, LayerType: Reformat, Inputs: [ { Name: y, Dimensions: [1], Format/Datatype: Half }], Outputs: [ { Name: z, Dimensions: [1], Format/Datatype: Float }], ParameterType: Reformat, Origin: QDQ, TacticValue: 0x0
)";

BuiltEngine engine_of(const std::string& text) {
  const TemporaryFolder folder;
  return read_engine(folder.write("layers", text));
}

std::vector<std::string> names_of(const std::vector<EngineTensor>& tensors) {
  std::vector<std::string> names;
  for (const EngineTensor& tensor : tensors) names.push_back(tensor.name + ": " + tensor.format);
  return names;
}

Error refusal_of(const std::string& text) {
  return error_of<Error>([&] { static_cast<void>(engine_of(text)); });
}

TEST(ReadEngine, ReadsDetailedLayersWithTheWeightsOfAFusedPool) {
  const BuiltEngine engine = engine_of(std::string("\xef\xbb\xbf") + kDetailed);
  EXPECT_EQ(engine.form, "detailed");
  EXPECT_THAT(engine.bindings, ElementsAre("x", "y"));
  ASSERT_EQ(engine.layers.size(), 2U);
  const EngineLayer& conv = engine.layers[0];
  EXPECT_EQ(conv.name + "|" + conv.type + "|" + conv.weights + "|" + conv.tactic + "|" + conv.metadata,
            "w + Conv_1 + MaxPool_2|ConvActPool|Int8|sm80_i8i8|[ONNX Layer: Conv_1]");
  EXPECT_THAT(names_of(conv.inputs), ElementsAre("x: Row major linear FP32"));
  EXPECT_EQ(engine.layers[1].origin, "QDQ");
}

TEST(ReadEngine, ReadsTheFormOfTensorRT11) {
  const BuiltEngine engine = engine_of(kEleven);
  EXPECT_EQ(engine.form, "detailed");
  EXPECT_TRUE(engine.strongly_typed);
  EXPECT_THAT(engine.bindings, ElementsAre("x", "y"));
  EXPECT_THAT(names_of(engine.layers.at(0).inputs), ElementsAre("x: Row major linear, Float"));
  EXPECT_THAT(names_of(engine.layers.at(0).outputs), ElementsAre("y: Int8"));
  EXPECT_FALSE(engine_of(kDetailed).strongly_typed);
}

TEST(ReadEngine, CountsElementsWhereAllExtentsAreKnown) {
  const BuiltEngine engine = engine_of(kEleven);
  EXPECT_EQ(engine.layers.at(0).inputs.at(0).elements, 192);
  EXPECT_EQ(engine.layers.at(0).outputs.at(0).elements, 0);
}

TEST(ReadEngine, ReadsNamesOnly) {
  const BuiltEngine engine = engine_of(R"({"Layers": ["a", "b + c"], "Bindings": []})");
  EXPECT_EQ(engine.form, "names");
  EXPECT_EQ(engine.layers.at(1).name, "b + c");
}

TEST(ReadEngine, ReadsDumpsOfSingleLayers) {
  const BuiltEngine engine = engine_of(
      "--- Layer 0 ---\n{\"Name\": \"a\", \"LayerType\": \"NoOp\"}\n--- Layer 1 ---\n"
      "{\"Name\": \"b\", \"LayerType\": \"kgen\"}\n");
  EXPECT_EQ(engine.form, "dumps");
  EXPECT_EQ(engine.layers.at(1).type, "kgen");
}

TEST(ReadEngine, ReadsTheLogOfABuildOfBothForms) {
  const BuiltEngine engine = engine_of(kBuildLog);
  EXPECT_EQ(engine.form, "log");
  ASSERT_EQ(engine.layers.size(), 3U);
  EXPECT_EQ(engine.layers[0].type + " " + engine.layers[0].name, "Reformat /in/QuantizeLinear");
  EXPECT_THAT(names_of(engine.layers[0].outputs), ElementsAre("q, 1: Int8 in vectors of 4"));
  EXPECT_THAT(names_of(engine.layers[1].inputs), ElementsAre("q, 1: Half", "s: Half"));
  EXPECT_THAT(engine.layers[2].inputs, IsEmpty());
}

TEST(ReadEngine, TakesTheLastEngineOfALog) {
  EXPECT_EQ(engine_of(std::string(kBuildLog) + "Layer(NoOp): last, Tactic: 0x0,  -> \n").layers.size(), 1U);
}

TEST(ReadEngine, ReadsDumpedLinesOfALogWithMoreThanABuildTells) {
  const BuiltEngine engine = engine_of(std::string(kBuildLog) + kDumpLog);
  ASSERT_EQ(engine.layers.size(), 3U);
  EXPECT_THAT(names_of(engine.layers[0].inputs), ElementsAre("a, b: Row major linear FP16 format"));
  EXPECT_THAT(names_of(engine.layers[0].outputs), ElementsAre("y: Row major linear FP32"));
  EXPECT_EQ(engine.layers[0].weights + " " + engine.layers[0].tactic, "Half sm80_f16f16");
  EXPECT_THAT(engine.layers[1].outputs, IsEmpty());
  EXPECT_EQ(engine.layers[2].origin, "QDQ");
}

TEST(ReadEngine, ReadsDumpedLinesOfTensorRT11) {
  const BuiltEngine engine = engine_of(
      "Name: r, LayerType: Reformat, Inputs: [ { Name: a, Location: Device, Dimensions: [1], Format: Row major linear, "
      "Datatype: Half }], Outputs: [ { Name: {b}, Dimensions: [1], Format: Row major linear, Datatype: Int8 }], "
      "Origin: "
      "QDQ, TacticValue: 0x0\n");
  ASSERT_EQ(engine.layers.size(), 1U);
  EXPECT_THAT(names_of(engine.layers[0].inputs), ElementsAre("a: Row major linear, Half"));
  EXPECT_THAT(names_of(engine.layers[0].outputs), ElementsAre("{b}: Row major linear, Int8"));
}

TEST(ReadEngine, ReadsNodesOfOnnxRuntimeWithTheirMeanTime) {
  const BuiltEngine engine = engine_of(kEvents);
  EXPECT_EQ(engine.form, "onnxruntime");
  ASSERT_EQ(engine.layers.size(), 1U);
  EXPECT_EQ(engine.layers[0].name + " " + engine.layers[0].type, "conv QLinearConv");
  EXPECT_DOUBLE_EQ(engine.layers[0].ms.value_or(0), 0.2);
  EXPECT_THAT(names_of(engine.layers[0].inputs), ElementsAre(": uint8", ": float"));
}

TEST(ReadEngine, RefusesFilesOfAnotherKindAndSaysWhatWasExpected) {
  for (const char* text : {"", "a picture", "{\"a\": 1}", "{\"Layers\": {}}", "{\"Layers\": []}", "[]", "[1, 2]",
                           "{\"Layers\": [3]}", "[{\"cat\": \"Node\"}]"}) {
    const Error error = refusal_of(text);
    EXPECT_EQ(error.code(), ErrorCode::InvalidData) << text;
    EXPECT_THAT(error.hint(), HasSubstr("expected are TensorRT's layers")) << text;
  }
  EXPECT_THAT(refusal_of(kProfile).hint(), HasSubstr("give it to --profile"));
}

TEST(ReadEngine, RefusesAFileThatEndsInTheMiddle) {
  const std::string whole = kDetailed;
  for (size_t size = 1; size + 1 < whole.size(); size += 7)
    EXPECT_EQ(refusal_of(whole.substr(0, size)).code(), ErrorCode::InvalidData) << size;
  EXPECT_THAT(refusal_of(whole.substr(0, 300)).what(), HasSubstr("layers: ends in the middle, after 300 bytes"));
  EXPECT_THAT(refusal_of("Layer(Reformat): a, Tactic: 0x0").what(), HasSubstr("ends in the middle"));
}

TEST(ReadEngine, RefusesANumberOutOfRange) {
  const Error error = refusal_of(R"({"Layers": [{"Name": "a", "Dimensions": [1e999]}]})");
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("the number 1e999 is too large"));
}

TEST(ReadEngine, NamesAMissingFile) {
  const Error error = error_of<Error>([] { static_cast<void>(read_engine("no/layers.json")); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("no/layers.json"));
}

TEST(ReadTimes, JoinsRowsByName) {
  const TemporaryFolder folder;
  BuiltEngine engine = engine_of(kDetailed);
  read_times(folder.write("profile", kProfile), engine);
  EXPECT_FALSE(engine.layers[0].ms);
  EXPECT_DOUBLE_EQ(engine.layers[1].ms.value_or(0), 0.25);
}

TEST(ReadTimes, TakesTheMeanOfListsByName) {
  const TemporaryFolder folder;
  BuiltEngine engine = engine_of(kDetailed);
  read_times(folder.write("profile", R"({"q": [1, 3]})"), engine);
  EXPECT_DOUBLE_EQ(engine.layers[1].ms.value_or(0), 2);
}

TEST(ReadTimes, OfRepeatedNamesAreInTheOrderOfTheFile) {
  const TemporaryFolder folder;
  BuiltEngine engine = engine_of(R"({"Layers": ["a", "b", "a", "a"]})");
  read_times(folder.write("profile", R"([{"count": 1}, {"name": "a", "averageMs": 1}, {"name": "b", "averageMs": 2},
      {"name": "a", "averageMs": 9}])"),
             engine);
  EXPECT_EQ(engine.layers[0].ms.value_or(0), 1);
  EXPECT_EQ(engine.layers[2].ms.value_or(0), 9);
  EXPECT_FALSE(engine.layers[3].ms);
}

TEST(ReadTimes, RefusesOtherFilesAndOtherEngines) {
  const TemporaryFolder folder;
  BuiltEngine engine = engine_of(kDetailed);
  for (const auto& [text, words] :
       {std::pair(kDetailed, "holds no times of layers"),
        std::pair(R"([{"count": 1}, {"name": "q", "averageMs": 1e999}])", "the number 1e999 is too large"),
        std::pair("[{\"count\"", "ends in the middle"),
        std::pair(R"([{"count": 1}, {"name": "other", "averageMs": 1}])", "knows none of the layers")}) {
    const Error error = error_of<Error>([&] { read_times(folder.write("profile", text), engine); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

}  // namespace
}  // namespace detent
