#include "run/held_outputs.h"

#include <algorithm>

#include "core/memory_limit.h"

namespace detent {

HeldOutputs::Part* HeldOutputs::find_part(const Digest& digest) {
  const auto found = std::ranges::find(parts_, digest, &Part::digest);
  if (found == parts_.end()) return nullptr;
  parts_.splice(parts_.begin(), parts_, found);
  return &parts_.front();
}

std::optional<std::vector<Tensor>> HeldOutputs::find(const Digest& part, std::span<const size_t> samples) {
  const std::scoped_lock lock(mutex_);
  const Part* found = find_part(part);
  if (!found) return std::nullopt;
  const auto values = found->samples.find({samples.begin(), samples.end()});
  return values == found->samples.end() ? std::nullopt : std::optional(values->second);
}

void HeldOutputs::keep(const Digest& part, std::span<const size_t> samples, const std::vector<Tensor>& values) {
  size_t more = 0;
  for (const Tensor& value : values) more += value.byte_count();
  const std::scoped_lock lock(mutex_);
  Part* kept = find_part(part);
  if (!kept) kept = &parts_.emplace_front(Part{part});
  while (bytes_ + more > most_ && parts_.size() > 1) {
    bytes_ -= parts_.back().bytes;
    parts_.pop_back();
  }
  std::vector<size_t> key(samples.begin(), samples.end());
  if (bytes_ + more > most_ || !memory_has_room(more)) return;
  if (!kept->samples.try_emplace(std::move(key), values).second) return;
  kept->bytes += more, bytes_ += more;
}

}  // namespace detent
