#pragma once

#include <string>

#include "detent/cache.h"
#include "detent/inspect.h"
#include "detent/run.h"
#include "detent/verify.h"

namespace detent {

/// Reports about files in which every member has a value. `odd` is a name that no form may change.
inline RunReport whole_run(const std::string& odd) {
  RunReport report{.model = "folder/net.onnx", .samples = 96, .skipped_samples = 3, .seconds = 2};
  report.expanded = {{"LayerNormalization", 7}};
  report.written = {"out/" + odd};
  report.profile = ProfileReport{
      .nodes = {{odd, "Conv", 6}, {"tail", "Relu", 2}}, .samples = 5, .total_ms = 8, .collecting = {{"x86", 9, 16, 4}}};
  return report;
}

inline ModelReport whole_model(const std::string& odd) {
  ModelReport report;
  report.model = "folder/net.onnx", report.ir = 8, report.opset = {{"", 17}, {"com.microsoft", 1}};
  report.inputs = {{odd, "float", {1, 3, -1, -1}}}, report.outputs = {{"y", "undefined", {}, false}};
  report.detections = "boxes and scores", report.operators = {{"Conv", 11}, {"Relu", 12}};
  report.expanded = {{"LayerNormalization", 13}};
  report.unsupported = {{odd, "Loop", "has no kernel"}};
  report.float_nodes = {{"float", 14}, {"float16", 15}}, report.float_casts = 16, report.parameters = 1700;
  report.provenance = Provenance{.producer = "detent 0.1.0", .target = "x86", .ranges = "abc", .samples = 18};
  return report;
}

inline TableReport whole_table(const std::string& odd) {
  TableReport report{.table = "folder/net.dct", .samples = {"a.png", "b.png"}};
  report.equalize = "gate", report.equalized_values = 7, report.float_values = 9;
  report.values = {{.name = odd,
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

inline DistributionReport whole_distribution(const std::string& odd) {
  DistributionReport report{.table = "folder/net.dct", .value = whole_table(odd).values.front()};
  report.rows = {{-1.5, -0.75, 11}, {0, 0.75, 13}, {0.75, 2.25, 17}};
  report.negative = {11}, report.positive = {13, 17};
  return report;
}

inline VerifyReport whole_verification(const std::string& odd) {
  using Outcome = VerifyReport::Line::Outcome;
  VerifyReport report{.passed = 11, .failed = 12, .unsupported = 13};
  report.lines = {
      {"equal", odd, Outcome::Passed, "", {}, 0, {}},
      {"near", "model.onnx", Outcome::Passed, "(1 of 2 outputs compared)", {}, 0.00025, {}},
      {"boxes", "model.onnx", Outcome::Failed, "output 'y'; its detections agree to 87.5 % mAP", {"Add"}, 0.35, 0.875},
      {"loop", "model.onnx", Outcome::Unsupported, "no kernel", {"Loop", "Scan"}, 0, {}}};
  return report;
}

inline CacheExportReport whole_cache_export(const std::string& odd) {
  return {.table = "folder/net.dct",
          .output = "out/" + odd,
          .calibrator = "mse",
          .target = "tensorrt:10.13",
          .scales = 42,
          .arguments = "out/net.dla.txt"};
}

inline CacheImportReport whole_cache_import(const std::string& odd) {
  return {.cache = "folder/net.cache",
          .output = "out/net.dct",
          .version_line = "TRT-101300-EntropyCalibration2",
          .imported = 41,
          .unknown = {odd, "x", "y"},
          .without_scale = {"z", "w"},
          .target = "tensorrt:10.13",
          .missing = {"image"}};
}

}  // namespace detent
