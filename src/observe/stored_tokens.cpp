#include "observe/stored_tokens.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "observe/calibration_table.pb.h"
#include "observe/stored_equalization.h"

namespace detent {

namespace {

bool is_reach(float x) { return std::isfinite(x) && x >= 0 && !std::signbit(x); }

TokenReach restore(const stored::Tokens& stored) {
  TokenReach reach{.sequences = stored.sequences(),
                   .first = stored.first(),
                   .others = stored.others(),
                   .counts = {},
                   .channels = {stored.channels().begin(), stored.channels().end()}};
  const auto first = stored.first_bucket();
  const auto size = static_cast<uint32_t>(stored.counts_size());
  bool fits = size <= TokenReach::kBuckets && first <= TokenReach::kBuckets - size;
  for (uint32_t i = 0; fits && i < size; ++i)
    if (const uint64_t count = stored.counts(static_cast<int>(i)); count > 0) reach.counts[first + i] = count;
  fits = fits && is_reach(reach.first) && is_reach(reach.others) && std::ranges::all_of(reach.channels, is_reach);
  // The largest of all tokens is the largest of all channels, and stands in the last bucket.
  const float of_channels = reach.channels.empty() ? 0 : std::ranges::max(reach.channels);
  fits = fits && of_channels == std::max(reach.first, reach.others);
  const uint32_t last = std::bit_cast<uint32_t>(reach.others) >> TokenReach::kBucketShift;
  fits = fits && (reach.counts.empty() ? reach.others == 0 : reach.counts.rbegin()->first == last);
  if (!fits) throw damaged_table("it has tokens that no numbers have");
  return reach;
}

}  // namespace

void store_tokens(const TableTokens& tokens, stored::Table& out) {
  for (const auto& [name, reach] : tokens) {
    auto& stored = *out.add_tokens();
    stored.set_name(name);
    stored.set_sequences(reach.sequences);
    stored.set_first(reach.first);
    stored.set_others(reach.others);
    stored.mutable_channels()->Add(reach.channels.begin(), reach.channels.end());
    if (reach.counts.empty()) continue;
    const uint32_t first = reach.counts.begin()->first;
    stored.set_first_bucket(first);
    stored.mutable_counts()->Resize(static_cast<int>(reach.counts.rbegin()->first - first + 1), 0);
    for (const auto& [bucket, count] : reach.counts) stored.set_counts(static_cast<int>(bucket - first), count);
  }
}

TableTokens restore_tokens(const stored::Table& stored) {
  TableTokens tokens;
  for (const auto& item : stored.tokens()) {
    if (!tokens.empty() && tokens.rbegin()->first >= item.name())
      throw damaged_table("its values with tokens are not in order");
    tokens.emplace_hint(tokens.end(), item.name(), restore(item));
  }
  return tokens;
}

}  // namespace detent
