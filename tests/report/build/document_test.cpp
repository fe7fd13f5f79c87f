// Walks the tree of a report: its numbers are those of the JSON document, and text and page print them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "numbers_of.h"
#include "report/build/documents.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A name that no form may change: the word for codes, markup, the mark of Markdown's tables, UTF-8 and a line feed.
const std::string kOdd = "INT8|<b>/\u00e9\nx";

PlanReport whole_plan() {
  PlanReport plan;
  plan.model = "folder/net.onnx", plan.target = "tensorrt:11.0";
  plan.opset = 17, plan.nodes = 41, plan.folded_batchnorms = 5;
  plan.layers = {{kOdd, "Conv", true, "R1 weighted op", "constant weight", 1234, 567},
                 {"head", "Conv", false, "R12 user", "excluded", 301, 53}};
  plan.edges = {{"x", kOdd, "Conv", 0, true, 3, "R1 weighted op", "data input"},
                {"a", "relu", "Relu", 2, false, std::nullopt, "-", "no rule"}};
  plan.attention = {{"qk", "softmax", "pv", 8, 32, 196, 197, true, true, false, true, "R20", "one kernel", "", 77}};
  plan.wide_nodes = {{"wide", "Add", "H6 island", "8 bits cost too much"}};
  plan.coverage = {.layers = 2, .int8_layers = 1, .macs = 1535, .int8_macs = 1234, .params = 620, .int8_params = 567};
  plan.coverage.activation_bytes = 4096, plan.coverage.int8_activation_bytes = 1024, plan.coverage.pairs = 29;
  plan.coverage.types = {.int8 = {1234, 1025}, .half = {300, 2050}, .float32 = {1, 511}};
  plan.coverage.casts = 6;
  plan.quantized_values = 23, plan.shared_scale_groups = 4;
  plan.floats = FloatReport{.type = "float16", .half_nodes = 90, .float32_nodes = 14, .casts = 6};
  plan.floats->exceptions = {{"pow", "Pow", "overflow", "u", 71234, "'u' is large"}};
  plan.equalizable = {{"gate", {"a", "b", "c"}}, {"linear", {"d"}}};
  plan.notes = {"a note"};
  return plan;
}

LintReport whole_lint() {
  LintReport report;
  report.plan = whole_plan();
  report.plan.edges.clear(), report.plan.floats.reset(), report.plan.equalizable.reset(), report.plan.attention.clear();
  report.plan.wide_nodes.clear();
  report.origin = "qdq", report.codes = "UINT8", report.built_for = "onnxruntime", report.following = 2;
  report.findings = {{"uint8-codes", "error", "q1", "holds UINT8 codes", "quantize to INT8", 0.25},
                     {"float-island", "warning", kOdd, "an op in float", "quantize it", 0},
                     {"pair-alone", "note", "q3", "stands alone", "", 0.125}};
  return report;
}

ExplainReport whole_engine() {
  ExplainReport report;
  report.file = "folder/layers.json", report.form = "detailed";
  report.layers = {{kOdd, "Conv", {}, {"int8"}, "int8", "fp32", "layer", false, 0.75, 4096.0, 0.375},
                   {"to float", "Reformat", {"r"}, {"fp32"}, "fp32", "fp16", "reformat", false, 0.25, 512.0, 0.125},
                   {"head", "Conv", {"conv", "relu"}, {"int8"}, "fp16", "fp16", "layer", false, 1.0, 128.0, 0.5}};
  report.layers[0].finding = "float_reader", report.layers[0].cause = "its reader wants floats";
  report.layers[0].cure = "detent quantize --include x", report.layers[2].predicted = "int8";
  report.layers[2].right = false;
  report.summary = {0.375, 0.25, 0.125, 0.1875, 0.0625, 0.3125, 5, 6, 7, 2.0};
  report.advice = {{"float_reader", "floats in between", "quantize more", 11, 0.4375, 512.0}};
  report.predictions = ExplainReport::Predictions{.layers = 13,
                                                  .right = 12,
                                                  .missing = {"lost"},
                                                  .outputs = 15,
                                                  .outputs_right = 14,
                                                  .quantizers = 17,
                                                  .quantizers_right = 16,
                                                  .folded = {"folded"},
                                                  .fusions = {{"add", "conv", true, true}},
                                                  .reformat_places = {{"head", "a float layer", 18}},
                                                  .reformats_elsewhere = 19,
                                                  .copies = {{"cat", "x", "joint", true}}};
  report.against = ExplainReport::Against{.file = "other.json",
                                          .layers = 21,
                                          .same = 20,
                                          .summary = {0.875, 0.0625, 0.03125, 0, 0.015625, 0, 22, 23, 24, 3.5},
                                          .differences = {{{"n"}, "here", "there", "int8", "fp16", 0.625, 0.6875}}};
  report.notes = {"a note"};
  return report;
}

