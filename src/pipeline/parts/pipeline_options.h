#pragma once

#include <filesystem>
#include <optional>

#include "datasets/state/pipeline_file.h"
#include "detent/base/data_source.h"
#include "detent/options/evaluation_options.h"

namespace detent {

/// Completes data options with those of a pipeline: its data, its steps and its states, unless the options have them.
/// eval  gets the same steps and states; nullptr: none
void complete_options(const PipelineFile& pipeline, DataOptions& data, DataOptions* eval = nullptr);

/// Completes the evaluation of a pipeline that writes texts: its vocabulary for --transcripts.
void complete_options(const PipelineFile& pipeline, EvaluationOptions& evaluation);

/// Reads a command's model if that is a pipeline, and completes the options with it.
/// Returns  nullopt for another model.
/// Errors   those of read_pipeline_file.
[[nodiscard]] std::optional<PipelineFile> complete_by_model(const std::filesystem::path& model, DataOptions& data,
                                                            DataOptions* eval = nullptr);

}  // namespace detent
