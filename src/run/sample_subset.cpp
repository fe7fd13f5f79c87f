#include "run/sample_subset.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/index.h"

namespace detent {

std::vector<size_t> consecutive_samples(const DataSource& source, size_t first, size_t count) {
  std::vector<size_t> indices(std::min(count, source.size() - std::min(first, source.size())));
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

std::vector<size_t> spread_samples(const DataSource& source, size_t most) {
  std::vector<size_t> indices(std::min(most, source.size()));
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = i * source.size() / indices.size();
  return indices;
}

uint64_t hash_of_name(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  // FNV's upper bits hardly change with the last characters, in which names of a data set differ.
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

std::vector<size_t> samples_without(const DataSource& source, const std::set<std::string>& names) {
  std::vector<size_t> others;
  for (size_t i = 0; i < source.size(); ++i)
    if (names.empty() || !names.contains(source.sample_name(i))) others.push_back(i);
  return others;
}

std::vector<size_t> samples_by_hash(const DataSource& source, size_t count, const std::set<std::string>& always) {
  struct Entry {
    uint64_t hash;
    std::string name;  // decides between equal hashes
    size_t index;
  };
  std::vector<Entry> entries(source.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    entries[i].name = source.sample_name(i);
    entries[i].hash = hash_of_name(entries[i].name);
    entries[i].index = i;
  }
  const auto order = [](const Entry& a, const Entry& b) {
    return std::tie(a.hash, a.name, a.index) < std::tie(b.hash, b.name, b.index);
  };
  std::vector<Entry> rest;
  const size_t kept = std::min(count, entries.size());
  std::partial_sort(entries.begin(), entries.begin() + as_extent(kept), entries.end(), order);
  std::vector<size_t> indices(kept);
  for (size_t i = 0; i < kept; ++i) indices[i] = entries[i].index;
  for (size_t i = kept; i < entries.size() && !always.empty(); ++i)
    if (always.contains(entries[i].name)) rest.push_back(entries[i]);
  std::ranges::sort(rest, order);
  for (const Entry& entry : rest) indices.push_back(entry.index);
  return indices;
}

}  // namespace detent
