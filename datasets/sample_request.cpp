#include "datasets/sample_request.h"

#include "core/parse.h"
#include "datasets/state/state_file.h"
#include "detent/base/error.h"

namespace detent {

namespace {

NamedAxis parse_named_axis(const std::string& text) {
  const size_t equals = text.rfind('=');
  const std::string axis = equals == std::string::npos ? "" : text.substr(equals + 1);
  const int number = parse_number<int>(axis).value_or(-1);
  if (equals == 0 || (number < 0 && axis != "none"))
    throw Error(ErrorCode::Usage, "--batch-axis: '" + text + "' is not INPUT=AXIS or INPUT=none", "such as h0=1");
  return {text.substr(0, equals), number >= 0 ? number : kNoBatchAxis, text};
}

void check_selection(const DataOptions& options) {
  if (options.shard_index < 1 || options.shard_index > options.shard_count)
    throw Error(ErrorCode::Usage, "--shard " + std::to_string(options.shard_index) + "/" +
                                      std::to_string(options.shard_count) + " is invalid: give I/N with I from 1 to N");
  if (options.limit == size_t{0}) throw Error(ErrorCode::Usage, "--limit 0 leaves no samples");
  if (options.padding_masks.size() > 1)
    throw Error(ErrorCode::Usage, "--mask is given twice; one input tells padding from content");
}

void check_steps(const DataOptions& options) {
  if (!options.steps && !options.state.empty())
    throw Error(ErrorCode::Usage, "--state needs --steps N, the number of steps in a sample");
  if (options.steps == size_t{0}) throw Error(ErrorCode::Usage, "--steps 0 leaves no step");
  if (options.steps && options.state.empty())
    throw Error(ErrorCode::Usage, "--steps needs --state FILE.json, which names the outputs that feed inputs");
}

void refuse_without(const std::string& samples, bool given, const char* option) {
  if (given)
    throw Error(ErrorCode::Usage, std::string(option) + " applies to " + samples + ", which was not given",
                "give " + samples + ", or leave " + option + " out");
}

void refuse_stray_options(const DataOptions& data, const DataOptions* eval, const RunSettings& run) {
  if (!data.given()) {
    refuse_without("--data", data.limit.has_value(), "--limit");
    refuse_without("--data", data.shuffle.has_value(), "--shuffle");
    refuse_without("--data", data.shard_count != 1, "--shard");
  }
  if (!data.given() && (!eval || !eval->given())) {
    refuse_without("--data", !data.preprocess.empty(), "--preprocess");
    refuse_without("--data", !data.batch_axes.empty(), "--batch-axis");
    refuse_without("--data", !data.padding_masks.empty(), "--mask");
    refuse_without("--data", data.missing_nan, "--missing");
    refuse_without("--data", data.steps.has_value(), "--steps");
    refuse_without("--data", run.skip_bad_data, "--skip-bad-data");
    refuse_without("--data", !run.judged_outputs.empty(), "--judged-outputs");
  }
  if (eval && !eval->given()) refuse_without("--eval", eval->limit.has_value(), "--eval-limit");
}

}  // namespace

Preprocess parse_any_preprocess(const std::string& text) {
  Preprocess preprocess{.text = text};
  if (is_audio_preprocess(text))
    preprocess.audio = parse_audio_preprocess(text);
  else if (!text.empty())
    preprocess.images = parse_preprocess(text);
  return preprocess;
}

SampleRequest parse_samples(const DataOptions& options, const PipelineFile* pipeline) {
  check_selection(options);
  if (options.given()) check_steps(options);  // beside a table the states tell what is fed
  SampleRequest request{.own = options.own,
                        .arrays = options.arrays,
                        .sources = options.sources,
                        .option = options.option,
                        .preprocess = parse_any_preprocess(options.preprocess),
                        .shuffle = options.shuffle,
                        .limit = options.limit,
                        .spread = options.spread,
                        .shard_index = options.shard_index,
                        .shard_count = options.shard_count,
                        .masks = options.padding_masks,
                        .missing_nan = options.missing_nan,
                        .steps = options.steps};
  for (const std::string& text : options.batch_axes) request.batch_axes.push_back(parse_named_axis(text));
  if (pipeline && options.state == pipeline->path)
    request.state = pipeline->state;
  else if (!options.state.empty())
    request.state = read_state_file(options.state);
  return request;
}

RequestedSamples requested_samples(const DataOptions& data, const DataOptions* eval, const RunSettings& run,
                                   const PipelineFile* pipeline) {
  refuse_stray_options(data, eval, run);
  RequestedSamples samples{parse_samples(data, pipeline), {}};
  if (eval) samples.eval.option = eval->option;
  if (eval && eval->given()) samples.eval = parse_samples(*eval, pipeline);
  return samples;
}

}  // namespace detent
