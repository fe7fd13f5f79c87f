#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "detent/base/error.h"
#include "detent/detent.h"
#include "model/half_constants.h"
#include "model/model.h"
#include "model/named_node.h"
#include "model/temporary_folder.h"
#include "place/placement_case_reader.h"

/// Graphs with one flaw each, and a clean twin (case C2, "why is my Q/DQ model slower?"). Lint tests as text, in the
/// form of the placement tests (place/placement_case.h). `d = Pair <axis = 1> (x, s, z)` stands for `d_q =
/// QuantizeLinear <axis = 1> (x, s, z)` and `d = DequantizeLinear <axis = 1> (d_q, s, z)`. A node is called by its
/// first output; `w = Cast <to = 10> (wf)` of an initializer stands for an FP16 one. Expectations, which list every
/// finding:
///     error ID NODE, warning ID NODE, note ID NODE
///     float NODE       the layer stays float; layers not listed must be INT8
///     origin WORD      qdq by default
namespace detent::test {

void PrintTo(const PlacementCase& one, std::ostream* out) { *out << one.file.string() << ":" << one.number; }

namespace {

std::string with_pairs(const std::string& model) {
  static const std::regex pair(R"((\w+) = Pair( <[^>]*>)? \((\w+), ([^)]*)\))");
  return std::regex_replace(model, pair, "$1_q = QuantizeLinear$2 ($3, $4)\n$1 = DequantizeLinear$2 ($1_q, $4)");
}

std::string node_writing(const Graph& graph, const std::string& output) {
  const Node* node = graph.producer(graph.find_value(output));
  return node ? node->name : "(no node writes '" + output + "')";
}

struct Expected {
  std::multiset<std::string> findings;
  std::set<std::string> float_layers;
  std::string origin = "qdq";
};

Expected read_expected(const PlacementCase& one, const Expectation& expectation, const Graph& graph) {
  Expected expected;
  for (const Line& line : expectation.lines) {
    std::istringstream words(line.text);
    std::string word, id, node;
    words >> word >> id >> node;
    if (word == "float")
      expected.float_layers.insert(node_writing(graph, id));
    else if (word == "origin")
      expected.origin = id;
    else if (word == "error" || word == "warning" || word == "note")
      expected.findings.insert(word + " " + id + " " + node_writing(graph, node));
    else
      ADD_FAILURE_AT(one.file.c_str(), line.number) << "unknown expectation '" << word << "'";
  }
  return expected;
}

std::string listed(const std::multiset<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

void check(const PlacementCase& one, const Expectation& expectation, const Expected& expected,
           const LintReport& report) {
  const auto fail = [&](const std::string& what) { ADD_FAILURE_AT(one.file.c_str(), expectation.number) << what; };
  std::multiset<std::string> found;
  std::string messages;
  for (const auto& finding : report.findings) {
    found.insert(finding.level + " " + finding.id + " " + finding.node);
    messages += "\n    " + finding.message;
    if (finding.message.empty() || finding.cure.empty()) fail("a finding without message or cure: " + finding.id);
  }
  if (found != expected.findings) fail("expected:" + listed(expected.findings) + "\nfound:" + listed(found) + messages);
  if (report.origin != expected.origin) fail("the origin is " + report.origin);
  for (const auto& layer : report.plan.layers)
    if (layer.runs_on_codes() == expected.float_layers.contains(layer.name))
      fail(layer.name + " is " + (layer.runs_on_codes() ? "INT8" : "float: " + layer.reason));
  for (const std::string& name : expected.float_layers)
    if (std::ranges::find(report.plan.layers, name, &PlanReport::Layer::name) == report.plan.layers.end())
      fail("no layer " + name);
}

class LintText : public testing::TestWithParam<PlacementCase> {};

TEST_P(LintText, NamesExactlyTheFlaw) {
  const PlacementCase& one = GetParam();
  const TemporaryFolder folder;
  const Model model = [&] {
    try {
      return parse_half_model(with_pairs(one.model));
    } catch (const Error& error) {
      throw error.in(one.file.string() + ":" + std::to_string(one.number));
    }
  }();
  write_model(model, folder / "model.onnx");
  ASSERT_FALSE(one.expectations.empty()) << one.file << ":" << one.number;
  for (const Expectation& expectation : one.expectations) {
    const LintReport report = lint_model({.model = folder / "model.onnx", .target = expectation.target, .shapes = {}});
    check(one, expectation, read_expected(one, expectation, model.graph()), report);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, LintText,
                         testing::ValuesIn(read_placement_cases(std::filesystem::path(DETENT_SOURCE_DIR) /
                                                                "tests/lint/cases")),
                         [](const auto& one) { return one.param.name; });

TEST(Lint, RefusesAScaleWithoutANumber) {
  const TemporaryFolder folder;
  write_model(parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[4] x) => (float[4] y) "
                               "<float[0] s = {}, float t = {1}, int8 z = {0}> "
                               "{ q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, t, z) }"),
              folder / "model.onnx");
  EXPECT_THAT(error_of<Error>([&] {
                (void)lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {}});
              }).what(),
              testing::HasSubstr("its scale holds no number"));
}

