// The upstream operator tests of Debian's libonnx-testdata: every case whose operators Detent has must come out as ONNX
// says.

#define ONNX_NAMESPACE onnx
#define ONNX_ML 1
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "exec/executor.h"
#include "model/model.h"
#include "model/tensor_proto.h"
#include "ops/operator.h"

namespace detent {
namespace {

namespace fs = std::filesystem;

const fs::path kData = "/usr/share/libonnx-testdata/data";
const fs::path kCases = kData / "node";

constexpr const char* kOtherNumbers = "expects the random numbers of numpy's generator";

/// Cases that are wrong for a reason, each with it.
const std::map<std::string, std::string> kExceptions = {
    {"test_cast_BFLOAT16_to_FLOAT", "the data are stored as uint16"},
    {"test_cast_FLOAT_to_BFLOAT16", "the data are stored as uint16"},
    {"test_castlike_BFLOAT16_to_FLOAT", "the data are stored as uint16"},
    {"test_castlike_BFLOAT16_to_FLOAT_expanded", "the data are stored as uint16"},
    {"test_castlike_FLOAT_to_BFLOAT16", "the data are stored as uint16"},
    {"test_castlike_FLOAT_to_BFLOAT16_expanded", "the data are stored as uint16"},
    {"test_resize_downsample_scales_cubic_align_corners",
     "expects the unrounded output extent; ONNX Runtime rounds, so do we"},
    {"test_resize_downsample_scales_linear_align_corners",
     "expects the unrounded output extent; ONNX Runtime rounds, so do we"},
    {"test_bernoulli", kOtherNumbers},
    {"test_bernoulli_double", kOtherNumbers},
    {"test_bernoulli_double_expanded", kOtherNumbers},
    {"test_bernoulli_expanded", kOtherNumbers},
    {"test_bernoulli_seed", kOtherNumbers},
    {"test_bernoulli_seed_expanded", kOtherNumbers},
    {"test_training_dropout", kOtherNumbers},
    {"test_training_dropout_default", kOtherNumbers},
    {"test_training_dropout_default_mask", kOtherNumbers},
    {"test_training_dropout_mask", kOtherNumbers},
};

enum class Outcome { Passed, NotSupported, Failed };

struct Verdict {
  Outcome outcome;
  std::string reason;
};

/// nullopt for sequences, optionals and types Detent does not have.
std::optional<Tensor> read_tensor(const fs::path& path) {
  onnx::TensorProto proto;
  std::ifstream stream(path, std::ios::binary);
  if (!proto.ParseFromIstream(&stream)) return std::nullopt;
  if (data_type_from_onnx(proto.data_type()) == DataType::Undefined) return std::nullopt;
  return tensor_from_proto(proto).clone();
}

std::vector<Tensor> read_tensors(const fs::path& folder, const std::string& prefix, bool& complete) {
  std::vector<Tensor> tensors;
  for (int i = 0; fs::exists(folder / (prefix + std::to_string(i) + ".pb")); ++i) {
    auto tensor = read_tensor(folder / (prefix + std::to_string(i) + ".pb"));
    complete = complete && tensor;
    tensors.push_back(tensor.value_or(Tensor()));
  }
  return tensors;
}

/// ONNX's own bound: relative 1e-3 plus absolute 1e-7; a half has 11 bits, so there an ulp (2^-10) may be added.
std::string difference(const Tensor& given, const Tensor& expected) {
  if (given.type() != expected.type())
    return "type " + std::string(name_of(given.type())) + ", expected " + std::string(name_of(expected.type()));
  if (given.shape() != expected.shape())
    return "shape " + given.shape().to_string() + ", expected " + expected.shape().to_string();
  const bool half = given.type() == DataType::Float16 || given.type() == DataType::BFloat16;
  const double relative = half ? 2e-3 : 1e-3;
  const Tensor a = cast(given, DataType::Float64), b = cast(expected, DataType::Float64);
  for (size_t i = 0; i < a.data<double>().size(); ++i) {
    const double x = a.data<double>()[i], y = b.data<double>()[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (!(std::abs(x - y) <= 1e-7 + relative * std::abs(y)))
      return "element " + std::to_string(i) + " is " + std::to_string(x) + ", expected " + std::to_string(y);
  }
  return {};
}

/// Past read_model, which refuses the opsets below 7 that some of these cases are written in.
Model parse_model(const fs::path& path) {
  auto proto = std::make_unique<onnx::ModelProto>();
  std::ifstream stream(path, std::ios::binary);
  if (!proto->ParseFromIstream(&stream)) throw Error(ErrorCode::InvalidModel, "unreadable");
  return Model(std::move(proto), path);
}

Verdict run_case(const fs::path& folder) {
  try {
    const Model model = parse_model(folder / "model.onnx");
    const Graph& graph = model.graph();
    for (const ValueId input : graph.inputs())
      if (!graph.value(input).declared_type) return {Outcome::NotSupported, "types"};
    std::vector<NodeId> nodes;
    for (const Node& node : graph.nodes()) nodes.push_back(node.id);
    if (const auto missing = find_unsupported(graph, nodes); !missing.empty())
      return {Outcome::NotSupported, graph.node(missing[0].node).op_type + ": " + missing[0].reason};
    bool complete = true;
    const auto inputs = read_tensors(folder / "test_data_set_0", "input_", complete);
    const auto expected = read_tensors(folder / "test_data_set_0", "output_", complete);
    if (!complete) return {Outcome::NotSupported, "types"};
    const auto outputs = run_once(graph, inputs, graph.outputs());
    for (size_t i = 0; i < expected.size(); ++i)
      if (std::string found = difference(outputs.at(i), expected[i]); !found.empty())
        return {Outcome::Failed, "output " + std::to_string(i) + ": " + found};
    return {Outcome::Passed, {}};
  } catch (const Error& error) {
    return {error.code() == ErrorCode::Unsupported ? Outcome::NotSupported : Outcome::Failed, error.what()};
  }
}

TEST(Conformance, EverySupportedOperatorMeetsOnnxsOwnTests) {
  if (!fs::exists(kCases)) GTEST_SKIP() << "package libonnx-testdata is not installed";
  const bool verbose = std::getenv("DETENT_CONFORMANCE_VERBOSE") != nullptr;
  size_t passed = 0;
  std::set<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(kCases)) folders.insert(entry.path());
  for (const fs::path& folder : folders) {
    const std::string name = folder.filename();
    const Verdict verdict = run_case(folder);
    passed += verdict.outcome == Outcome::Passed;
    if (verbose && verdict.outcome != Outcome::Passed)
      std::printf("%s %s: %s\n", verdict.outcome == Outcome::Failed ? "FAILED" : "skipped", name.c_str(),
                  verdict.reason.c_str());
    if (kExceptions.contains(name)) continue;
    EXPECT_NE(verdict.outcome, Outcome::Failed) << name << ": " << verdict.reason;
  }
  std::printf("%zu of %zu upstream cases run and agree\n", passed, folders.size());
  EXPECT_GE(passed, 871u);  // with libonnx-testdata 1.12; operators are added, not lost
}

/// Whole small models: written by hand, and by exporters of the time.
TEST(Conformance, SmallModelsOfOldExportersRun) {
  if (!fs::exists(kData)) GTEST_SKIP() << "package libonnx-testdata is not installed";
  const bool verbose = std::getenv("DETENT_CONFORMANCE_VERBOSE") != nullptr;
  size_t passed = 0, count = 0;
  for (const std::string group : {"simple", "pytorch-operator", "pytorch-converted"})
    for (const auto& entry : fs::directory_iterator(kData / group)) {
      const Verdict verdict = run_case(entry.path());
      ++count;
      passed += verdict.outcome == Outcome::Passed;
      const std::string name = group + "/" + entry.path().filename().string();
      if (verbose && verdict.outcome != Outcome::Passed)
        std::printf("%s %s: %s\n", verdict.outcome == Outcome::Failed ? "FAILED" : "skipped", name.c_str(),
                    verdict.reason.c_str());
      EXPECT_NE(verdict.outcome, Outcome::Failed) << name << ": " << verdict.reason;
    }
  std::printf("%zu of %zu small upstream models run and agree\n", passed, count);
}

}  // namespace
}  // namespace detent
