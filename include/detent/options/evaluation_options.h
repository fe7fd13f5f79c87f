#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/base/metric.h"

namespace detent {

/// The files with a model's outputs on the evaluation samples, in the format of `detent run`.
struct OutputFiles {
  std::filesystem::path folder;
  /// By the output's name: a .npy [N, ...], or a folder with a .npy for each sample where their shapes differ.
  std::vector<std::pair<std::string, std::filesystem::path>> outputs = {};
};

/// A metric of the caller: judges a model's outputs beside the float model's, or the float model's beside themselves.
/// Larger is better. Its exceptions end the work and reach the caller.
using MetricFunction = std::function<double(const OutputFiles& fp32, const OutputFiles& candidate)>;

/// The samples a model is judged on, and the task that judges them. Without a task, outputs are only compared with
/// those of the float model.
struct EvaluationOptions {
  DataOptions data;  ///< preprocessed like the calibration data
  /// csv `file,label`, files relative to the data's folder, or boxes: COCO annotations (.json) or a folder of YOLO's
  /// .txt or Pascal VOC's .xml; empty: none.
  std::filesystem::path labels;
  std::filesystem::path masks;        ///< folder of images of the same names, pixel = class; empty: none
  std::string metric_command;         ///< called with two folders of .npy files, prints a number; empty: none
  MetricFunction metric = {};         ///< takes the place of metric_command
  bool next_token = false;            ///< logits are compared with the next token id
  std::filesystem::path transcripts;  ///< csv `file,text` for texts that CTC reads from logits; empty: none
  std::filesystem::path vocabulary;   ///< the tokens of `transcripts`, by class: a line each, or a .json object
};

/// Returns true where the options have what this source of metrics needs; output errors need nothing.
[[nodiscard]] inline bool gives(const EvaluationOptions& options, MetricSource source) {
  switch (source) {
    case MetricSource::Command: return options.metric || !options.metric_command.empty();
    case MetricSource::Masks: return !options.masks.empty();
    case MetricSource::Objects: {
      std::error_code error;
      return options.labels.extension() == ".json" || std::filesystem::is_directory(options.labels, error);
    }
    case MetricSource::Labels: return !options.labels.empty() && !gives(options, MetricSource::Objects);
    case MetricSource::Tokens: return options.next_token;
    case MetricSource::Transcripts: return !options.transcripts.empty();
    case MetricSource::Detections: return false;  // by the model, or RunSettings::detections
    case MetricSource::Outputs: break;
  }
  return true;
}

/// The options that give a task, for messages.
inline constexpr const char* kTaskOptions = "--labels, --masks, --next-token, --transcripts and --metric-command";

/// Returns true where the options give a task: labels, masks, next tokens, transcripts or a command.
[[nodiscard]] inline bool judges_a_task(const EvaluationOptions& options) {
  return std::ranges::any_of(kMetrics,
                             [&](const Metric& metric) { return !metric.is_error() && gives(options, metric.source); });
}

}  // namespace detent