/// Returns the message about the skip of a residual Add, which names the Conv in front of the Add.
std::string message_about_skip(const std::string& type, const std::string& conv) {
  const TemporaryFolder folder;
  Model model = parse_half_model(fill_tensors(with_pairs(R"(<ir_version: 9, opset_import: ["" : 19]>
    g (float[1,32,8,8] x) => (float[1,32,8,8] y)
    <float s = {0.1}, float zf = {0}, float[32,32,3,3] wf = {...}, float[32] ws = {0.01...}, float[32] wzf = {0...}>
    {
      z = Cast <to = )" + type + R"(> (zf)
      w = Cast <to = )" + type + R"(> (wf)
      wz = Cast <to = )" + type + R"(> (wzf)
      wd = DequantizeLinear <axis = 0> (w, ws, wz)
      vd = DequantizeLinear <axis = 0> (w, ws, wz)
      xd = Pair (x, s, z)
      a = Conv <pads = [1,1,1,1]> (xd, wd)
      ar = Relu (a)
      ad = Pair (ar, s, z)
      b = Conv <pads = [1,1,1,1]> (ad, vd)
      sum = Add (b, x)
      y = Relu (sum)
    })")));
  name_node(model, "b", conv);
  write_model(model, folder / "model.onnx");
  const LintReport report = lint_model({.model = folder / "model.onnx", .target = "tensorrt", .shapes = {}});
  const auto found = std::ranges::find(report.findings, "skip-not-quantized", &LintReport::Finding::id);
  return found == report.findings.end() ? "" : found->message;
}

TEST(LintFindings, NameTheTypeOfTheFileAndLeaveNamesOfNodesAlone) {
  const std::string fp8 = "17", int8 = "3";
  for (const std::string conv : {"INT8_head", "INT8", "head' INT8 'tail"}) {
    const std::string said =
        "the skip 'x' is float: the kernel of Conv '" + conv + "' and this Add reads floats and cannot write ";
    EXPECT_EQ(message_about_skip(fp8, conv), said + "FP8");
    EXPECT_EQ(message_about_skip(int8, conv), said + "INT8");
  }
}

TEST(LintFindings, EachHasItsCase) {
  std::set<std::string> named{"fp16-scale-below-opset-19"};  // ONNX's text form has no FP16: lint_model_test.cpp
  for (const PlacementCase& one : read_placement_cases(std::filesystem::path(DETENT_SOURCE_DIR) / "tests/lint/cases"))
    for (const Expectation& expectation : one.expectations)
      for (const Line& line : expectation.lines) {
        std::istringstream words(line.text);
        std::string level, id;
        words >> level >> id;
        named.insert(id);
      }
  for (const FindingInfo& kind : known_findings()) EXPECT_TRUE(named.contains(kind.id)) << kind.id;
}

}  // namespace
}  // namespace detent::test
