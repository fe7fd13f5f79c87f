#include "pipeline/parts/pipeline_options.h"

namespace detent {

void complete_options(const PipelineFile& pipeline, DataOptions& data, DataOptions* eval) {
  if (!data.given()) data.sources = pipeline.sources;
  if (!pipeline.steps) return;
  if (data.state.empty()) {  // other states have other steps
    if (!data.steps) data.steps = pipeline.steps;
    data.state = pipeline.path;
  }
  if (eval) eval->steps = data.steps, eval->state = data.state;
}

void complete_options(const PipelineFile& pipeline, EvaluationOptions& evaluation) {
  if (!pipeline.decode || evaluation.transcripts.empty() || !evaluation.vocabulary.empty()) return;
  evaluation.vocabulary = pipeline.decode->vocabulary;
}

std::optional<PipelineFile> complete_by_model(const std::filesystem::path& model, DataOptions& data,
                                              DataOptions* eval) {
  if (!is_pipeline_file(model)) return std::nullopt;
  PipelineFile pipeline = read_pipeline_file(model);
  complete_options(pipeline, data, eval);
  return pipeline;
}

}  // namespace detent
