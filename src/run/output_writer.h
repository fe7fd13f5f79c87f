#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/sample_axis.h"
#include "datasets/base/npy_writer.h"

namespace detent {

/// Returns the name of an output as a file name: characters outside [A-Za-z0-9_.-] become '_'; "", "." and ".." become
/// "_"; a name of more than 200 characters is cut and ends in a digest of the whole name.
[[nodiscard]] std::string file_name_for(const std::string& output);

/// Returns file_name_for() of each, all different: a name that an earlier output took gets _2, _3 ... Neither NAME nor
/// NAME.npy is used twice, because an output may become a folder or a file.
[[nodiscard]] std::vector<std::string> file_names_for(const std::vector<std::string>& outputs);

/// A writer of one output's samples: stacked in FOLDER/NAME.npy while their shapes agree, otherwise each in
/// FOLDER/NAME/000000.npy. Outputs of extent `batch` on axis 0 are joined there. Others get a new axis 0: for each
/// sample where a later axis has that extent (states [layers, batch, hidden]; the first such axis), else for each
/// batch. Scalars become [N]. The tensors of a sequence go to FOLDER/NAME/000000_0.npy, 000000_1.npy ...; an absent
/// optional leaves no file.
class OutputWriter {
 public:
  /// name  one of file_names_for().
  /// Errors  CannotWrite when the file or the folder is an input (core/files/input_files.h), or exists and `overwrite`
  ///         is false.
  OutputWriter(std::filesystem::path folder, const std::string& name, int64_t batch, bool overwrite);
  /// Appends the output of one batch, of which the first `real` samples count.
  /// where  how the samples lie in it: an axis that counts only samples is preferred, because several axes may have the
  ///        extent of the batch.
  void append(const Tensor& output, size_t real, const SampleAxis& where = {});
  /// Finishes; returns the file, or the folder of files. Without this call only an empty folder may remain.
  [[nodiscard]] std::filesystem::path close();

 private:
  void write_separately(const Tensor& sample);
  void split();

  std::filesystem::path stacked_path_, folder_path_;
  int64_t batch_;
  std::unique_ptr<NpyWriter> stacked_;
  bool new_axis_ = false;  // of the stacked rows
  size_t separate_ = 0;
};

}  // namespace detent
