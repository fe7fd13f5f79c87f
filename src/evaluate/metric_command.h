#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "detent/base/tensor.h"
#include "model/model.h"
#include "run/output_writer.h"

namespace detent {

/// A user's metric: the outputs of several models as .npy, and a command that judges one model's by the first model's.
///
/// Every model has a folder with one file per output, written as `detent run` writes them. All lie in a temporary
/// folder (TMPDIR) that goes with this object; memory does not grow with the samples, the disk holds models x samples x
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

  /// Outputs of one batch, in plain layout, of which the first `real` samples count.
  /// Errors  CannotWrite.
  /// axes  where the samples lie in each output; empty: the extents tell.
  void append(size_t model, const std::vector<Tensor>& outputs, size_t real, std::span<const SampleAxis> axes = {});
  /// All samples are there.
  /// Errors  CannotWrite.
  void close();
  /// The number that the command prints when it is called with the first model's folder and `model`'s.
  /// Errors  InvalidOption with what it wrote to stderr when it fails or prints anything but one finite number;
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
