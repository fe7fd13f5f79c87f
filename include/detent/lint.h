#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/plan_report.h"

namespace detent {

struct LintOptions {
  std::filesystem::path model;
  std::string target = "tensorrt";
  std::map<std::string, std::vector<int64_t>> shapes;  ///< by input, for open sizes
  DataOptions data = {};  ///< samples to run the file on, to measure 16-bit values; strongly typed targets only
  RunSettings run = {};
};

/// The findings in a Q/DQ model.
struct LintReport {
  PlanReport plan;     ///< model, target, layers as the file runs them, coverage and notes; no edges
  std::string origin;  ///< "qdq", "qoperator", "float"
  std::string codes;   ///< of its pairs: "UINT8 with zero points, INT32 biases"; empty without pairs
  /// Another engine, where it has at most a quarter of the errors and warnings: "onnxruntime"; else empty.
  std::string built_for;
  size_t following = 0;  ///< findings that do not occur for `built_for`
  struct Finding {
    std::string id, level, node, message, cure;
    double mac_share = 0;  ///< share of the model's MACs that it concerns; 0 when sizes are open
  };
  std::vector<Finding> findings;  ///< worst first

  /// Returns the number of findings of a level: "error", "warning" or "note".
  [[nodiscard]] size_t count(std::string_view level) const {
    return static_cast<size_t>(std::ranges::count(findings, level, &Finding::level));
  }
};

/// Reads any Q/DQ model, determines which layers run in INT8 and lists the findings, worst first. QOperator and float
/// models are only checked for their float types, for strongly typed targets. MACs are 0 where the model has open
/// sizes and no shape was given.
/// Errors  InvalidModel; Usage for an unknown target, and for data where the target is not strongly typed;
///         InvalidOption for shapes that do not fit; with data those of open_data and of running.
[[nodiscard]] DETENT_API LintReport lint_model(const LintOptions& options);

/// A kind of finding.
struct FindingInfo {
  std::string id, levels, summary;  ///< levels: "error", or "note on tensorrt, error on onnxruntime"
};
/// Returns every kind of finding, errors first.
[[nodiscard]] DETENT_API std::vector<FindingInfo> known_findings();

}  // namespace detent
