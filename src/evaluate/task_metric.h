#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/images/masks.h"
#include "datasets/sample_request.h"
#include "detent/base/progress.h"
#include "detent/options/evaluation_options.h"
#include "evaluate/batch_errors.h"
#include "evaluate/ctc_text.h"
#include "evaluate/detection_judge.h"
#include "evaluate/next_token.h"
#include "evaluate/text_errors.h"

namespace detent {

/// The label or mask of one sample that the user gave, and the next tokens of its data.
struct Truth {
  std::string sample;  ///< its name, for messages
  std::optional<int64_t> label;
  std::optional<ClassMask> mask;
  std::vector<int64_t> next;  ///< next_tokens()
  DetectionTruth detections;
  std::optional<std::string> transcript;
};

/// Counts behind the task metrics of one model. All except `tokens.nats` are integers: the order of adding does not
/// matter.
struct TaskSums {
  uint64_t labelled = 0, first = 0, among_five = 0;
  bool has_five = false;                       ///< there are more than five classes
  std::vector<uint64_t> intersection, unions;  ///< pixels, by class
  TokenScore tokens;
  DetectionSums detections;
  TextErrors texts;

  TaskSums& operator+=(const TaskSums& other);
  /// Subtracts sums that were added before, except the detections: RankedDetections leaves parts of them out.
  TaskSums& operator-=(const TaskSums& other);
  /// Returns metrics by Metric::name. top-5 needs more than five classes; mIoU is averaged over the classes that occur
  /// in a mask or an output, over all samples together; cross entropy is the mean over all tokens, an error rate that
  /// of all texts together. Nothing counted -> none.
  [[nodiscard]] std::map<std::string, double> metrics() const;
};

/// Returns what the options give the truth of single outputs by; Outputs where they give none.
[[nodiscard]] MetricSource truth_source(const EvaluationOptions& options);

/// Judges outputs by labels and masks. Thread-safe.
class TaskMetric {
 public:
  /// Checks the labels and masks of `samples`.
  /// request     that `samples` were opened by
  /// graph       of the model; only next tokens need it
  /// recognized  the layout of the float model's detections; only detectors need it
  /// Errors  InvalidData: a sample has no label or no mask, a file gets two labels (names are listed), the truth has
  ///         nothing to score (no word, no object, no next token, masks of 255 alone); those of
  ///         read_labels, read_transcripts, read_token_list and find_token_ids; Usage for transcripts without a
  ///         vocabulary. Labels and transcripts that match no sample are listed in a warning.
  TaskMetric(const EvaluationOptions& options, const SampleRequest& request, const DataSource& samples,
             Reporter& reporter, const Graph* graph = nullptr, std::optional<DetectionLayout> recognized = {});

  /// Learns the classes of a detector's annotations (DetectionJudge::learn_classes); runs `reference` on some samples
  /// where there are annotations.
  void learn_classes(const Model& reference, const DataSource& samples, const RunSettings& settings);

  /// True when there are labels, boxes, masks, tokens, transcripts or detections.
  [[nodiscard]] bool given() const { return !labels_.empty() || detections_ || !masks_.empty() || ids_ || vocabulary_; }

  /// Returns what gives the truth of single outputs; Outputs where nothing does.
  [[nodiscard]] MetricSource source() const {
    return !labels_.empty()      ? MetricSource::Labels
           : !masks_.empty()     ? MetricSource::Masks
           : ids_ || vocabulary_ ? MetricSource::Tokens
                                 : MetricSource::Outputs;
  }
  [[nodiscard]] bool judges_tokens() const { return ids_.has_value(); }
  /// Returns how the boxes of --labels and of the float model are read (DetectionJudge::reading); "" without boxes.
  [[nodiscard]] std::string reading() const { return detections_ ? detections_->reading() : std::string(); }
  /// Returns the layout of the float model's detections; nullopt where it was not recognized.
  [[nodiscard]] const std::optional<DetectionLayout>& recognized() const { return recognized_; }

  /// Reads labels and masks of some samples. Call it once for all models, because masks are files.
  /// Errors  those of read_mask.
  [[nodiscard]] std::vector<Truth> truths_of(std::span<const Sample> samples) const;

  /// Judges a model's outputs for these samples, in plain layout. `axes` are those of the samples; empty: axis 0. The
  /// forms below hold with the samples in front (with_samples_in_front); outputs whose samples cannot be split are
  /// skipped. Labels are compared with the first output of one score per class ([N, C], trailing extents of 1), of one
  /// score ([N], [N, 1]: its sign) or of integers (the class); masks with the first of [N, C, H, W] (C = 1: its sign)
  /// or of integers [N, H, W]. The first largest score wins. Pixels of value 255 are unlabelled and do not count when
  /// there are more than two classes. Next tokens are scored by score_next_tokens, detections by match_objects,
  /// transcripts by the text that read_by_ctc finds. detections  in these outputs; nullptr: none. Errors  InvalidOption
  /// when no output has the form; InvalidData naming the sample when its label or a pixel of its
  ///         mask is beyond the classes of the output, or the mask has another size.
  [[nodiscard]] TaskSums score(std::span<const Truth> truths, std::span<const std::string> names,
                               std::span<const Tensor> outputs, OutputAxes axes = {},
                               const PairedDetections* detections = nullptr) const;

 private:
  std::map<std::string, int64_t> labels_;
  std::optional<DetectionLayout> recognized_;
  std::optional<DetectionJudge> detections_;
  std::filesystem::path masks_;
  std::map<std::string, std::string> transcripts_;
  std::optional<CtcVocabulary> vocabulary_;  // of transcripts
  std::optional<size_t> ids_;                // the input of token ids, where next tokens are judged
};

}  // namespace detent
