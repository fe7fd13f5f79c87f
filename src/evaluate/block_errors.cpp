#include "evaluate/block_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/float_type.h"
#include "core/index.h"
#include "evaluate/error_sums.h"

namespace detent {

namespace {

std::vector<size_t> channel_axes(size_t rank) {
  if (rank < 2) return std::vector<size_t>(rank, 0);
  return rank == 3 ? std::vector<size_t>{1, 2} : std::vector<size_t>{1};
}

std::vector<size_t> range(size_t first, size_t count) {
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::string name_of_block(const std::string& output, size_t axis, const std::vector<size_t>& block, size_t channels) {
  const auto [first, last] = std::ranges::minmax(block);
  if (last - first + 1 == block.size()) return fmt::format("'{}', {} to {} of axis {}", output, first, last, axis);
  return fmt::format("'{}', {} of {} on axis {}, from {} on", output, block.size(), channels, axis, first);
}

/// Returns the highest score, of either model, at each place beside the block's axis.
std::vector<float> highest_scores(const OutputBlock& block, const Tensor& expected, const Tensor& found) {
  const Shape& shape = expected.shape();
  const size_t axis = as_index(block.axis), extent = as_index(shape[axis]);
  const auto inner = as_index(shape.element_count(axis + 1, shape.rank()));
  std::vector<float> highest(as_index(shape.element_count()) / extent);
  for (const auto scores : {expected.data<float>(), found.data<float>()})
    for (size_t at = 0; at < highest.size(); ++at)
      for (size_t c = as_index(block.first); c < as_index(block.first + block.count); ++c)
        highest[at] = std::max(highest[at], scores[(at / inner * extent + c) * inner + at % inner]);
  return highest;
}

/// True when at each place the numbers along the axis are not negative and add up to 1.
bool are_probabilities(std::span<const float> numbers, size_t extent, size_t inner) {
  constexpr double kRounding = 1e-3;
  for (size_t at = 0; at < numbers.size(); at += extent * inner)
    for (size_t i = at; i < at + inner; ++i) {
      double sum = 0;
      for (size_t c = 0; c < extent; ++c) {
        if (!(numbers[i + c * inner] >= 0)) return false;
        sum += numbers[i + c * inner];
      }
      if (std::abs(sum - 1) > kRounding) return false;
    }
  return true;
}

}  // namespace

double BlockErrors::Channel::signal() const {
  return count > 1 && weight > 0 ? std::max(0.0, squares - sum * sum / weight) * count / (count - 1) : 0;
}

void BlockErrors::Channel::add(double expected, double found, double counted) {
  sum += counted * expected;
  squares += counted * expected * expected;
  noise += counted * (expected - found) * (expected - found);
  weight += counted;
  largest = std::max(largest, std::abs(expected));
  ++count;
}

void BlockErrors::add(const std::string& output, const Tensor& expected, const Tensor& found,
                      std::span<const uint8_t> counted) {
  if (!is_floating_point(expected.type()) || expected.shape() != found.shape()) return;
  const Tensor x = cast(expected, DataType::Float32), y = cast(found, DataType::Float32);
  if (!holds_scores(output)) {
    for (const size_t axis : channel_axes(expected.shape().rank())) add(axes_[{output, axis}], x, y, axis, {}, counted);
    return;
  }
  for (const OutputBlock& block : joined_)
    if (block.scores && block.output == output)
      add(axes_[{output, as_index(block.axis)}], x, y, as_index(block.axis), highest_scores(block, x, y), counted);
}

void BlockErrors::forget(const std::string& output) {
  std::erase_if(axes_, [&](const auto& axis) { return axis.first.first == output; });
}

bool BlockErrors::holds_scores(const std::string& output) const {
  return std::ranges::any_of(joined_, [&](const OutputBlock& one) { return one.scores && one.output == output; });
}

void BlockErrors::add(Axis& into, const Tensor& expected, const Tensor& found, size_t axis,
                      std::span<const float> weights, std::span<const uint8_t> counted) {
  const Shape& shape = expected.shape();
  const auto extent = static_cast<size_t>(shape[axis]);
  const auto inner = static_cast<size_t>(shape.element_count(axis + 1, shape.rank()));
  Channels& channels = into.channels;
  channels.resize(std::max(channels.size(), extent));
  const auto x = expected.data<float>(), y = found.data<float>();
  into.probabilities = into.probabilities && are_probabilities(x, extent, inner);
  for (size_t at = 0, c = 0; at < x.size(); at += inner, c = (c + 1) % extent)
    for (size_t i = at; i < at + inner; ++i) {
      if ((!counted.empty() && counted[i] == 0) || x[i] == -HUGE_VALF) continue;
      channels[c].add(x[i], y[i], weights.empty() ? 1 : weights[at / (inner * extent) * inner + (i - at)]);
    }
}

std::vector<BlockErrors::Block> BlockErrors::joined_blocks(const std::string& output, size_t axis,
                                                           const Channels& channels) const {
  std::vector<Block> blocks;
  for (const auto& [name, joined_axis, first, count, scores] : joined_)
    if (name == output && count > 0 && as_index(joined_axis) == axis && as_index(first + count) <= channels.size())
      blocks.push_back(range(as_index(first), as_index(count)));
  return blocks;
}

std::vector<BlockErrors::Block> BlockErrors::blocks_by_size(const Channels& channels) {
  constexpr size_t kMostChannels = 256;
  constexpr double kOtherSize = 10;
  std::vector<Block> blocks;
  if (channels.size() > kMostChannels) return blocks;
  // By deviation a saturated channel, which is nearly constant, would stand alone.
  const auto power = [&](size_t c) { return channels[c].squares / channels[c].weight; };
  Block varying = range(0, channels.size());
  std::erase_if(varying, [&](size_t c) { return !(channels[c].signal() > 0); });
  std::ranges::stable_sort(varying, {}, power);
  for (size_t first = 0, c = 1; c <= varying.size(); ++c) {
    const bool ends = c == varying.size() || power(varying[c]) > kOtherSize * kOtherSize * power(varying[c - 1]);
    if (!ends) continue;
    if (c - first < varying.size())
      blocks.emplace_back(varying.begin() + std::ptrdiff_t(first), varying.begin() + std::ptrdiff_t(c));
    first = c;
  }
  return blocks;
}

bool BlockErrors::is_nearly_constant(const std::string& output, const Channels& channels, const Block& block) const {
  constexpr double kCodes = 127, kSaturated = 4;
  double signal = 0, weight = 0, largest = 0;
  for (const size_t c : block) {
    signal += channels[c].signal(), weight += channels[c].weight;
    largest = std::max(largest, channels[c].largest);
  }
  const bool bounded = std::ranges::count(bounded_, output) > 0;
  const double code = largest / kCodes * (bounded ? kSaturated : 1);
  return signal < code * code * weight;
}

std::optional<BlockErrors::Worst> BlockErrors::error_of(const std::string& output, const Channels& channels,
                                                        const Block& block) const {
  double signal = 0, noise = 0, power = 0;
  for (const Channel& channel : channels) power += channel.signal();
  for (const size_t c : block) signal += channels[c].signal(), noise += channels[c].noise;
  if (!(signal > 0) || is_nearly_constant(output, channels, block)) return std::nullopt;
  return Worst{.name = {}, .sqnr_db = sqnr_db(signal, noise), .share = signal / power};
}

void BlockErrors::keep_worst(std::optional<Worst>& worst, const Worst& one) {
  if (!worst || std::isnan(one.sqnr_db) || one.sqnr_db < worst->sqnr_db) worst = one;
}

std::optional<BlockErrors::Worst> BlockErrors::worst_output(std::span<const std::string> without) const {
  std::optional<Worst> worst;
  for (const auto& [key, axis] : axes_) {
    if (std::ranges::count(without, key.first) > 0 || holds_scores(key.first)) continue;
    std::optional<Worst> error = error_of(key.first, axis.channels, range(0, axis.channels.size()));
    if (!error) continue;
    error->name = "'" + key.first + "'";
    keep_worst(worst, *error);
  }
  return worst;
}

std::vector<std::string> BlockErrors::nearly_constant(std::span<const std::string> without) const {
  std::vector<std::string> names;
  for (const auto& [key, axis] : axes_) {
    const auto& [output, at] = key;
    if (std::ranges::count(without, output) > 0 || holds_scores(output) || std::ranges::count(names, output) > 0)
      continue;
    double signal = 0;
    for (const Channel& channel : axis.channels) signal += channel.signal();
    if (signal > 0 && is_nearly_constant(output, axis.channels, range(0, axis.channels.size())))
      names.push_back(output);
  }
  return names;
}

std::optional<BlockErrors::Worst> BlockErrors::worst_block(bool seen) const {
  std::optional<Worst> worst;
  const auto keep = [&](const auto& key, const Channels& channels, const Block& block, bool by_size) {
    std::optional<Worst> error = error_of(key.first, channels, block);
    if (!error) return;
    const bool is_seen = !by_size || error->share >= kSeenShare || channels.size() <= kFewChannels;
    if (is_seen != seen) return;
    error->name = name_of_block(key.first, key.second, block, channels.size());
    keep_worst(worst, *error);
  };
  for (const auto& [key, axis] : axes_) {
    for (const Block& block : joined_blocks(key.first, key.second, axis.channels))
      keep(key, axis.channels, block, false);
    const bool may_be_time = key.second == 1 && axes_.contains({key.first, 2});
    if (may_be_time || axis.probabilities) continue;
    for (const Block& block : blocks_by_size(axis.channels)) keep(key, axis.channels, block, true);
  }
  return worst;
}

}  // namespace detent
