#include "observe/collector.h"

#include <algorithm>
#include <limits>

namespace detent {
namespace {

constexpr size_t kAllFinite = std::numeric_limits<size_t>::max();

bool is_collected(DataType type) {
  return type == DataType::Float32 || type == DataType::Float16 || type == DataType::BFloat16 ||
         type == DataType::Float64;
}

}  // namespace

Collector::Collector(const Graph& graph, std::span<const ValueId> watched)
    : watched_(watched.begin(), watched.end()), slot_of_value_(graph.values().size(), -1), histograms_(watched.size()),
      first_non_finite_(watched.size(), kAllFinite) {
  for (size_t slot = 0; slot < watched_.size(); ++slot) {
    const auto value = static_cast<size_t>(watched_[slot]);
    if (value >= slot_of_value_.size()) slot_of_value_.resize(value + 1, -1);
    slot_of_value_[value] = static_cast<int>(slot);
  }
}

void Collector::observe(ValueId value, const Tensor& tensor) {
  const auto id = static_cast<size_t>(value);
  if (id >= slot_of_value_.size() || slot_of_value_[id] < 0 || !is_collected(tensor.type())) return;
  const auto slot = static_cast<size_t>(slot_of_value_[id]);
  Histogram& histogram = histograms_[slot];
  const uint64_t before = histogram.nans() + histogram.infinities();
  const Tensor floats = tensor.type() == DataType::Float32 ? tensor : cast(tensor, DataType::Float32);
  accumulator_.add(histogram, floats.data<float>());
  if (histogram.nans() + histogram.infinities() != before)
    first_non_finite_[slot] = std::min(first_non_finite_[slot], sample_);
}

void Collector::merge(const Collector& other) {
  if (watched_ != other.watched_)
    throw Error(ErrorCode::Internal, "collectors that watch different values cannot be merged");
  for (size_t slot = 0; slot < histograms_.size(); ++slot) {
    histograms_[slot].merge(other.histograms_[slot]);
    first_non_finite_[slot] = std::min(first_non_finite_[slot], other.first_non_finite_[slot]);
  }
}

const Histogram& Collector::histogram(ValueId value) const {
  const auto id = static_cast<size_t>(value);
  if (id >= slot_of_value_.size() || slot_of_value_[id] < 0)
    throw Error(ErrorCode::Internal, "value " + std::to_string(value) + " is not watched");
  return histograms_[static_cast<size_t>(slot_of_value_[id])];
}

std::vector<Collector::NonFinite> Collector::non_finite() const {
  std::vector<NonFinite> found;
  for (size_t slot = 0; slot < watched_.size(); ++slot)
    if (first_non_finite_[slot] != kAllFinite) found.push_back({watched_[slot], first_non_finite_[slot]});
  return found;
}

}  // namespace detent
