#include "pipeline/parts/closing_steps.h"

#include <algorithm>

#include "run/open_samples.h"
#include "run/sample_subset.h"

namespace detent {

ClosingSteps::ClosingSteps(SampleRequest data, const DataSource& steps, std::vector<size_t> samples)
    : data_(std::move(data)), steps_(steps), samples_(std::move(samples)), count_(*data_.steps) {
  for (const size_t step : {size_t{1}, count_ / 2, count_})
    if (step > 0 && (measured_.empty() || step > measured_.back())) measured_.push_back(step);
}

std::vector<size_t> ClosingSteps::at(size_t step) const {
  std::vector<size_t> positions;
  for (const size_t sample : samples_) positions.push_back(sample * count_ + step - 1);
  return positions;
}

void ClosingSteps::keep_reference(const Model& float32, const RunSettings& run) {
  references_.clear();
  for (const size_t step : measured_)
    references_.push_back(keep_outputs(float32, SampleSubset(steps_, at(step)), samples_.size(), run));
}

ClosingError ClosingSteps::error_of(const Model& model, const RunSettings& run) const {
  const auto own = open_samples(data_, model, {.products = run.products, .teacher = &steps_});
  ClosingError last;
  std::vector<ErrorReport::AtStep> all;
  for (size_t i = 0; i < measured_.size(); ++i) {
    last = measure_closing_error(references_[i], model, SampleSubset(*own, at(measured_[i])), run);
    all.push_back({measured_[i], last.report.sqnr_db, last.report.cosine, last.report.argmax_agreement});
  }
  last.report.steps = std::move(all);
  return last;
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
