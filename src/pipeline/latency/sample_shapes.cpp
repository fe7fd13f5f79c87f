#include "pipeline/latency/sample_shapes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/files/child_process.h"
#include "datasets/sample_request.h"
#include "pipeline/latency/latency_command.h"
#include "prepare/read_model_to_run.h"
#include "run/model_inputs.h"
#include "run/open_samples.h"

namespace detent {

namespace {

bool has_open_size(const InputSpec& input) {
  return std::ranges::any_of(input.shape, [](int64_t extent) { return extent < 0; });
}

/// Returns " --shape NAME=1,3,48,192"; an empty cache counts as one position.
std::string shape_word(const std::string& input, const Shape& shape) {
  std::string sizes;
  for (size_t axis = 0; axis < shape.rank(); ++axis)
    sizes += (axis > 0 ? "," : "") + std::to_string(std::max<int64_t>(1, shape[axis]));
  return " --shape " + shell_quoted(input + "=" + sizes);
}

}  // namespace

LatencyOptions with_sample_shapes(LatencyOptions latency, const std::filesystem::path& path, const DataOptions& data,
                                  const RunSettings& run) {
  const bool is_told =
      latency.command.find("--shape") != std::string::npos || latency.command.find("--batch") != std::string::npos;
  if (!is_ready_command(latency.command) || is_told) return latency;
  const Model model = read_float_model(path);
  const SampleRequest request = parse_samples(data);
  const std::vector<InputSpec> inputs = input_specs(model.graph(), request.batch_axes);
  if (std::ranges::none_of(inputs, has_open_size)) return latency;
  const std::vector<Tensor> first = read_shown_inputs(*open_samples(request, model), request.steps, run);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (has_open_size(inputs[i])) latency.command += shape_word(inputs[i].name, first[i].shape());
  return latency;
}

}  // namespace detent
