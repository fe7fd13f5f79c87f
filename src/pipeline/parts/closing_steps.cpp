#include "pipeline/parts/closing_steps.h"

#include "run/open_samples.h"
#include "run/own_steps.h"
#include "run/sample_subset.h"

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
  const auto own = open_samples(data_, model, {.products = run.products, .teacher = &steps_});
  return measure_closing_error(reference, model, SampleSubset(*own, positions_), run);
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
