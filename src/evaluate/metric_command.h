#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "detent/base/tensor.h"
#include "model/model.h"
#include "run/output_writer.h"

namespace detent {

/// A user's metric: writes the outputs of several models as .npy, and calls a command that judges a model's outputs by
/// the first model's.
///
/// Every model has a folder with one file per output, in the format of `detent run`. All lie in a temporary folder
/// (TMPDIR) that is removed with this object. Memory does not grow with the samples; the disk holds models x samples x
/// outputs.
class MetricCommand {
 public:
  /// outputs  their names; models  names of folders, the float model's first; batch  see OutputWriter.
  /// Errors  CannotWrite.
  MetricCommand(std::string command, const std::vector<std::string>& outputs, const std::vector<std::string>& models,
                int64_t batch);
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
  /// Calls the command with the first model's folder and `model`'s and returns the number that it prints.
  /// Errors  InvalidOption with its stderr when it fails or prints anything except one finite number;
  ///         Interrupted.
  [[nodiscard]] double judge(size_t model) const;

 private:
  struct Model {
    std::filesystem::path folder;
    std::vector<OutputWriter> writers;
  };
  std::string command_;
  std::filesystem::path folder_;
  std::vector<Model> models_;
};

}  // namespace detent
