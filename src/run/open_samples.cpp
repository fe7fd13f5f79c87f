#include "run/open_samples.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "detent/base/error.h"
#include "run/batch_axes.h"
#include "run/finite_inputs.h"
#include "run/model_inputs.h"
#include "run/padding.h"
#include "run/recurrence.h"
#include "run/sample_subset.h"
#include "run/step_source.h"

namespace detent {

namespace {

/// A request that is resolved for one model: what the wrappers may ask.
struct Opening {
  const SampleRequest& request;
  const Model& model;
  const OpenSettings& settings;
  std::vector<InputSpec> inputs;              ///< that the data feeds
  std::optional<size_t> mask = {};            ///< the one of them that is 0 at padding
  std::optional<Recurrence> recurrence = {};  ///< of samples that are cut into steps
  std::vector<InputSpec> all_inputs = {};     ///< with `recurrence`: also those that states feed
};

using Source = std::unique_ptr<DataSource>;

Source with_steps(Source source, const Opening& opening) {
  auto model = std::make_unique<const StepModel>(opening.model.clone(), *opening.recurrence, opening.settings.products);
  return std::make_unique<StepSource>(std::move(source), std::move(model), *opening.recurrence, opening.all_inputs,
                                      opening.settings.teacher);
}

/// A part of opening samples, which changes what the source before it gives.
struct SampleWrapper {
  std::string_view name;
  bool (*applies)(const Opening& opening);
  Source (*wrap)(Source source, const Opening& opening);
};

/// From the files outwards; datasets/README.md says why in this order.
constexpr SampleWrapper kSampleWrappers[] = {
    {"selection", [](const Opening& o) { return o.request.selects(); },
     [](Source source, const Opening& o) { return select_samples(std::move(source), o.request); }},
    {"finite numbers", [](const Opening& o) { return o.settings.refuse_non_finite; },
     [](Source source, const Opening& o) {
       return with_finite_inputs(std::move(source), o.inputs, o.model.graph(), o.request.missing_nan);
     }},
    {"padding", [](const Opening& o) { return o.mask.has_value(); },
     [](Source source, const Opening& o) { return with_content(std::move(source), *o.mask); }},
    {"steps", [](const Opening& o) { return o.recurrence.has_value(); }, with_steps},
};

Source open_wrapped(const Opening& opening) {
  Source source = open_sources(opening.request, opening.inputs);
  for (const SampleWrapper& wrapper : kSampleWrappers)
    if (wrapper.applies(opening)) source = wrapper.wrap(std::move(source), opening);
  return source;
}

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

/// Opens the last axes of an input, except the one that counts samples.
void open_last_axes(InputSpec& spec, size_t count) {
  for (size_t axis = spec.shape.size() - std::min(count, spec.shape.size()); axis < spec.shape.size(); ++axis)
    if (static_cast<int>(axis) != spec.batch_axis) spec.shape[axis] = -1;
}

/// Opens samples by the first of two readings that fits. If none fits, opens more and more last axes until one does:
/// that reading holds up to a later axis, and its error is thrown.
Source open_likelier(const Opening& first, const Opening& second) {
  size_t rank = 0;
  for (const InputSpec& spec : first.inputs) rank = std::max(rank, spec.shape.size());
  const Opening* closest = nullptr;
  for (size_t behind = 0; behind <= rank && !closest; ++behind)
    for (const Opening* reading : {&first, &second}) try {
        Opening opening = *reading;
        for (InputSpec& spec : opening.inputs) open_last_axes(spec, behind);
        Source source = open_wrapped(opening);
        if (behind == 0) return source;
        closest = reading;
        break;
      } catch (const Error& error) {
        if (error.code() == ErrorCode::Interrupted) throw;
        if (error.code() != ErrorCode::InvalidData && behind == 0 && reading == &first) throw;
      }
  return open_wrapped(closest ? *closest : first);
}

/// True for each input that the data names, and for all where there is an array for each.
std::vector<bool> inputs_with_data(const SampleRequest& request, std::span<const InputSpec> specs) {
  std::vector<bool> named(specs.size(), request.arrays.size() == specs.size());
  for (const std::string& source : request.sources)
    if (const auto input = input_of_source(source, specs)) named[*input] = true;
  return named;
}

}  // namespace

StepPlan step_plan(const SampleRequest& request, const Model& model) {
  const std::vector<InputSpec> inputs = input_specs(model.graph(), request.batch_axes);
  return {find_recurrence(model.graph(), *request.state, *request.steps, inputs, inputs_with_data(request, inputs)),
          inputs};
}

std::unique_ptr<DataSource> open_whole_samples(const SampleRequest& request, const Model& model) {
  const OpenSettings settings;
  const StepPlan plan = step_plan(request, model);
  return open_wrapped({request, model, settings, data_specs(plan.recurrence, plan.specs)});
}

std::unique_ptr<DataSource> open_samples(const SampleRequest& request, const Model& model,
                                         const OpenSettings& settings) {
  Opening opening{request, model, settings, input_specs(model.graph(), request.batch_axes)};
  if (request.steps) {
    StepPlan plan = step_plan(request, model);
    opening.all_inputs = std::move(plan.specs);
    opening.recurrence = std::move(plan.recurrence);
    opening.inputs = data_specs(*opening.recurrence, opening.all_inputs);
    return open_wrapped(opening);
  }
  opening.mask = find_padding_mask(opening.inputs, request.masks);
  auto inputs = as_whole_samples(opening.inputs, model.graph());
  if (!inputs) return open_wrapped(opening);
  Opening whole = opening;
  whole.inputs = *std::move(inputs);
  const bool matrices =
      group_size(opening.inputs) > 1 &&
      std::ranges::all_of(opening.inputs, [](const InputSpec& spec) { return spec.shape.size() <= 2; });
  return matrices ? open_likelier(whole, opening) : open_likelier(opening, whole);
}

std::vector<Tensor> read_shown_inputs(const DataSource& source, std::optional<size_t> steps,
                                      const RunSettings& settings) {
  if (!steps) return read_first_inputs(source, settings);
  std::vector<size_t> last;
  for (size_t i = *steps - 1; i < source.size(); i += *steps) last.push_back(i);
  return read_first_inputs(SampleSubset(source, last), settings);
}

}  // namespace detent
