// Walks the tree of a report: its numbers are those of the JSON document, and text and page print them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "numbers_of.h"
#include "report/build/documents.h"
#include "report/html/document.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"
#include "whole_comparisons.h"
#include "whole_files.h"

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
  plan.layers = {{kOdd, "Conv", Runs::Int8, "R1 weighted op", "constant weight", 1234, 567},
                 {"head", "Conv", Runs::Float, "R12 user", "excluded", 301, 53}};
  plan.edges = {{"x", kOdd, "Conv", 0, Reads::Pair, 3, "R1 weighted op", "data input"},
                {"a", "relu", "Relu", 2, Reads::Float, std::nullopt, "-", "no rule"}};
  plan.attention = {
      {"qk", "softmax", "pv", 8, 32, 196, 197, true, true, false, Runs::Int8, "R20", "one kernel", "", 77}};
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
  plan.forecasts = {{"folder/table.json",
                     {"onnxruntime", "1.30.0", "AMD EPYC", "2", "1"},
                     3,
                     {{kOdd, 11, 0.0625, 0.03125, 2}},
                     0.92,
                     0.05}};
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

ErrorReport whole_error() {
  ErrorReport error{.samples = 15, .sqnr_db = 21.25, .cosine = 0.99125, .argmax_agreement = 0.9375};
  error.outputs = {{kOdd, 21.25, 0.99125, 0.9375, OutputKind::Scores},
                   {.name = "ids", .agreement = 0.75, .kind = OutputKind::Integers, .elements = 88, .differing = 22}};
  error.by_sample = {{"s1", 19.75, 0.5}, {"s2", 24.25, 1.5}};
  return error;
}

VerdictReport whole_verdict() {
  return {.quality = Quality::Doubtful,
          .reasons = {"a reason"},
          .caveats = {"a caveat"},
          .blame = {{"a", 11.25, 26.75}},
          .blame_sqnr_db = 20.5,
          .cures = {"--min-sqnr 30, which keeps layers float"}};
}

LatencyReport whole_latency() {
  LatencyReport latency{.command = "onnxruntime --threads 2",
                        .machine = {"onnxruntime", "1.30.0", "AMD EPYC", "2", "1"},
                        .chosen = LatencyChoice::Variant,
                        .chosen_what = kOdd,
                        .float_ms = 9,
                        .cast_ms = 8,
                        .default_ms = 7,
                        .chosen_ms = 6,
                        .noise = 0.0115,
                        .limit = "--max-drop 0.01"};
  latency.calls = {{"float", LatencyChoice::Float, 9, "", INFINITY, 3.3},
                   {"cast fp16", LatencyChoice::Cast, 8, "", 65.5, 3.7},
                   {"default", LatencyChoice::Default, 7, "", 22.5, 3.9},
                   {kOdd, LatencyChoice::Variant, 6, "", 22.75, 4.1},
                   {"residual adds", LatencyChoice::Variant, std::nullopt, "no kernel", 23.5, 4.3}};
  latency.groups = {{kOdd, 26, 0.135, 0.021, true, "", {"--policy", "attention=float"}},
                    {"Concat scales", 0, -0.0415, 0.0221, false, "", {}},
                    {"a stage", 8, std::nullopt, 0, false, "not within the calls", {}}};
  latency.too_inaccurate = 37, latency.table = "folder/table.json", latency.learned_networks = 43;
  latency.seconds = 93.5;
  return latency;
}

QuantizeReport whole_quantize() {
  QuantizeReport report;
  report.model = "folder/net.onnx", report.output = "out.onnx", report.target = "tensorrt:11.0";
  report.calibrator = "mse", report.opset = 17, report.nodes = 41;
  report.model_bytes = 3584, report.output_bytes = 640;
  report.samples = 64, report.skipped_samples = 2;
  report.plan = whole_plan();
  report.plan.floats.reset(), report.plan.equalizable.reset();
  report.floats = whole_plan().floats;
  report.values = {{"x", -3, 3, true, DataType::Int8, 0.0236, 0, 3}, {"y", -1.5, 7, false, DataType::UInt8, 0.033, 45}};
  report.measured = CalibratorMeasurement{.winner = 0, .samples = 8, .seconds = 1.7};
  report.measured->candidates = {{"mse", 33.25, {.samples = 8}, 0}, {"max", 28.5, {.samples = 4}, 0}};
  report.outliers = {.samples = {{"odd.png", 14, 12.5, 16}}, .values = 23, .policy = "clip"};
  report.outliers.all = report.outliers.samples;
  report.equalized = EqualizeReport{{20.75, 21.75, true, {}, 63, 4.6}, "auto"};
  report.equalized->families = {{"gate", 0.75, 9, 12, true, 1.25, ""}};
  report.equalized->values = {{"v", "gate", 31, 18.5, 2.5}};
  report.accuracy = {"best", {{{31.5, 32.25, true, "", 62, 3.4}, "ranges", "12 of 113 ranges"}}};
  report.error = whole_error();
  report.error_source = "calibration samples";
  report.verdict = whole_verdict();
  report.notes = {"a note"};
  report.latency = whole_latency();
  report.seconds = 120.9, report.calibration_seconds = 5.1, report.peak_mb = 99;
  return report;
}

