#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/error_report.h"
#include "evaluate/block_errors.h"
#include "evaluate/detection_judge.h"
#include "evaluate/embedding_errors.h"
#include "evaluate/shown_detections.h"
#include "model/model.h"

namespace detent {

/// The float model's outputs for the first samples, kept so that its weights and those of the compared model need not
/// be in memory at once.
struct ReferenceOutputs {
  std::vector<std::string> names;  ///< judged_ends(): outputs, or the values before a tail that cannot run
  std::map<size_t, std::vector<Tensor>> tensors;  ///< by index of the first sample of a batch
  std::vector<std::pair<size_t, size_t>> parts;   ///< (first sample, samples) as they were run
  OutputForms forms = {};
  size_t samples = 0;
  /// Of outputs with NaN, sentences that name the output, its first sample and the node that makes the NaN.
  std::vector<std::string> not_numbers = {};
  std::string not_compared = {};  ///< ErrorReport::not_compared
  size_t steps = 0;               ///< of one sample, which the other members count one by one; 0: whole samples
};

/// Runs the judged outputs on the first `samples` samples, or as many as keep 128 MiB of outputs, at least one batch.
/// Warns of outputs with NaN.
/// steps   of one sample, which the source has one by one (StepSource): all of them are kept, or none; 0: whole
/// samples. Errors  those of reading and running; Interrupted.
[[nodiscard]] ReferenceOutputs keep_outputs(const Model& reference, const DataSource& source, size_t samples,
                                            const RunSettings& settings, size_t steps = 0);

/// The closing error and its distribution over outputs and samples.
struct ClosingError {
  ErrorReport report;
  struct Named {
    std::string name;
    double sqnr_db = 0;
  };
  /// The worst float output, of those that hold no scores beside other numbers, no detections that `report` scores and
  /// no embedding.
  std::optional<Named> worst_output;
  /// The worst sample (of a fixed batch the first) by its worst output of those that hold no detections. Its noise is
  /// relative to its own signal or the average sample's, whichever is larger: a sample with a small signal is not a bad
  /// one.
  std::optional<Named> worst_sample;
  /// Decisions compared with those of FP32, at the output where most differ.
  struct Decisions {
    std::string name;
    bool classes = true;  ///< false: integers that are not classes, element by element
    size_t all = 0, agreeing = 0;
  };
  /// Decisions are classes: the largest of an output's row (OutputMeaning::Classes), or integers that are classes
  /// (ArgMax). If the model has only integer outputs, their elements count. Absent: nothing is decided.
  std::optional<Decisions> decisions;
  /// The embedding with the lowest cosine, and the one with the most changed neighbours.
  struct Embedding {
    std::string name;
    EmbeddingErrors::Error error;
  };
  std::optional<Embedding> worst_cosine, worst_neighbours;
  /// The worst float output without decisions, which is no embedding, about its means, which tell nothing of a sample;
  /// nullopt where none varies.
  std::optional<BlockErrors::Worst> worst_about_mean;
  std::optional<BlockErrors::Worst> worst_block;         ///< of outputs that mix numbers of different meaning or size
  std::optional<BlockErrors::Worst> worst_unseen_block;  ///< of those that are not seen (BlockErrors)
  std::vector<OutputReport> outputs;                     ///< that were judged, in the model's order
  std::vector<std::string> nearly_constant;  ///< outputs that vary too little to tell an error (BlockErrors)
  std::vector<ShownDetections> shown;        ///< by sample; empty: no detector
  bool detects_nothing = false;              ///< a detector, and no detection of FP32 scores .5 or more
  std::vector<std::string> uncomparable;  ///< outputs whose shape differs from FP32 on some sample; not in the numbers
  std::vector<std::string> not_numbers;   ///< ReferenceOutputs::not_numbers
};

/// Runs the candidate on the same samples of the same source and compares by name. At each output, samples on which
/// FP32 holds NaN or +inf are left out, and elements that are -inf in both. Of samples that are cut into steps
/// (ReferenceOutputs::steps) the report is over all of them, and a sample stands for its steps.
/// Errors  those of reading and running; Interrupted.
[[nodiscard]] ClosingError measure_closing_error(const ReferenceOutputs& reference, const Model& candidate,
                                                 const DataSource& source, const RunSettings& settings);

}  // namespace detent
