#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/plan_report.h"

namespace detent {

struct LintOptions {
  std::filesystem::path model;
  std::string target = "tensorrt";
  std::map<std::string, std::vector<int64_t>> shapes;  ///< by input, for sizes that the model leaves open
  /// With sources the file is run over them, for findings about what 16-bit values reach; strongly typed targets only.
  DataOptions data = {};
  RunSettings run = {};  ///< of that run
};

/// The findings in a finished Q/DQ model.
struct LintReport {
  PlanReport plan;     ///< model, target, layers as the file runs them, coverage, notes; no edges
  std::string origin;  ///< "qdq", "qoperator", "float"
  std::string codes;   ///< what its pairs hold: "UINT8 with zero points, INT32 biases"; empty without pairs
  /// The other engine, where it has at most a quarter of the errors and warnings: "onnxruntime"; empty: nothing says
  /// so.
  std::string built_for;
  size_t following = 0;  ///< findings that are not there for the engine it was built for
  struct Finding {
    std::string id, level, node, message, cure;
    double mac_share = 0;  ///< fraction of the model's MACs that it concerns; 0 when sizes are open
  };
  std::vector<Finding> findings;  ///< worst first
};

/// Reads any Q/DQ model, says what of it runs in INT8 and lists the findings, worst first. QOperator models and float
/// models are named as such; of those only float types are judged, for strongly typed targets. MACs are 0 where the
/// model leaves sizes open and no shape was given.
/// Errors  InvalidModel; Usage for a target that is not known, and for
/// data where the target is not strongly typed; InvalidOption for shapes that do not fit; with data those of open_data
/// and of running.
[[nodiscard]] DETENT_API LintReport lint_model(const LintOptions& options);

/// A kind of finding.
struct FindingInfo {
  std::string id, levels, summary;  ///< levels: "error", or "note on tensorrt, error on onnxruntime"
};
/// Every kind of finding, errors first.
[[nodiscard]] DETENT_API std::vector<FindingInfo> known_findings();

}  // namespace detent