RepairReport whole_repair() {
  RepairReport report;
  report.model = "folder/net.onnx", report.output = "out.onnx", report.target = "tensorrt:11.0";
  report.lint = whole_lint(), report.before = whole_lint();
  report.pairs = {{kOdd, "moved", "R8 residual", "reads it", "v"}, {"w", "kept", "-", "right", ""}};
  report.changed = true, report.weights_kept = 13, report.weights_anew = {"w1"};
  report.measured = 19, report.samples = 64;
  report.error = whole_error(), report.error->by_sample.clear();
  report.verdict = whole_verdict();
  report.bytes_before = 3584, report.bytes_after = 640;
  return report;
}

QuantizeWeightsReport whole_weights() {
  QuantizeWeightsReport report;
  report.model = "folder/net.onnx", report.output = "out.onnx", report.target = "tensorrt:11.0", report.opset = 17;
  report.layers = {{kOdd, "MatMul", true, "codes", 4000, 25.25}, {"head", "Gemm", false, "excluded", 2000, 0}};
  report.tables = {{"words", "Gather", true, "a scale a column", 7000, 42.75, 800, 6400}};
  report.rearranged = 2, report.weight_bytes = 937, report.float_weight_bytes = 850;
  report.rounding = {{15.25, 19.5, true, {}, 48, 2.4}, 3};
  report.error = whole_error(), report.verdict = whole_verdict();
  report.model_bytes = 990, report.output_bytes = 495;
  report.seconds = 20.9, report.peak_mb = 99;
  return report;
}

CastReport whole_cast() {
  CastReport report{.model = "folder/" + kOdd, .output = "out.onnx", .samples = 64};
  report.floats = *whole_plan().floats;
  report.pairs = KeptPairs{3, 7, 5, 1, "float16", 33, 21, 0.00125, 2, 9};
  report.error = whole_error(), report.error->by_sample.clear();
  report.bytes_before = 990, report.bytes_after = 495, report.seconds = 2.4;
  return report;
}

SensitivityReport whole_sensitivity() {
  SensitivityReport report;
  report.model = "folder/net.onnx", report.target = "tensorrt:11.0", report.calibrator = "mse";
  report.calibration_samples = 64, report.evaluation_samples = 15, report.skipped_samples = 2;
  report.sqnr_db_all = 20.5, report.outputs = whole_error().outputs;
  report.layers = {{kOdd, "Conv", 26.75, 28.25, 0.75}, {"head", "Gemm", 41.25, 23.25, 0.25}};
  report.values = {{"v", 44.75}};
  report.variants = 37, report.plain_runs = 6.5, report.seconds = 20.9;
  report.plan = whole_plan();
  report.plan.floats.reset(), report.plan.equalizable.reset(), report.plan.notes.clear();
  return report;
}

