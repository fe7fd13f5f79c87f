#include "pipeline/parts/closing_steps.h"

#include "run/own_steps.h"

namespace detent {

ClosingSteps::ClosingSteps(SampleRequest data, const DataSource& steps, const std::vector<size_t>& samples)
    : data_(std::move(data)), steps_(steps) {
  for (const size_t sample : samples)
    for (size_t step = 0; step < count(); ++step) positions_.push_back(sample * count() + step);
}

ReferenceOutputs ClosingSteps::keep_reference(const Model& float32, const DataSource& source,
                                              const RunSettings& run) const {
  return keep_outputs(float32, source, source.size(), without_states(run, data_, float32), count());
}

ClosingError ClosingSteps::error_of(const ReferenceOutputs& reference, const Model& model,
                                    const RunSettings& run) const {
  const auto own = own_steps(model, data_, steps_, run);
  return measure_closing_error(reference, model, SampleSubset(*own, positions_), run);
}

namespace {

std::optional<ClosingSteps> steps_of(const SampleRequest& request, const DataSource& source,
                                     std::optional<size_t> most) {
  if (!request.steps) return std::nullopt;
  const size_t samples = source.size() / *request.steps;
  return ClosingSteps(request, source, stepped_samples_by_hash(source, *request.steps, most.value_or(samples)));
}

std::vector<size_t> positions_of(const std::optional<ClosingSteps>& steps, const DataSource& source,
                                 std::optional<size_t> most) {
  if (steps) return steps->positions();
  return most ? samples_by_hash(source, *most) : consecutive_samples(source, 0, source.size());
}

}  // namespace

FloatOutputs::FloatOutputs(const Model& float32, const SampleRequest& request, const DataSource& source,
                           const RunSettings& run, std::optional<size_t> most)
    : steps_(steps_of(request, source, most)), samples_(source, positions_of(steps_, source, most)), run_(run),
      reference_(steps_ ? steps_->keep_reference(float32, samples_, run)
                        : keep_outputs(float32, samples_, samples_.size(), run)) {}

ClosingError FloatOutputs::error_of(const Model& model) const {
  return steps_ ? steps_->error_of(reference_, model, run_) : measure_closing_error(reference_, model, samples_, run_);
}

std::vector<size_t> stepped_samples_by_hash(const DataSource& source, size_t steps, size_t count, size_t first,
                                            const std::set<std::string>& unwanted) {
  const auto is_wanted = [&](size_t sample) {
    for (size_t step = 0; step < steps && !unwanted.empty(); ++step)
      if (unwanted.contains(source.sample_name(sample * steps + step))) return false;
    return true;
  };
  std::vector<size_t> firsts;  // each sample's first step
  for (size_t sample = first; sample * steps < source.size(); ++sample)
    if (is_wanted(sample)) firsts.push_back(sample * steps);
  std::vector<size_t> samples;
  for (const size_t i : samples_by_hash(SampleSubset(source, firsts), count)) samples.push_back(firsts[i] / steps);
  return samples;
}

}  // namespace detent
