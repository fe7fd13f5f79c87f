#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "detent/base/tensor.h"
#include "detent/options/evaluation_options.h"
#include "model/model.h"
#include "run/output_writer.h"

namespace detent {

/// A user's metric: writes the outputs of several models as .npy, and calls a command or a function that judges a
/// model's outputs by the first model's.
///
/// Every model has a folder with one file per output, in the format of `detent run`. All lie in a temporary folder
/// (TMPDIR) that is removed with this object. Memory does not grow with the samples; the disk holds models x samples x
/// outputs.
class MetricCommand {
 public:
  /// outputs  their names; models  names of folders, the float model's first; batch  see OutputWriter.
  /// Errors  CannotWrite.
  MetricCommand(const EvaluationOptions& options, const std::vector<std::string>& outputs,
                const std::vector<std::string>& models, int64_t batch);
  ~MetricCommand();
  MetricCommand(const MetricCommand&) = delete;
  MetricCommand& operator=(const MetricCommand&) = delete;

  /// Appends the first `real` samples of one batch's outputs, in plain layout.
  /// axes    of the samples in each output; empty: the extents tell.
  /// Errors  CannotWrite.
  void append(size_t model, const std::vector<Tensor>& outputs, size_t real, std::span<const SampleAxis> axes = {});
  /// Closes the files after the last sample.
  /// Errors  CannotWrite.
  void close();
  /// Calls the command with the first model's folder and `model`'s and returns the number that it prints, or returns
  /// the function's.
  /// Errors  InvalidOption with its stderr when it fails or prints anything except one finite number; of a function
  ///         its own, and InvalidOption for a number that is not finite; Interrupted.
  [[nodiscard]] double judge(size_t model) const;

 private:
  struct Model {
    OutputFiles files;
    std::vector<OutputWriter> writers;
  };
  MetricFunction metric_;
  std::filesystem::path folder_;
  std::vector<std::string> outputs_;
  std::vector<Model> models_;
};

}  // namespace detent
