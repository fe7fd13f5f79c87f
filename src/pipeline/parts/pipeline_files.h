#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/files/input_files.h"
#include "datasets/state/pipeline_file.h"
#include "detent/output_files.h"
#include "detent/quantize.h"
#include "model/joined_models.h"
#include "pipeline/parts/closing_samples.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/prepared.h"

namespace detent {

/// Reads the pipeline that options name, and completes them with it (datasets/state/pipeline_file.h): it becomes the
/// model, and gives data, steps and states unless the options do. nullopt without a pipeline.
/// Errors  Usage for several models without a pipeline, for models that it does not name or that are not given, and for
///         options that concern one file: latency, --stop-after prepare and rewrite, 16-bit inputs and
///         outputs; those of read_pipeline_file.
[[nodiscard]] std::optional<PipelineFile> take_pipeline(QuantizeOptions& options);

/// Returns the files that a pipeline is written to.
[[nodiscard]] std::vector<OutputFile> outputs_of(const PipelineFile& pipeline, const std::filesystem::path& folder);

/// Checks that they can be written.
/// Errors  CannotWrite; InvalidOption for two files of one name.
void check_pipeline_outputs(const PipelineFile& pipeline, const std::filesystem::path& folder, bool overwrite);

/// Returns the files that a pipeline reads besides those that options name.
[[nodiscard]] std::vector<InputFiles::Source> sources_of(const std::optional<PipelineFile>& pipeline);

/// The files of a pipeline while its joined model is quantized and written. Nothing for a single model.
class PipelineFiles {
 public:
  /// Errors  those of reading the files.
  PipelineFiles(const QuantizeOptions& options, const std::optional<PipelineFile>& pipeline);

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
  std::optional<FrameRules> frames_ = {};
  std::vector<File> files_;
};

}  // namespace detent
