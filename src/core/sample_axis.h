#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/index.h"
#include "detent/base/tensor.h"

namespace detent {

/// The elements of a tensor in row-major order as outer x samples x inner.
struct SampleCut {
  size_t outer = 1, samples = 1, inner = 0;

  /// Returns the elements of one sample in order: a part of `all`, or gathered in `room`. Empty -> empty.
  template <class T>
  [[nodiscard]] std::span<const T> part(std::span<const T> all, size_t sample, std::vector<T>& room) const {
    if (all.empty() || samples == 1) return all;
    if (outer == 1) return all.subspan(sample * inner, inner);
    room.resize(outer * inner);
    for (size_t o = 0; o < outer; ++o)
      std::ranges::copy(all.subspan((o * samples + sample) * inner, inner), &room[o * inner]);
    return room;
  }
};

/// The axis of a value that counts the samples of a batch, alone or merged with another extent.
struct SampleAxis {
  enum class Kind : uint8_t {
    Counts,       ///< `axis` has the extent outer * samples * inner
    Independent,  ///< the content of the samples does not reach the value
    Unknown,      ///< the value mixes samples, or their place was not found
  };
  Kind kind = Kind::Counts;
  size_t axis = 0;
  /// Consecutive indices of `axis` that belong to one sample: 1 in [steps * samples, features]. 0: samples come first,
  /// whatever the extent, as in [samples * steps, features].
  int64_t inner = 0;

  /// Returns how to cut a tensor of this shape into samples; nullopt when they cannot be separated or there are no
  /// elements. A single sample has all elements.
  [[nodiscard]] std::optional<SampleCut> cut(const Shape& shape, size_t samples) const {
    const int64_t count = shape.element_count(), number = as_extent(samples);
    if (count <= 0) return std::nullopt;
    if (samples == 1) return SampleCut{1, 1, as_index(count)};
    if (kind != Kind::Counts || axis >= shape.rank() || shape[axis] % number != 0) return std::nullopt;
    const int64_t each = inner > 0 ? inner : shape[axis] / number;
    if (shape[axis] % (number * each) != 0) return std::nullopt;
    const int64_t block = each * shape.element_count(axis + 1, shape.rank());
    return SampleCut{as_index(count / (number * block)), samples, as_index(block)};
  }
  friend bool operator==(const SampleAxis&, const SampleAxis&) = default;
};

}  // namespace detent