RunReport whole_run() {
  RunReport report{.model = "folder/net.onnx", .samples = 96, .skipped_samples = 3, .seconds = 2};
  report.expanded = {{"LayerNormalization", 7}};
  report.written = {"out/" + kOdd};
  report.profile = ProfileReport{.nodes = {{kOdd, "Conv", 6}, {"tail", "Relu", 2}},
                                 .samples = 5,
                                 .total_ms = 8,
                                 .collecting = {{"x86", 9, 16, 4}}};
  return report;
}

ModelReport whole_model() {
  ModelReport report;
  report.model = "folder/net.onnx", report.ir = 8, report.opset = {{"", 17}, {"com.microsoft", 1}};
  report.inputs = {{kOdd, "float", {1, 3, -1, -1}}}, report.outputs = {{"y", "undefined", {}, false}};
  report.detections = "boxes and scores", report.operators = {{"Conv", 11}, {"Relu", 12}};
  report.expanded = {{"LayerNormalization", 13}};
  report.unsupported = {{kOdd, "Loop", "has no kernel"}};
  report.float_nodes = {{"float", 14}, {"float16", 15}}, report.float_casts = 16, report.parameters = 1700;
  report.provenance = Provenance{.producer = "detent 0.1.0", .target = "x86", .ranges = "abc", .samples = 18};
  return report;
}

TableReport whole_table() {
  TableReport report{.table = "folder/net.dct", .samples = {"a.png", "b.png"}};
  report.equalize = "gate", report.equalized_values = 7, report.float_values = 9;
  report.values = {{.name = kOdd,
                    .count = 1000,
                    .zeros = 250,
                    .nans = 3,
                    .infinities = 4,
                    .min = -1.5,
                    .max = 2.25,
                    .log2_width = -11,
                    .bins_in_use = 120}};
  report.values.front().tokens = TableReport::Value::Tokens{8.5, 0.125, 0.75, 0.875, 64, 63, 0.0625, 5};
  return report;
}

std::vector<JsonNumber> numbers_of(const std::string& document) {
  std::vector<JsonNumber> found;
  add_numbers(nlohmann::json::parse(document), "", found);
  return found;
}

/// True where the number is a sum of up to three numbers of the document, their difference, or a share of such a whole.
bool follows(double value, const std::vector<JsonNumber>& json) {
  std::set<double> numbers, wholes;
  for (const auto& [path, number] : json) numbers.insert(number);
  for (const double a : numbers)
    for (const double b : numbers) {
      wholes.insert(a), wholes.insert(a + b), wholes.insert(std::abs(a - b));
      for (const double c : numbers) wholes.insert(a + b + c);
    }
  if (wholes.contains(value)) return true;
  return std::ranges::any_of(numbers, [&](double part) {
    const double whole = std::round(part / value);
    return std::abs(whole * value - part) < 1e-9 && wholes.contains(whole);
  });
}

