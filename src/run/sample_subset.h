#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/base/made_sources.h"

namespace detent {

/// Returns first, first + 1 ... as far as `source` has them, at most `count`.
[[nodiscard]] std::vector<size_t> consecutive_samples(const DataSource& source, size_t first, size_t count);

/// Returns up to `most` samples, evenly over the source.
[[nodiscard]] std::vector<size_t> spread_samples(const DataSource& source, size_t most);

/// Returns the samples whose names are none of these.
[[nodiscard]] std::vector<size_t> samples_without(const DataSource& source, const std::set<std::string>& names);

/// Returns 64 bits of a sample's name, the same on every machine.
/// Source  FNV-1a, then the finalizer of SplitMix64.
[[nodiscard]] uint64_t hash_of_name(std::string_view name);

/// Returns the `count` samples whose names (path relative to the source, index within a file) have the smallest hash,
/// in ascending order of it: the same samples in the same order however the source is shuffled. Fewer than `count` in
/// the source -> all of them. always  names of samples that follow where they are not among these.
[[nodiscard]] std::vector<size_t> samples_by_hash(const DataSource& source, size_t count,
                                                  const std::set<std::string>& always = {});

}  // namespace detent
