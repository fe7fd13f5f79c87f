#pragma once

#include <string>

#include "detent/compare.h"

namespace detent {

/// Returns a comparison whose every number is another one, with an odd name in each place that can have one.
template <class Report>
Report whole_comparison(const std::string& odd) {
  Report report;
  report.model = "folder/net.onnx", report.opset = 17, report.nodes = 41;
  report.calibration_samples = 64, report.evaluation_samples = 100, report.skipped_samples = 3;
  report.calibration_seconds = 1.5, report.evaluation_seconds = 2.5;
  report.outliers = {{{odd, 49, 713, 63}}, 101, "clip", {{odd, 49, 713, 63}}};
  report.labels = "boxes of " + odd;
  report.fp32 = {{"map", 0.75}, {"map_small", 0.4375}};
  report.criterion = "map";
  report.latency_command = "onnxruntime --threads 2", report.float_latency = ComparedLatency{9};
  return report;
}

/// Returns a model of whole_comparison(). `shift` makes its numbers others.
inline ComparedVariant whole_variant(const std::string& name, double shift, const std::string& odd) {
  return {.name = name,
          .metrics = {{"map", 0.625 + shift}, {"map_small", 0.375 + shift}, {"sqnr_db", 21.5 + shift}, {"cosine", 0.5}},
          .outputs = {{odd, 19.25 + shift, 0.8125}, {"scores", 33.5 + shift, 0.84375, 0.6875, OutputKind::Scores}},
          .by_sample = {{odd, 17.25 + shift, 0.3125 + shift}, {"b.png", 18.75 + shift, 0.28125}},
          .score_error = 0.015625,
          .size_bytes = static_cast<uintmax_t>(5100 + 1000 * shift),
          .seconds = 4.5 + shift,
          .latency = ComparedLatency{6 + 16 * shift}};
}

inline CompareCalibratorsReport whole_calibrators(const std::string& odd) {
  auto report = whole_comparison<CompareCalibratorsReport>(odd);
  report.target = "tensorrt:10.13";
  report.variants = {{whole_variant("max", 0, odd)}, {whole_variant("auto", 0.125, odd), "mse"}};
  report.baselines = {whole_variant("fp16", 0.0625, odd)};
  report.winner = "auto";
  report.plan.layers = {{odd, "Conv", Runs::Int8, "R1 weighted op", "constant weight", 1234, 567}};
  report.plan.coverage = {.layers = 2, .int8_layers = 1, .macs = 1535, .int8_macs = 1234};
  return report;
}

inline CompareTargetsReport whole_targets(const std::string& odd) {
  auto report = whole_comparison<CompareTargetsReport>(odd);
  report.targets = {"tensorrt:10.13", "onnxruntime:1.30"};
  for (size_t i = 0; i < 2; ++i) {
    TargetVariant one{whole_variant(report.targets[i], 0.125 * static_cast<double>(i), odd), report.targets[i], "mse"};
    one.plan.layers = {{odd, "Conv", Runs::Float, "R12 user", "excluded", 301, 53}};
    one.plan.coverage = {.layers = 7, .int8_layers = 5, .macs = 1535, .int8_macs = 1234};
    one.plan.coverage.pairs = 29, one.plan.quantized_values = 29;
    one.plan.notes = {"a note"};
    one.equalized = EqualizeReport{.requested = "auto"};
    one.equalized->samples = 256, one.equalized->seconds = 6.5,
    one.equalized->families = {{"gate", 0.625, 11, 12, true, 1.75}};
    one.equalized->values = {{odd, "gate", 8, 2.5, 1.25}};
    report.variants.push_back(one);
  }
  report.winner = report.targets[1], report.ties = {report.targets[0]};
  return report;
}

inline CompareTypesReport whole_types(const std::string& odd) {
  auto report = whole_comparison<CompareTypesReport>(odd);
  report.target = "tensorrt:10.13";
  report.variants = {{whole_variant("int8", 0.125, odd), "mse", {14, 13, 15, {{"float", 1000}, {"int8", 3000}}}},
                     {whole_variant("int4", 0, odd), "", {14, 12, 0, {{"float", 500}, {"int4", 1500}}, 32, true}}};
  report.winner = "int8", report.ties = {"int4"};
  report.model_bytes = 20000, report.weight_bytes = 16000;
  report.limit = TypeLimit{"--max-drop 0.01", true, "map", {-0.015625, 0.125}, "int8"};
  return report;
}

}  // namespace detent