ExplainReport whole_engine() {
  ExplainReport report;
  report.file = "folder/layers.json", report.form = "detailed";
  report.layers = {{kOdd, "Conv", "", {}, {"int8"}, "int8", "fp32", "layer", false, 0.75, 4096.0, 0.375},
                   {"to float", "Reformat", "", {"r"}, {"fp32"}, "fp32", "fp16", "reformat", false, 0.25, 512.0, 0.125},
                   {"head", "Conv", "", {"conv", "relu"}, {"int8"}, "fp16", "fp16", "layer", false, 1.0, 128.0, 0.5}};
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
    if (number.value == 0 || !std::isfinite(number.value)) continue;
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

TEST(DocumentOfQuantization, HasTheSameNumbersInEachForm) { walk(whole_quantize(), {}); }

TEST(DocumentOfQuantization, HasThemTooWhereTheFloatModelIsWritten) {
  QuantizeReport report = whole_quantize();
  report.latency->chosen = LatencyChoice::Float, report.latency->chosen_what = "float", report.latency->chosen_ms = 9;
  report.error.reset();  // the file is the float model
  walk(report, {});
}

TEST(DocumentOfRepair, HasTheSameNumbersInEachForm) { walk(whole_repair(), {}); }

TEST(DocumentOfWeights, HasTheSameNumbersInEachForm) { walk(whole_weights(), {}); }

TEST(DocumentOfCast, HasTheSameNumbersInEachForm) { walk(whole_cast(), {}); }

TEST(DocumentOfSensitivity, HasTheSameNumbersInEachForm) { walk(whole_sensitivity(), {}); }

TEST(DocumentOfExplain, HasTheSameNumbersInEachForm) { walk(whole_engine(), {}); }

TEST(DocumentOfRun, HasTheSameNumbersInEachForm) { walk(whole_run(kOdd), {}); }

TEST(DocumentOfModel, HasTheSameNumbersInEachForm) {
  walk(whole_model(kOdd), {"ir", "opset.ai.onnx", "opset.com.microsoft", "inputs.shape"});
}

TEST(DocumentOfTable, HasTheSameNumbersInEachForm) { walk(whole_table(kOdd), {"values.zeros"}); }  // as a share

TEST(DocumentOfDistribution, HasTheSameNumbersInEachForm) { walk(whole_distribution(kOdd), {}); }

TEST(DocumentOfVerification, HasTheSameNumbersInEachForm) {
  walk(whole_verification(kOdd), {"models.detection_agreement"});  // in the detail
}

TEST(DocumentsOfCaches, HaveTheSameNumbersInEachForm) {
  walk(whole_cache_export(kOdd), {});
  walk(whole_cache_import(kOdd), {});
}

TEST(DocumentOfTargets, HasTheSameNumbersInEachForm) {
  QuantizeTargetsReport report{.targets = {whole_quantize(), whole_quantize()}, .seconds = 241.7, .peak_mb = 131};
  report.targets.back().target = "onnxruntime:1.30", report.targets.back().output_bytes = 704;
  walk(report, {});
}

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

TEST(Documents, OfMeasuredModelsKeepEveryNameToo) {
  expect_odd_name(to_text(whole_quantize(), Lists::All), to_json(whole_quantize()), to_html(whole_quantize()));
  expect_odd_name(to_text(whole_repair(), Lists::All), to_json(whole_repair()), to_html(whole_repair()));
  expect_odd_name(to_text(whole_weights(), Lists::All), to_json(whole_weights()), to_html(whole_weights()));
  expect_odd_name(to_text(whole_sensitivity(), Lists::All), to_json(whole_sensitivity()), to_html(whole_sensitivity()));
}

TEST(Documents, KeepNamesOfEnginesRunsModelsAndTables) {
  const ExplainReport engine = whole_engine();
  expect_odd_name(to_text(engine, Lists::All), to_json(engine), to_html(engine));
  expect_odd_name(to_text(whole_run(kOdd)), to_json(whole_run(kOdd)));
  expect_odd_name(to_text(whole_model(kOdd)), to_json(whole_model(kOdd)));
  expect_odd_name(to_text(whole_table(kOdd)), to_json(whole_table(kOdd)));
}

TEST(Documents, KeepNamesOfValuesCachesAndVerifiedModels) {
  const auto expect_names = [](const auto& report) { expect_odd_name(to_text(report), to_json(report)); };
  expect_names(whole_distribution(kOdd));
  expect_names(whole_verification(kOdd));
  expect_names(whole_cache_export(kOdd));
  expect_names(whole_cache_import(kOdd));
  const std::vector<FindingInfo> kinds = {{kOdd, "error", "a kind"}};
  EXPECT_THAT(to_text(kinds), HasSubstr("  INT8|<b>/\u00e9\\x0ax  a kind (error)\n"));
}

TEST(Documents, LeaveOutLinesWithoutWords) {
  using document::Line;
  document::Document tree{.file = "net.onnx", .verdict = {Line{""}}};
  const std::string page = html::header_markup(tree);
  for (const Line::Role role : {Line::Role::Statement, Line::Role::Note, Line::Role::Detail, Line::Role::Apart}) {
    tree.sections.push_back({document::Topic::Error, {Line{"", role}}});
    EXPECT_EQ(html::section_markup(tree.sections.back()), "");
  }
  EXPECT_EQ(to_text(tree, Lists::All), "net.onnx\n");
  tree.verdict = {Line{"a word"}};
  EXPECT_EQ(to_text(tree, Lists::All), "net.onnx\na word\n");
  EXPECT_NE(html::header_markup(tree), page);
}

TEST(Documents, NameTheTypeOfCodesInEachSentence) {
  PlanReport plan = whole_plan();
  plan.layers.front().name = "conv", plan.edges.front().consumer = "conv";
  plan.forecasts.front().parts.front().name = "convolutions";
  plan.coverage.type = plan.edges.front().codes = CodeType::Fp8;
  plan.layers.front().runs = plan.attention.front().runs = Runs::Fp8;
  for (const std::string& form : {to_text(plan, Lists::All), to_html(plan)}) {
    EXPECT_THAT(form, HasSubstr("FP8"));
    EXPECT_THAT(form, Not(HasSubstr("INT8")));
  }
}

TEST(DocumentsOfComparisons, HaveTheSameNumbersInEachForm) {
  walk(whole_calibrators(kOdd), {});
  walk(whole_targets(kOdd), {});
  walk(whole_types(kOdd), {});
}

TEST(DocumentsOfComparisons, KeepEveryNameInEachForm) {
  const auto expect_names = [](const auto& report) {
    expect_odd_name(to_text(report, Lists::All), to_json(report), to_html(report));
  };
  expect_names(whole_calibrators(kOdd));
  expect_names(whole_targets(kOdd));
  expect_names(whole_types(kOdd));
}

}  // namespace
}  // namespace detent
