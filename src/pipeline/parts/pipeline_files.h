#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/files/input_files.h"
#include "detent/quantize.h"
#include "model/joined_models.h"
#include "pipeline/parts/closing_samples.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/prepared.h"

namespace detent {

/// Returns the options with what the pipeline's file says (datasets/state/pipeline_file.h): it becomes the model, and
/// gives data, steps and states unless the options do. The same options without a pipeline. Errors  Usage for several
/// models without a pipeline, for models that it does not name or that are not given, and for
///         options that concern one file: a table, latency, --stop-after prepare and rewrite, 16-bit inputs and
///         outputs; those of read_pipeline_file.
[[nodiscard]] QuantizeOptions with_pipeline(const QuantizeOptions& given);

/// Checks that the files of a pipeline can be written to the folder.
/// Errors  CannotWrite; InvalidOption for two files of one name; those of read_pipeline_file.
void check_pipeline_outputs(const QuantizeOptions& options);

/// Returns the files that a pipeline reads besides those that options name.
[[nodiscard]] std::vector<InputFiles::Source> pipeline_sources(const QuantizeOptions& options);

/// The files of a pipeline while its joined model is quantized and written. Nothing for a single model.
class PipelineFiles {
 public:
  /// Errors  those of reading the files.
  explicit PipelineFiles(const QuantizeOptions& options);

  [[nodiscard]] bool empty() const { return files_.empty(); }

  /// Takes the joined model apart, and makes it what the files are together.
  /// ranks  of its values, for inputs and outputs without a declared shape
  void take(Model& joined, const Provenance& provenance, const std::map<std::string, size_t>& ranks);
  /// Measures the error of each file that has pairs at the end of the pipeline, beside the float models of the others.
  /// Errors  those of ClosingSamples::error_of.
  void measure(const ClosingSamples& samples, const QuantizeReport& report);
  /// Writes all files, or none, and adds them to the report.
  /// Errors  those of write_quantized.
  void write(const Target& target, QuantizeReport& report);

 private:
  struct File {
    PipelineFileReport report;
    ModelFacts facts;
    std::optional<Model> model = {};
  };

  [[nodiscard]] Model join(const std::string& quantized) const;

  const QuantizeOptions& options_;
  std::vector<FileFeed> feeds_;
  std::vector<File> files_;
};

}  // namespace detent
