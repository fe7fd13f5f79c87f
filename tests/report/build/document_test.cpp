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

/// Checks that the odd name stands in each form, escaped as the form wants it.
void expect_odd_name(const std::string& text, const std::string& json, const std::string& page) {
  EXPECT_THAT(text, HasSubstr("INT8|<b>/\u00e9\\x0ax"));
  EXPECT_THAT(json, HasSubstr("INT8|<b>/\u00e9\\nx"));
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