/// Checks that the numbers of the JSON document are those of the tree, and that the text of --all has them.
template <class Report>
void walk(const Report& report, const std::set<std::string>& in_words) {
  const document::Document tree = build::document_of(report);
  const NumbersOf walked(tree);
  const std::string text = to_text(report, Lists::All);
  const std::vector<JsonNumber> json = numbers_of(to_json(report));
  for (const auto& [path, value] : json) {
    if (value == 0 || path.ends_with(".length") || in_words.contains(path)) continue;  // 0: there is none
    EXPECT_TRUE(std::ranges::any_of(walked.numbers(), [value = value](const auto& one) { return one.value == value; }))
        << path << " = " << value << " stands in the JSON document alone";
  }
  for (const document::Number& number : walked.numbers()) {
    if (number.value == 0 || std::isnan(number.value)) continue;
    document::Number bare = number;
    bare.noun.clear();
    EXPECT_THAT(text, HasSubstr(document::number_text(bare))) << "stands on the page alone";
    EXPECT_TRUE(std::ranges::any_of(json, [&](const auto& one) { return one.second == number.value; }) ||
                follows(number.value, json))
        << document::number_text(number) << " does not stand in the JSON document";
  }
}

TEST(DocumentOfPlan, HasTheSameNumbersInEachForm) { walk(whole_plan(), {}); }

TEST(DocumentOfLint, HasTheSameNumbersInEachForm) { walk(whole_lint(), {}); }

TEST(DocumentOfExplain, HasTheSameNumbersInEachForm) { walk(whole_engine(), {}); }

TEST(DocumentOfRun, HasTheSameNumbersInEachForm) { walk(whole_run(), {}); }

TEST(DocumentOfModel, HasTheSameNumbersInEachForm) {
  walk(whole_model(), {"ir", "opset.ai.onnx", "opset.com.microsoft", "inputs.shape"});
}

TEST(DocumentOfTable, HasTheSameNumbersInEachForm) { walk(whole_table(), {"values.zeros"}); }  // as a share

/// Checks that the odd name stands in text and JSON, escaped as the form wants it.
void expect_odd_name(const std::string& text, const std::string& json) {
  EXPECT_THAT(text, HasSubstr("INT8|<b>/\u00e9\\x0ax"));
  EXPECT_THAT(json, HasSubstr("INT8|<b>/\u00e9\\nx"));
}

void expect_odd_name(const std::string& text, const std::string& json, const std::string& page) {
  expect_odd_name(text, json);
  EXPECT_THAT(page, HasSubstr("INT8|&lt;b&gt;/<wbr>\u00e9\nx"));
}

TEST(Documents, KeepEveryNameInEachForm) {
  PlanReport plan = whole_plan();
  LintReport lint = whole_lint();
  for (const CodeType type : {CodeType::Int8, CodeType::Fp8}) {
    plan.coverage.type = lint.plan.coverage.type = type;
    expect_odd_name(to_text(plan, Lists::All), to_json(plan), to_html(plan));
    expect_odd_name(to_text(lint, Lists::All), to_json(lint), to_html(lint));
  }
}

TEST(Documents, KeepNamesOfEnginesRunsModelsAndTables) {
  const ExplainReport engine = whole_engine();
  expect_odd_name(to_text(engine, Lists::All), to_json(engine), to_html(engine));
  expect_odd_name(to_text(whole_run()), to_json(whole_run()));
  expect_odd_name(to_text(whole_model()), to_json(whole_model()));
  expect_odd_name(to_text(whole_table()), to_json(whole_table()));
}

TEST(Documents, NameTheTypeOfCodesInEachSentence) {
  PlanReport plan = whole_plan();
  plan.layers.front().name = "conv", plan.edges.front().consumer = "conv";
  plan.coverage.type = CodeType::Fp8;
  for (const std::string& form : {to_text(plan, Lists::All), to_html(plan)}) {
    EXPECT_THAT(form, HasSubstr("FP8"));
    EXPECT_THAT(form, Not(HasSubstr("INT8")));
  }
}

}  // namespace
}  // namespace detent
