#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/lint.h"
#include "detent/options/evaluation_options.h"
#include "detent/options/external_data.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"

namespace detent {

/// Options of `detent repair`.
struct RepairOptions {
  std::filesystem::path model, output;
  std::string target = "tensorrt";
  DataOptions data;              ///< to measure values that lack a scale, and the difference from the file before
  EvaluationOptions evaluation;  ///< samples and task to measure the difference and the scores on; by default `data`
  RunSettings run;
  bool overwrite = false;
  ExternalData external_data = ExternalData::Auto;
};

/// The fate of every pair of a file.
struct RepairReport {
  std::string model, output, target;
  struct Pair {
    std::string value;
    std::string action;  ///< "kept", "moved", "removed", "added"
    std::string rule;    ///< as in a plan: "R4 residual add"
    std::string reason;
    std::string moved_from;  ///< value whose pair it was in the file; empty: none, or `value` itself
  };
  std::vector<Pair> pairs;  ///< on activations and biases, in the order of the graph; removed ones last
  size_t weights_kept = 0;  ///< weights whose codes and scales are those of the file, up to folded factors
  std::vector<std::string> weights_anew;  ///< weights with other scales, with the reason
  size_t measured = 0;                    ///< values that got their range from data
  size_t samples = 0;                     ///< that gave those ranges; 0 where all follow from the file
  bool changed = true;                    ///< false: the file needs no repair, and OUT holds the same model
  LintReport before, lint;                ///< of the file before, and of the written file
  std::optional<ErrorReport> error;       ///< of the written file against the file before; absent without data
  VerdictReport verdict;                  ///< of `error`
  /// Scores by Metric::name of the file before and of the written file, by the labels, masks, tokens or command that
  /// were given. Empty without.
  std::map<std::string, double> scores_before, scores;
  size_t evaluation_samples = 0;  ///< that were scored
  size_t steps = 0;    ///< of each of them, which both files take with their own states; 0: samples are whole
  std::string labels;  ///< as ComparisonReport::labels
  uint64_t bytes_before = 0, bytes_after = 0;
  double seconds = 0;
};

/// Writes a Q/DQ file of any origin anew as the target wants it. Pairs that stand right keep their scales and weights
/// their codes, bit for bit. A pair on a wrong edge moves where the numbers are the same, or goes; a missing one takes
/// the scale of the values that it shares one with, else a range measured with the file's own pairs around it (mse).
/// Layers that are float in the file stay float. A second repair changes nothing.
/// Weights alone (in blocks or 4 bits) keep their bytes. FP8 pairs are repaired like INT8 ones.
/// Errors  InvalidModel for a file without pairs, with integer operators, or where only weights have pairs;
///         InvalidOption naming the values that lack a scale where there is no data, and for FP8 where the target has
///         none; Usage for a task without evaluation samples; those of reading, measuring and writing.
[[nodiscard]] DETENT_API RepairReport repair_model(const RepairOptions& options);

}  // namespace detent
