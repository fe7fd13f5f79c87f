// Writes a page from made-up numbers of realistic size, for the browser test: sample_page OUT.html
// compare|quantize|weights|graph [VALUES or NODES]
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>

#include "datasets/images/picture.h"
#include "report/html/page.h"
#include "sample_graph.h"

namespace detent {
namespace {

using Random = std::mt19937_64;

/// Returns a uniform number in [0, 1), equal for all standard libraries so that screenshots are.
double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Returns distributions of networks: two-sided with a tail, after a Relu, after a Clip at 6.
ValueHistogram made_up_value(size_t index, Random& random) {
  ValueHistogram value;
  const size_t block = index / 3;
  const char* ops[] = {"Conv", "Relu", "Clip"};
  value.op = index == 0 ? "input" : ops[index % 3];
  value.name = index == 0 ? "image" : "/features/block." + std::to_string(block) + "/" + value.op + "_output_0";
  if (index == 4) value.name = "odd <name> & \"quotes\" in it's model";
  const bool signed_value = index == 0 || index % 3 == 0;
  const double spread = 0.3 + 1.2 * uniform(random), tail = 2 + 14 * uniform(random) * uniform(random);
  value.max = index % 3 == 2 ? 6 : spread * tail;
  value.min = signed_value ? -0.8 * value.max : 0;
  const size_t bins = 180 + random() % 76;
  value.width = (value.max - value.min) / static_cast<double>(bins);
  value.first = value.min;
  for (size_t i = 0; i < bins; ++i) {
    const double x = value.first + (static_cast<double>(i) + 0.5) * value.width;
    const double density =
        std::exp(-0.5 * std::pow(x / (0.4 * spread), 2)) + 2e-3 * std::exp(-std::abs(x) / (0.09 * value.max));
    const auto count = static_cast<uint64_t>(4e6 * density * (0.75 + 0.5 * uniform(random)));
    value.bins.push_back(i + 1 == bins ? std::max<uint64_t>(count, 1) : count);
    value.count += value.bins.back();
  }
  if (!signed_value) value.zeros = value.count / 2;
  value.count += value.zeros;
  const std::pair<const char*, double> shares[] = {
      {"max", 1},  {"percentile:99.9", 0.42}, {"percentile:99.99", 0.66}, {"percentile:99.999", 0.86}, {"entropy", 0.5},
      {"mse", 0.6}};
  for (const auto& [calibrator, share] : shares) {
    const double exact = share == 1 ? 1 : share + 0.1 * (uniform(random) - 0.5);
    value.ranges.push_back({calibrator, -exact * value.max, exact * value.max});
  }
  value.ranges.push_back({"auto", value.ranges[2].min, value.ranges[2].max});
  return value;
}

PlanReport made_up_plan(size_t layers, const std::vector<ValueHistogram>& values, Random& random) {
  PlanReport plan;
  plan.model = "models/efficientnet_like.onnx";
  plan.target = "tensorrt:10.13";
  for (size_t i = 0; i < layers; ++i) {
    const bool int8 = i % 9 != 8;
    const auto macs = static_cast<int64_t>(2e6 + 3e7 * uniform(random)), params = 9 * macs / 400;
    plan.layers.push_back(
        {"/features/block." + std::to_string(i) + (i % 3 ? "/depthwise" : "/expand") + "/Conv",
         i + 1 == layers ? "Gemm" : "Conv", int8 ? Runs::Int8 : Runs::Float, int8 ? "R1 weighted op" : "R12 user",
         int8 ? "constant weight" : "kept float by --exclude: the output loses 1.2 dB with it", macs, params});
    CoverageReport& sum = plan.coverage;
    ++sum.layers, sum.macs += macs, sum.params += params;
    if (int8) ++sum.int8_layers, sum.int8_macs += macs, sum.int8_params += params;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const auto& layer = plan.layers[i % plan.layers.size()];
    plan.edges.push_back({values[i].name, layer.name, layer.op, 0, layer.runs_on_codes() ? Reads::Pair : Reads::Float,
                          i % 7 == 3 ? std::optional<int>(static_cast<int>(i / 7)) : std::nullopt, layer.rule,
                          layer.reason});
    if (i % 4 == 1)
      plan.edges.push_back({values[i].name, "/features/block." + std::to_string(i / 3) + "/Add", "Add", 1, Reads::Float,
                            std::nullopt, "-", "no rule places a pair here"});
  }
  plan.coverage.activation_bytes = 26'400'000;
  plan.coverage.int8_activation_bytes = 21'900'000;
  plan.coverage.pairs = static_cast<int64_t>(values.size());
  plan.notes = {"2 values are read by float layers too and keep a float copy"};
  return plan;
}

EqualizeReport made_up_equalization(const std::vector<ValueHistogram>& values, Random& random) {
  EqualizeReport report;
  report.requested = "auto";
  report.samples = 256;
  report.acceptance = {{.before_db = 5.31, .after_db = 8.05, .kept = true, .samples = 256}};
  for (size_t i = 0; i < values.size(); i += 2)
    report.values.push_back({values[i].name, i % 3 ? "act" : "linear", 16 + random() % 300,
                             1.5 + 120 * std::pow(uniform(random), 4), 1.2 + 3 * uniform(random)});
  report.families = {{"gate", 0.75, 4, 4, true, 1.52},
                     {"linear", 0.5, 5, 14, false, -0.21, "gains less than 0.1 dB"},
                     {"relu"},
                     {"norm"},
                     {"act", 0.5, 12, report.values.size(), true, 1.22},
                     {"product"},
                     {"value"}};
  report.notes = {
      "'/features/block.2/Clip_output_0': 3 of 96 channels come near the bound of the Clip behind it and stay "
      "as they are"};
  return report;
}

/// Returns a report with two outliers.
OutlierReport made_up_outliers(size_t values) {
  Random random(5);
  OutlierReport report;
  report.values = values;
  report.all = {{"airplane/airplane_0500.jpg", values / 2, 713, values / 2 + 3}, {"frog_0750.jpg", 4, 29.4, 6}};
  report.samples = report.all;
  report.all.push_back({"odd <name> & \"quotes\".jpg", 1, 1.8, 2});
  while (report.all.size() < 200)
    report.all.push_back({.sample = "image_" + std::to_string(report.all.size()) + ".jpg",
                          .largest = static_cast<size_t>(1.1 * uniform(random) + 0.3)});
  return report;
}

CompareCalibratorsReport made_up_comparison(size_t values) {
  Random random(7);
  CompareCalibratorsReport report;
  report.model = "models/efficientnet_like.onnx";
  report.target = "tensorrt:10.13";
  report.calibration_samples = 200;
  report.evaluation_samples = 2000;
  report.calibration_seconds = 14.2;
  report.evaluation_seconds = 196.4;
  report.fp32 = {{"top1", 0.789}, {"top5", 0.9825}};
  const struct {
    const char* name;
    double top1, sqnr;
  } scores[] = {{"max", 0.626, 2.31},
                {"percentile:99.9", 0.766, 7.84},
                {"percentile:99.99", 0.7255, 5.82},
                {"percentile:99.999", 0.661, 3.42},
                {"entropy", 0.3535, 0.14},
                {"mse", 0.6895, 4.03},
                {"auto", 0.7255, 5.82}};
  for (const auto& score : scores)
    report.variants.push_back({{score.name,
                                {{"top1", score.top1},
                                 {"top5", 0.98 - 0.2 * (0.79 - score.top1)},
                                 {"argmax_agreement", score.top1 + 0.09},
                                 {"sqnr_db", score.sqnr},
                                 {"cosine", 1 - 0.2 / (1 + score.sqnr)}},
                                {{"logits", score.sqnr, 0.99}, {"features", score.sqnr + 3.1, 0.995}},
                                {},
                                0.009,
                                4'310'000,
                                21 + 4 * uniform(random)},
                               score.name == std::string("auto") ? "percentile:99.99" : ""});
  report.winner = "percentile:99.9";
  report.criterion = "top1";
  report.ties = {"percentile:99.99", "auto"};
  for (size_t i = 0; i < values; ++i) report.values.push_back(made_up_value(i, random));
  report.equalized = made_up_equalization(report.values, random);
  report.plan = made_up_plan(30, report.values, random);
  report.outliers = made_up_outliers(values);
  return report;
}

SensitivityReport made_up_sensitivity(const CompareCalibratorsReport& comparison) {
  Random random(11);
  SensitivityReport report;
  report.model = comparison.model;
  report.target = comparison.target;
  report.calibrator = comparison.winner;
  report.calibration_samples = comparison.calibration_samples;
  report.evaluation_samples = 256;
  report.sqnr_db_all = 7.84;
  for (const auto& layer : comparison.plan.layers) {
    const double alone = 11 + 34 * std::sqrt(uniform(random));
    report.layers.push_back({layer.name, layer.op, alone, 7.84 + 40 * std::pow(10, -alone / 12),
                             static_cast<double>(layer.macs) / static_cast<double>(comparison.plan.coverage.macs)});
  }
  std::sort(report.layers.begin(), report.layers.end(),
            [](const auto& a, const auto& b) { return a.sqnr_db_alone < b.sqnr_db_alone; });
  for (const auto& value : comparison.values) report.values.push_back({value.name, 20 + 25 * uniform(random)});
  std::sort(report.values.begin(), report.values.end(),
            [](const auto& a, const auto& b) { return a.sqnr_db < b.sqnr_db; });
  return report;
}

/// Returns a report in which half of the nodes stay FP32, for many reasons and with very long names.
FloatReport made_up_floats(const PlanReport& plan) {
  FloatReport floats{.type = "float16", .half_nodes = 160, .float32_nodes = 60, .casts = 31};
  for (size_t i = 0; i < floats.float32_nodes; ++i) {
    const PlanReport::Layer& layer = plan.layers[i % plan.layers.size()];
    const std::string value = layer.name + "/encoder/attention/output/LayerNorm/ReduceMean_output_0";
    const double reach = 40'000 + 1'700.5 * static_cast<double>(i);
    if (i % 3 == 0)
      floats.exceptions.push_back({layer.name, "Pow", "overflow", value, reach,
                                   "'" + value + "' reaches " + std::to_string(reach) + ", beyond 65504"});
    else
      floats.exceptions.push_back({layer.name, "ReduceMean", "normalization", "", 0,
                                   "it is part of the normalization of '" + plan.layers[i % 2].name + "'"});
  }
  return floats;
}

/// Returns a picture of 96 x 72 pixels for a network of 416 x 312.
std::string made_up_jpeg() {
  constexpr int kHeight = 72, kWidth = 96;
  const auto bytes = std::make_shared<std::vector<unsigned char>>();
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (const int level : {2 * x, 3 * y, 255 - x - y}) bytes->push_back(static_cast<unsigned char>(level));
  return encode_jpeg({bytes, bytes->data(), {kHeight, kWidth}, 3, Pixels::Depth::Bits8, 3 * kWidth});
}

DetectionPictures made_up_detections(Random& random) {
  DetectionPictures shown{.least_score = 0.25, .samples = 32};
  for (size_t p = 0; p < 4; ++p) {
    auto& picture = shown.pictures.emplace_back();
    picture = {.sample = "street_" + std::to_string(p) + ".jpg", .width = 416, .height = 312, .jpeg = made_up_jpeg()};
    for (int32_t i = 0; i < 9; ++i) {
      const double left = 416 * uniform(random), top = 312 * uniform(random), score = 0.95 - 0.05 * i;
      picture.expected.push_back({left, top, left + 60, top + 80, score, i});
      if (i != 4) picture.found.push_back({left + 4, top - 3, left + 63, top + 80, score - 0.2 * uniform(random), i});
    }
  }
  for (int i = 0; i < 400; ++i) {
    const double score = 0.25 + 0.7 * uniform(random);
    shown.scores.push_back({score, i % 40 ? score * (1 - 0.3 * uniform(random)) : 0});
  }
  return shown;
}

/// Returns a search by latency of 16 calls, two of which the engine refuses.
LatencyReport made_up_search(Random& random) {
  LatencyReport report{.command = "onnxruntime --threads 2",
                       .machine = {"onnxruntime", "1.30.0", "AMD EPYC 7B13", "2", "1"},
                       .chosen = LatencyChoice::Variant,
                       .chosen_what = "depthwise convolutions and stage 4 float",
                       .float_ms = 0.882,
                       .default_ms = 0.861,
                       .chosen_ms = 0.68,
                       .noise = 0.011,
                       .limit = "1 dB below the default's SQNR",
                       .too_inaccurate = 2,
                       .table = "latency.json",
                       .learned_networks = 3,
                       .seconds = 93};
  report.calls = {{"float", LatencyChoice::Float, 0.882, "", INFINITY, 5},
                  {"float", LatencyChoice::Float, 0.875, "", INFINITY, 5},
                  {"default", LatencyChoice::Default, 0.861, "", 4.2, 6},
                  {report.chosen_what, LatencyChoice::Variant, 0.68, "", 5.6, 5}};
  const char* parts[] = {"depthwise convolutions float",
                         "attention float",
                         "stage 1 float",
                         "stage 4 float",
                         "residual adds float",
                         "unsigned codes",
                         "Concat scales",
                         "layers before LayerNorm",
                         "int8 attention",
                         "stem float"};
  for (size_t i = 0; i < std::size(parts); ++i) {
    report.calls.push_back(
        {parts[i], LatencyChoice::Variant, 0.69 + 0.4 * uniform(random), "", 3 + 4 * uniform(random), 5});
    if (i % 4 == 2)
      report.calls.back().ms.reset(), report.calls.back().refusal = "no kernel for QLinearConv in this form";
    report.groups.push_back({parts[i],
                             i % 5 == 4 ? 0 : 3 * i + 1,
                             0.18 - 0.05 * static_cast<double>(i),
                             0.012,
                             i == 0 || i == 3,
                             "",
                             {"--policy", "exclude-op=Conv"}});
  }
  report.groups.push_back({"stage 2 float", 9, std::nullopt, 0, false, "lost in 3 networks of the table", {}});
  return report;
}

QuantizeReport made_up_quantization(const CompareCalibratorsReport& comparison) {
  Random random(3);
  QuantizeReport report;
  report.model = comparison.model;
  report.output = "models/efficientnet_like.int8.onnx";
  report.target = comparison.target;
  report.calibrator = "mse";
  report.samples = comparison.calibration_samples;
  report.calibration_seconds = comparison.calibration_seconds;
  report.model_bytes = 16'100'000, report.output_bytes = 4'500'000;
  report.outliers = made_up_outliers(comparison.values.size());
  report.measured = CalibratorMeasurement{.winner = 2, .samples = 32};
  for (const auto& [name, score] : {std::pair("max", -1.7), {"entropy", 0.14}, {"mse", 4.03}, {"samplemax:95", 3.9}})
    report.measured->candidates.push_back({name, score, {.argmax_agreement = 0.5 + score / 20}});
  report.histograms = comparison.values;
  for (ValueHistogram& value : report.histograms) {
    value.ranges = {value.ranges[5]};
    report.values.push_back({value.name, value.ranges[0].min, value.ranges[0].max, true, DataType::Int8,
                             value.ranges[0].max / 127, 0, std::nullopt});
  }
  report.equalized = comparison.equalized;
  report.detections = made_up_detections(random);
  report.bias_correction = BiasCorrectionReport{{4.03, 4.21, true, {}, 32, 2.5}, 81};
  report.plan = comparison.plan;
  report.latency = made_up_search(random);
  report.notes = comparison.plan.notes;
  report.floats = made_up_floats(report.plan);
  TypeShares& types = report.plan.coverage.types;
  types.int8 = {report.plan.coverage.int8_macs, report.plan.coverage.int8_activation_bytes / 4};
  types.half = {report.plan.coverage.macs - types.int8.macs, 9'400'000};
  types.float32 = {0, 1'900'000};
  report.error = ErrorReport{.samples = 16,
                             .sqnr_db = 4.2,
                             .cosine = 0.8055,
                             .argmax_agreement = 0.8125,
                             .outputs = {{"logits", 4.2, 0.8055, 0.8125, OutputKind::Scores}, {"features", 11.3, 0.97}},
                             .worst = "logits"};
  report.verdict = {
      .quality = Quality::Broken,
      .reasons = {"SQNR 4.2 dB at 'logits'", "13 of 16 classes as in FP32", "worst sample 'airplane_2750.jpg' 1.9 dB"},
      .caveats = {"measured on the calibration samples themselves: on others the error may be larger"},
      .blame_sqnr_db = 5.6,
      .cures = {"--equalize auto", "--min-sqnr 20, which keeps layers float"}};
  for (const size_t index : {30, 4, 17, 9, 22, 11})
    report.verdict.blame.push_back({report.values[index].name, 8 + 12 * uniform(random),
                                    6.8 - 0.25 * static_cast<double>(report.verdict.blame.size())});
  report.provenance = {"detent 0.1.0",
                       report.target,
                       "mse",
                       "f58f00148abb762cac0ac316d5fc0894",
                       report.samples,
                       "ff083ce04bb766c368572660c58757b6",
                       "equalize=auto; per-tensor=on",
                       "pytorch 2.11.0"};
  return report;
}

/// Returns the report of a language model of six blocks in INT4 with one float layer.
QuantizeWeightsReport made_up_weights() {
  QuantizeWeightsReport report;
  report.model = "models/language_model.onnx", report.output = "out/language_model.int4.onnx";
  report.target = "tensorrt:10.13";
  for (size_t i = 0; i < 24; ++i) {
    const std::string name =
        "/blocks." + std::to_string(i / 4) + "/" + (i % 4 ? "mlp" : "attention") + "/MatMul_" + std::to_string(i % 4);
    const bool codes = i != 5;
    report.layers.push_back(
        {name, "MatMul", codes, codes ? "codes" : "--exclude", 589824, codes ? 15.0 + static_cast<double>(i % 7) : 0});
  }
  report.weight_bytes = 7'000'000;
  report.model_bytes = 56'000'000, report.output_bytes = 9'000'000;
  report.rounding = {{15.25, 19.5, true, {}, 64, 20}, 23};
  report.provenance = {
      .producer = "detent 0.1.0", .target = report.target, .samples = 64, .options = "weight-only=int4"};
  return report;
}

}  // namespace
}  // namespace detent

int main(int argc, char** argv) {
  const std::string page = argc > 2 ? argv[2] : "";
  if (argc > 4 || (page != "compare" && page != "quantize" && page != "weights" && page != "graph")) {
    std::cerr << "usage: sample_page OUT.html compare|quantize|weights|graph [VALUES or NODES]\n";
    return 2;
  }
  if (page == "graph") {
    std::ofstream file(argv[1], std::ios::binary);
    file << detent::to_html(detent::made_up_graph(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1000));
    return file.flush() ? 0 : 1;
  }
  if (page == "weights") {
    std::ofstream file(argv[1], std::ios::binary);
    file << detent::to_html(detent::made_up_weights());
    return file.flush() ? 0 : 1;
  }
  const size_t values = std::max<size_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 40, 40);
  detent::CompareCalibratorsReport comparison = detent::made_up_comparison(values);
  comparison.layers = detent::made_up_sensitivity(comparison);
  std::ofstream file(argv[1], std::ios::binary);
  file << (page == "quantize" ? detent::to_html(detent::made_up_quantization(comparison))
                              : detent::to_html(comparison));
  return file.flush() ? 0 : 1;
}
