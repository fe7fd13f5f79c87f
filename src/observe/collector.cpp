#include "observe/collector.h"

#include <algorithm>
#include <limits>

#include "core/float_type.h"
#include "detent/base/error.h"

namespace detent {
namespace {

constexpr size_t kAllFinite = std::numeric_limits<size_t>::max();

bool is_collected(DataType type) { return type == DataType::Float32 || is_half(type) || type == DataType::Float64; }

}  // namespace

Collector::Collector(const Graph& graph, std::span<const ValueId> watched)
    : watched_(watched.begin(), watched.end()), slot_of_value_(graph.values().size(), -1), histograms_(watched.size()),
      first_non_finite_(watched.size(), kAllFinite) {
  for (size_t slot = 0; slot < watched_.size(); ++slot) {
    const ValueId value = watched_[slot];
    if (!slot_of_value_.contains(value)) slot_of_value_.resize(index_of(value) + 1, -1);
    slot_of_value_[value] = static_cast<int>(slot);
  }
}

void Collector::begin_batch(std::span<const size_t> samples) {
  samples_.assign(samples.begin(), samples.end());
  batch_.clear();
  for (const size_t sample : samples) {
    std::vector<Extremes>& row = extremes_[sample];
    row.resize(watched_.size());
    batch_.push_back(&row);
  }
}

void Collector::observe(ValueId value, const Tensor& tensor, std::span<const uint8_t> counted,
                        const SampleAxis& where) {
  if (!slot_of_value_.contains(value) || slot_of_value_[value] < 0 || !is_collected(tensor.type())) return;
  const Tensor floats = tensor.type() == DataType::Float32 ? tensor : cast(tensor, DataType::Float32);
  add(static_cast<size_t>(slot_of_value_[value]), floats, counted, where);
}

Extremes Collector::count(size_t slot, std::span<const float> elements, size_t all, size_t sample) {
  Histogram& histogram = histograms_[slot];
  const uint64_t before = histogram.nans() + histogram.infinities();
  const Extremes found = accumulator_.add_part(histogram, elements, all);
  if (histogram.nans() + histogram.infinities() != before)
    first_non_finite_[slot] = std::min(first_non_finite_[slot], sample);
  return found;
}

std::span<const float> Collector::chosen(std::span<const float> elements, std::span<const uint8_t> counted) {
  if (counted.empty()) return elements;
  chosen_.clear();
  for (size_t i = 0; i < elements.size(); ++i)
    if (counted[i] != 0) chosen_.push_back(elements[i]);
  return chosen_;
}

void Collector::add(size_t slot, const Tensor& floats, std::span<const uint8_t> counted, const SampleAxis& where) {
  const auto cut = batch_.size() > 1 ? where.cut(floats.shape(), batch_.size()) : std::nullopt;
  if (!cut) {
    const std::span<const float> elements = chosen(floats.data<float>(), counted);
    const Extremes found = count(slot, elements, elements.size(), samples_.front());
    accumulator_.flush(histograms_[slot]);
    for (std::vector<Extremes>* row : batch_) (*row)[slot].include(found);
    return;
  }
  const Tensor ordered = where.axis == 0 ? floats : to_plain(floats);  // axis 0 is the outermost in every layout
  const std::span<const float> elements = ordered.data<float>();
  for (size_t i = 0; i < batch_.size(); ++i) {
    const auto own = cut->part(counted, i, counted_of_sample_);
    (*batch_[i])[slot].include(
        count(slot, chosen(cut->part(elements, i, of_sample_), own), elements.size(), samples_[i]));
  }
  accumulator_.flush(histograms_[slot]);
}

void Collector::merge(const Collector& other) {
  if (watched_ != other.watched_)
    throw Error(ErrorCode::Internal, "collectors that watch different values cannot be merged");
  for (size_t slot = 0; slot < histograms_.size(); ++slot) {
    histograms_[slot].merge(other.histograms_[slot]);
    first_non_finite_[slot] = std::min(first_non_finite_[slot], other.first_non_finite_[slot]);
  }
  for (const auto& [sample, row] : other.extremes_) {
    std::vector<Extremes>& into = extremes_[sample];
    into.resize(watched_.size());
    for (size_t slot = 0; slot < row.size(); ++slot) into[slot].include(row[slot]);
  }
}

std::vector<size_t> Collector::samples() const {
  std::vector<size_t> samples;
  for (const auto& [sample, ignored] : extremes_) samples.push_back(sample);
  return samples;
}

std::vector<Extremes> Collector::extremes(ValueId value, std::span<const size_t> samples) const {
  const size_t slot = slot_of(value);
  std::vector<Extremes> found;
  for (const size_t sample : samples) {
    const auto row = extremes_.find(sample);
    if (row == extremes_.end()) throw Error(ErrorCode::Internal, "sample " + std::to_string(sample) + " was not begun");
    found.push_back(row->second[slot]);
  }
  return found;
}

size_t Collector::slot_of(ValueId value) const {
  if (!slot_of_value_.contains(value) || slot_of_value_[value] < 0)
    throw Error(ErrorCode::Internal, "value " + std::to_string(index_of(value)) + " is not watched");
  return static_cast<size_t>(slot_of_value_[value]);
}

const Histogram& Collector::histogram(ValueId value) const { return histograms_[slot_of(value)]; }

std::vector<Collector::NonFinite> Collector::non_finite() const {
  std::vector<NonFinite> found;
  for (size_t slot = 0; slot < watched_.size(); ++slot)
    if (first_non_finite_[slot] != kAllFinite) found.push_back({watched_[slot], first_non_finite_[slot]});
  return found;
}

}  // namespace detent
