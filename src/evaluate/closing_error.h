#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "model/model.h"

namespace detent {

/// The float model's outputs for the first samples, kept so that its weights need not lie in memory beside those of the
/// model that is compared with it.
struct ReferenceOutputs {
  std::vector<std::string> names;                 ///< outputs or, before a tail that cannot run, RunnablePart::ends()
  std::map<size_t, std::vector<Tensor>> tensors;  ///< by index of the (first) sample of a batch
  std::vector<std::pair<size_t, size_t>> parts;   ///< (first sample, samples) as they were run
  size_t samples = 0;
};

/// Runs the first `samples` samples, or as many as keep 128 MiB of outputs, at least one batch.
/// Errors  those of reading and running; Interrupted.
[[nodiscard]] ReferenceOutputs keep_outputs(const Model& reference, const DataSource& source, size_t samples,
                                            const RunSettings& settings);

/// The closing error, and how it spreads.
struct ClosingError {
  ErrorReport report;
  struct Named {
    std::string name;
    double sqnr_db = 0;
  };
  /// The worst float output (ErrorReport::worst).
  std::optional<Named> worst_output;
  /// The worst sample (of a fixed batch the first) by its worst output. Its noise is held against its own signal or the
  /// average sample's, whichever is larger: a sample that shows nothing is not a bad one.
  std::optional<Named> worst_sample;
  /// Decisions that are held against those of FP32, of the output where most are others.
  struct Decisions {
    std::string name;
    bool classes = true;  ///< false: integers of another kind, element by element
    size_t all = 0, agreeing = 0;
  };
  /// Classes: the largest of a row [N, C >= 2] where rows tell classes, or integers that are classes themselves
  /// (ArgMax). Where the model has integer outputs only, their elements whatever they are: there is nothing else to
  /// judge by. Absent: nothing is decided.
  std::optional<Decisions> decisions;
  std::vector<std::string>
      uncomparable;  ///< outputs that have another shape than in FP32 on some sample; in no number here
};

/// Runs the candidate on the same samples of the same source and compares by name. At each output, samples on which
/// FP32 is not finite are left out: they say nothing of the candidate.
/// Errors  those of reading and running;
/// Interrupted.
[[nodiscard]] ClosingError measure_closing_error(const ReferenceOutputs& reference, const Model& candidate,
                                                 const DataSource& source, const RunSettings& settings);

}  // namespace detent
