#include "run/open_samples.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/index.h"
#include "datasets/state/state_file.h"
#include "detent/base/error.h"
#include "run/batch_axes.h"
#include "run/finite_inputs.h"
#include "run/model_inputs.h"
#include "run/padding.h"
#include "run/sample_subset.h"
#include "run/step_source.h"

namespace detent {

namespace {

/// The treatment of samples with NaN or infinity in a float input (finite_inputs.h).
enum class NonFinite : uint8_t { Refused, Taken };

/// Returns the specs with whole inputs as samples, where a batch was found that neither the user nor the model names.
/// An open axis behind another, as of states, is no doubt.
std::optional<std::vector<InputSpec>> as_whole_samples(const std::vector<InputSpec>& specs, const Graph& graph) {
  const auto axis_of = [](const InputSpec& spec) { return spec.batch_axis.value_or(kNoBatchAxis); };
  const bool open =
      std::ranges::any_of(specs, [&](const InputSpec& spec) { return axis_of(spec) == 0 && spec.shape.front() < 0; });
  const bool inner = std::ranges::any_of(specs, [&](const InputSpec& spec) { return axis_of(spec) > 0; });
  if (group_size(specs) == 1 && (!open || inner || names_its_batch(graph))) return std::nullopt;
  std::vector<InputSpec> whole = specs;
  for (InputSpec& spec : whole) {
    if (spec.batch_axis_named) return std::nullopt;
    spec.batch_axis = kNoBatchAxis;
  }
  return whole;
}

/// Returns the reading that the data fit up to a later axis, which is opened to find it; of equals the first.
const std::vector<InputSpec>& closest_reading(const DataOptions& options, const std::vector<InputSpec>& first,
                                              const std::vector<InputSpec>& second) {
  size_t rank = 0;
  for (const InputSpec& spec : first) rank = std::max(rank, spec.shape.size());
  for (size_t behind = 1; behind <= rank; ++behind)
    for (const std::vector<InputSpec>* reading : {&first, &second}) {
      std::vector<InputSpec> opened = *reading;
      for (InputSpec& spec : opened)
        for (size_t axis = spec.shape.size() - std::min(behind, spec.shape.size()); axis < spec.shape.size(); ++axis)
          if (static_cast<int>(axis) != spec.batch_axis) spec.shape[axis] = -1;
      try {
        static_cast<void>(open_data(options, opened));
        return *reading;
      } catch (const Error& error) {
        if (error.code() == ErrorCode::Interrupted) throw;
      }
    }
  return first;
}

std::unique_ptr<DataSource> open_whole(const DataOptions& options, const Graph& graph, NonFinite non_finite) {
  const std::vector<InputSpec> batched = input_specs(graph, options.batch_axes);
  const auto whole = as_whole_samples(batched, graph);
  const auto mask = find_padding_mask(batched, options.padding_masks);
  const auto open = [&](const std::vector<InputSpec>& specs) {
    std::unique_ptr<DataSource> source = open_data(options, specs);
    if (non_finite == NonFinite::Refused) source = with_finite_inputs(std::move(source), specs, graph);
    return mask ? with_content(std::move(source), *mask) : std::move(source);
  };
  if (!whole) return open(batched);
  const bool matrices = group_size(batched) > 1 &&
                        std::ranges::all_of(batched, [](const InputSpec& spec) { return spec.shape.size() <= 2; });
  const auto &likelier = matrices ? *whole : batched, &other = matrices ? batched : *whole;
  for (const std::vector<InputSpec>* reading : {&likelier, &other}) try {
      return open(*reading);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Interrupted) throw;
      if (error.code() != ErrorCode::InvalidData && reading == &likelier) throw;
    }
  return open(closest_reading(options, likelier, other));  // with the error of that reading
}

/// True for each input that the data names, and for all where there is an array for each.
std::vector<bool> inputs_with_data(const DataOptions& options, std::span<const InputSpec> specs) {
  std::vector<bool> named(specs.size(), options.arrays.size() == specs.size());
  for (size_t i = 0; i < specs.size(); ++i)
    for (const std::string& source : options.sources)
      if (source.starts_with(specs[i].name + "=")) named[i] = true;
  return named;
}

std::unique_ptr<DataSource> open_in_steps(const DataOptions& options, Model model, CpuProducts products,
                                          NonFinite non_finite, const DataSource* teacher = nullptr) {
  const std::vector<InputSpec> specs = input_specs(model.graph(), options.batch_axes);
  Recurrence recurrence = find_recurrence(model.graph(), read_state_file(options.state), *options.steps, specs,
                                          inputs_with_data(options, specs));
  const std::vector<InputSpec> read = data_specs(recurrence, specs);
  std::unique_ptr<DataSource> whole = open_data(options, read);
  if (non_finite == NonFinite::Refused) whole = with_finite_inputs(std::move(whole), read, model.graph());
  auto steps = std::make_unique<const StepModel>(std::move(model), recurrence, products);
  return std::make_unique<StepSource>(std::move(whole), std::move(steps), std::move(recurrence), specs, teacher);
}

std::unique_ptr<DataSource> open_whole_or_steps(const DataOptions& options, const Model& model, NonFinite non_finite) {
  if (!options.steps) {
    if (options.state.empty()) return open_whole(options, model.graph(), non_finite);
    throw Error(ErrorCode::Usage, "--state needs --steps N, the number of steps in a sample");
  }
  if (*options.steps == 0) throw Error(ErrorCode::Usage, "--steps 0 leaves no step");
  if (options.state.empty())
    throw Error(ErrorCode::Usage, "--steps needs --state FILE.json, which names the outputs that feed inputs");
  return open_in_steps(options, model.clone(), CpuProducts::Exact, non_finite);
}

}  // namespace

std::unique_ptr<DataSource> open_samples(const DataOptions& options, const Model& model) {
  return open_whole_or_steps(options, model, NonFinite::Refused);
}

std::unique_ptr<DataSource> open_samples_as_they_are(const DataOptions& options, const Model& model) {
  return open_whole_or_steps(options, model, NonFinite::Taken);
}

std::unique_ptr<DataSource> open_steps(const DataOptions& options, Model model, CpuProducts products,
                                       const DataSource* teacher) {
  return open_in_steps(options, std::move(model), products, NonFinite::Refused, teacher);
}

std::vector<Tensor> read_shown_inputs(const DataSource& source, const DataOptions& options,
                                      const RunSettings& settings) {
  if (!options.steps) return read_first_inputs(source, settings);
  std::vector<size_t> last;
  for (size_t i = *options.steps - 1; i < source.size(); i += *options.steps) last.push_back(i);
  return read_first_inputs(SampleSubset(source, last), settings);
}

}  // namespace detent
