#include "run/open_samples.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "detent/base/error.h"
#include "run/model_inputs.h"
#include "run/padding.h"
#include "run/sample_subset.h"
#include "run/step_source.h"

namespace detent {

namespace {

/// Returns the specs with whole inputs as samples, where trials found a batch that the user did not name.
std::optional<std::vector<InputSpec>> as_whole_samples(const std::vector<InputSpec>& specs) {
  if (group_size(specs) == 1) return std::nullopt;
  std::vector<InputSpec> whole = specs;
  for (InputSpec& spec : whole) {
    if (spec.batch_axis_named) return std::nullopt;
    spec.batch_axis = kNoBatchAxis;
  }
  return whole;
}

std::unique_ptr<DataSource> open_whole(const DataOptions& options, const Graph& graph) {
  const std::vector<InputSpec> batched = input_specs(graph, options.batch_axes);
  const auto whole = as_whole_samples(batched);
  const auto mask = find_padding_mask(batched, options.padding_masks);
  const auto open = [&](const std::vector<InputSpec>& specs) {
    auto source = open_data(options, specs);
    return mask ? with_content(std::move(source), *mask) : std::move(source);
  };
  if (!whole) return open(batched);
  const bool matrices = std::ranges::all_of(batched, [](const InputSpec& spec) { return spec.shape.size() <= 2; });
  try {
    return open(matrices ? *whole : batched);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidData) throw;
  }
  return open(matrices ? batched : *whole);
}

/// True for each input that the data names, and for all where there is an array for each.
std::vector<bool> inputs_with_data(const DataOptions& options, std::span<const InputSpec> specs) {
  std::vector<bool> named(specs.size(), options.arrays.size() == specs.size());
  for (size_t i = 0; i < specs.size(); ++i)
    for (const std::string& source : options.sources)
      if (source.starts_with(specs[i].name + "=")) named[i] = true;
  return named;
}

}  // namespace

std::unique_ptr<DataSource> open_samples(const DataOptions& options, const Model& model) {
  if (!options.steps) {
    if (options.state.empty()) return open_whole(options, model.graph());
    throw Error(ErrorCode::Usage, "--state needs --steps N, the number of steps in a sample");
  }
  if (*options.steps == 0) throw Error(ErrorCode::Usage, "--steps 0 leaves no step");
  if (options.state.empty())
    throw Error(ErrorCode::Usage, "--steps needs --state FILE.json, which names the outputs that feed inputs");
  return open_steps(options, model.clone());
}

std::unique_ptr<DataSource> open_steps(const DataOptions& options, Model model, CpuProducts products) {
  const std::vector<InputSpec> specs = input_specs(model.graph(), options.batch_axes);
  Recurrence recurrence = find_recurrence(model.graph(), read_state_file(options.state), *options.steps, specs,
                                          inputs_with_data(options, specs));
  auto whole = open_data(options, data_specs(recurrence, specs));
  auto steps = std::make_unique<const StepModel>(std::move(model), recurrence, products);
  return std::make_unique<StepSource>(std::move(whole), std::move(steps), std::move(recurrence), specs);
}

std::vector<Tensor> read_shown_inputs(const DataSource& source, const DataOptions& options,
                                      const RunSettings& settings) {
  if (!options.steps) return read_first_inputs(source, settings);
  std::vector<size_t> last;
  for (size_t i = *options.steps - 1; i < source.size(); i += *options.steps) last.push_back(i);
  return read_first_inputs(SampleSubset(source, last), settings);
}

}  // namespace detent
