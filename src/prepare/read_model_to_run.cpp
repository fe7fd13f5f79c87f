#include "prepare/read_model_to_run.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "detent/base/error.h"
#include "model/qoperators.h"
#include "ops/check_signatures.h"
#include "prepare/inline_branches.h"
#include "prepare/inline_functions.h"
#include "prepare/join_files.h"
#include "prepare/plain_nodes.h"
#include "prepare/restore_weights.h"

namespace detent {

void refuse_pipeline_file(const std::filesystem::path& path) {
  if (is_pipeline_file(path))
    throw Error(ErrorCode::InvalidModel,
                path.string() + ": describes a pipeline of several models; one model is wanted",
                "give each of its models alone. quantize, plan, compare, sensitivity, calibrate, inspect and run take "
                "a pipeline");
}

Model read_runnable_model(const std::filesystem::path& path, Expansion* expansion) {
  refuse_pipeline_file(path);
  Model model = read_model(path);
  try {
    inline_functions(model);
    check_signatures(model.graph());
    Expansion done = expand_operators(model);
    if (expansion) *expansion = std::move(done);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
  return model;
}

namespace {

/// Reads all files of a pipeline, as one model.
template <class ReadFile>
Model read_joined(const PipelineFile& pipeline, const ReadFile& read) {
  std::vector<NamedModel> models;
  for (const PipelineFile::File& file : pipeline.files) models.push_back({file.name, read(file.path)});
  return join_files(std::move(models), pipeline.feeds, pipeline.path, pipeline.frames);
}

/// Makes the graph plain: branches whose condition is known are inlined, CastLike becomes Cast.
Model plain(Model model) {
  inline_branches(model);
  replace_cast_likes(model);
  return model;
}

}  // namespace

Model read_float_file(const std::filesystem::path& path, size_t* restored) {
  Model model = read_runnable_model(path);
  const size_t weights = restore_weights(model);
  if (restored) *restored = weights;
  if (is_quantized(model.graph()))
    throw Error(ErrorCode::InvalidModel,
                path.string() +
                    ": the model is already quantized (it holds QuantizeLinear, DequantizeLinear or "
                    "integer operators)",
                "quantize the float model it was made from");
  if (const Node* holder = find_quantized_body(model.graph()))
    throw Error(ErrorCode::InvalidModel,
                path.string() + ": the model is already quantized: a graph inside " + holder->op_type + " '" +
                    holder->name + "' holds QuantizeLinear, DequantizeLinear or integer operators",
                "quantize the float model it was made from");
  return plain(std::move(model));
}

Model read_float_model(const std::filesystem::path& path) {
  return is_pipeline_file(path) ? read_float_model(read_pipeline_file(path)) : read_float_file(path);
}

Model read_float_model(const PipelineFile& pipeline) {
  return read_joined(pipeline, [](const std::filesystem::path& file) { return read_float_file(file); });
}

Model read_any_model(const std::filesystem::path& path, Expansion& expansion) {
  if (!is_pipeline_file(path)) return read_runnable_model(path, &expansion);
  return read_joined(read_pipeline_file(path), [&](const std::filesystem::path& file) {
    Expansion one;
    Model model = read_runnable_model(file, &one);
    for (const auto& [type, count] : one.operators) expansion.operators[type] += count;
    std::ranges::move(one.kept, std::back_inserter(expansion.kept));
    return model;
  });
}

Model read_model_with_pairs(const std::filesystem::path& path) { return plain(read_runnable_model(path)); }

Model read_model_to_cast(const std::filesystem::path& path) {
  Model model = read_runnable_model(path);
  refuse_integer_operators(model.graph(), path.string(), "cast keeps the codes of pairs alone");
  return plain(std::move(model));
}

}  // namespace detent
