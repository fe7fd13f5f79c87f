#include "observe/calibration_table.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/files/atomic_file.h"
#include "core/files/file_bytes.h"
#include "core/index.h"
#include "core/shown_text.h"
#include "detent/base/error.h"
#include "observe/calibration_table.pb.h"
#include "observe/float_reach.h"
#include "observe/stored_equalization.h"
#include "observe/token_reach.h"

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

/// Stores the extremes of tokens as calibration_table.proto holds them.
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

/// Reads the extremes of tokens. Errors  InvalidData where they are not sorted or impossible.
TableTokens restore_tokens(const stored::Table& stored) {
  TableTokens tokens;
  for (const auto& item : stored.tokens()) {
    if (!tokens.empty() && tokens.rbegin()->first >= item.name())
      throw damaged_table("its values with tokens are not in order");
    tokens.emplace_hint(tokens.end(), item.name(), restore(item));
  }
  return tokens;
}

constexpr int kExponents = ValueReach::kHighest - ValueReach::kLowest + 1;

void store(const ValueReach& reach, stored::Reach& out) {
  out.set_float32(true);
  out.set_zeros(reach.zeros);
  out.set_non_finite(reach.non_finite);
  out.set_amax(static_cast<float>(reach.amax));
  out.set_largest(static_cast<float>(reach.largest));
  out.set_mean_abs(reach.mean_abs);
  out.set_elements(reach.elements);
  const auto filled = [](uint64_t count) { return count != 0; };
  const auto first = std::ranges::find_if(reach.counts, filled);
  const auto last = std::find_if(reach.counts.rbegin(), std::make_reverse_iterator(first), filled).base();
  if (first == last) return;
  out.set_first_exponent(static_cast<int>(first - reach.counts.begin()) + ValueReach::kLowest);
  out.mutable_counts()->Add(first, last);
}

/// Returns the exponent of a value's largest element, with which its counts must end.
int last_exponent(const stored::Reach& stored) { return stored.first_exponent() + stored.counts_size() - 1; }

ValueReach restore(const stored::Reach& stored) {
  const int first = stored.first_exponent() - ValueReach::kLowest;
  if (stored.counts_size() > 0 && (first < 0 || stored.counts_size() > kExponents - first))
    throw damaged_table("it has numbers that no float can be");
  ValueReach reach;
  std::ranges::copy(stored.counts(), reach.counts.begin() + std::max(0, first));
  reach.zeros = stored.zeros();
  reach.non_finite = stored.non_finite();
  reach.amax = static_cast<double>(stored.amax());
  reach.largest = static_cast<double>(stored.largest());
  reach.mean_abs = stored.mean_abs();
  reach.elements = stored.elements();
  int exponent = 0;
  static_cast<void>(std::frexp(reach.amax, &exponent));
  const bool fits = stored.counts_size() == 0 ? reach.amax == 0 : exponent == last_exponent(stored);
  if (!fits || !(reach.amax >= 0) || !std::isfinite(reach.amax) ||
      !(reach.largest >= 0 && reach.largest <= reach.amax) || !(reach.mean_abs >= 0 && reach.mean_abs <= reach.amax))
    throw damaged_table("it has a reach that no numbers have");
  return reach;
}

/// Stores the extremes of values as calibration_table.proto holds them.
void store_reaches(const TableReaches& reaches, stored::Table& out) {
  for (const auto& [name, reach] : reaches) {
    auto& stored = *out.add_reaches();
    stored.set_name(name);
    if (reach) store(*reach, stored);
  }
}

/// Reads the extremes of values. Errors  InvalidData where they are not sorted or impossible.
TableReaches restore_reaches(const stored::Table& stored) {
  TableReaches reaches;
  for (const auto& item : stored.reaches()) {
    if (!reaches.empty() && reaches.rbegin()->first >= item.name())
      throw damaged_table("its float values are not in order");
    reaches.emplace_hint(reaches.end(), item.name(),
                         item.float32() ? std::optional(restore(item)) : std::optional<ValueReach>());
  }
  return reaches;
}

static_assert(std::endian::native == std::endian::little, "the checksum is stored as it lies in memory");

constexpr std::string_view kMagic = "detent calibration table";
constexpr uint32_t kFormatVersion = 1;
constexpr uint32_t kEqualizedVersion = 2;  // programs that only know version 1 would apply scales to the wrong network
constexpr uint32_t kExtremesVersion = 4;   // older ones would merge tables and lose the extremes
constexpr uint32_t kReachesVersion = 5;    // the same, the reaches
constexpr uint32_t kTokensVersion = 6;     // the same, the tokens
constexpr char kChecksumTag = 0x79;        // field 15, 64 bits
constexpr size_t kChecksumBytes = 9;
constexpr int kStoredBins = Histogram::kBins;

uint32_t format_version(const CalibrationTable& table) {
  if (!table.tokens.empty()) return kTokensVersion;
  if (!table.reaches.empty()) return kReachesVersion;
  if (std::ranges::any_of(table.values, [](const auto& entry) { return !entry.second.extremes.empty(); }))
    return kExtremesVersion;
  return table.equalize.empty() ? kFormatVersion : kEqualizedVersion;
}

/// Returns the magic as protobuf writes it: tag of field 1, length, text.
std::string magic_bytes() { return std::string{0x0a, static_cast<char>(kMagic.size())} + std::string(kMagic); }

std::string checksum_of(std::string_view bytes) {
  ContentHash hash;
  hash.add(std::as_bytes(std::span(bytes)));
  const uint64_t checksum = hash.digest().first;
  std::string field(kChecksumBytes, kChecksumTag);
  std::memcpy(&field[1], &checksum, sizeof checksum);
  return field;
}

void store_counts(const Histogram& histogram, stored::Value& out) {
  std::vector<uint64_t> counts(histogram.negative().rbegin(), histogram.negative().rend());
  counts.insert(counts.end(), histogram.positive().begin(), histogram.positive().end());
  const auto filled = [](uint64_t count) { return count != 0; };
  const auto first = std::ranges::find_if(counts, filled);
  const auto last = std::find_if(counts.rbegin(), std::make_reverse_iterator(first), filled).base();
  if (first == last) return;
  out.set_first_bin(static_cast<int32_t>(first - counts.begin()) - kStoredBins);
  out.mutable_counts()->Add(first, last);
}

void store(const std::string& name, const TableValue& value, stored::Value& out) {
  out.set_name(name);
  if (value.scale > 0) return out.set_scale(value.scale);
  const Histogram& histogram = value.histogram;
  out.set_count(histogram.count());
  out.set_zeros(histogram.zeros());
  out.set_nans(histogram.nans());
  out.set_infinities(histogram.infinities());
  out.set_min(histogram.min());
  out.set_max(histogram.max());
  out.set_log2_width(histogram.log2_width());
  store_counts(histogram, out);
  for (const Extremes& sample : value.extremes) {
    out.add_minima(sample.min);
    out.add_maxima(sample.max);
  }
}

Histogram restore_histogram(const stored::Value& value) {
  Histogram::State state{.count = value.count(),
                         .zeros = value.zeros(),
                         .nans = value.nans(),
                         .infinities = value.infinities(),
                         .min = value.min(),
                         .max = value.max(),
                         .log2_width = value.log2_width(),
                         .positive = std::vector<uint64_t>(kStoredBins),
                         .negative = std::vector<uint64_t>(kStoredBins)};
  const int first = value.first_bin();
  if (first < -kStoredBins || value.counts_size() > kStoredBins - first)
    throw damaged_table("it has bins outside of every histogram");
  for (int i = 0; i < value.counts_size(); ++i) {
    const int bin = first + i;
    (bin < 0 ? state.negative : state.positive)[as_index(bin < 0 ? -1 - bin : bin)] = value.counts(i);
  }
  return Histogram::from_state(std::move(state));
}

/// Checks extremes. Errors  InvalidData where they do not fit the histogram.
std::vector<Extremes> restore_extremes(const stored::Value& value, const Histogram& histogram, int samples) {
  if (value.minima().empty() && value.maxima().empty()) return {};
  if (value.minima_size() != samples || value.maxima_size() != samples)
    throw damaged_table("it has extremes of other samples than its own");
  std::vector<Extremes> extremes;
  Extremes all;
  for (int i = 0; i < samples; ++i) {
    const Extremes sample{value.minima(i), value.maxima(i)};
    if (sample.empty() ? sample != Extremes{} : !std::isfinite(sample.min) || !std::isfinite(sample.max))
      throw damaged_table("it has extremes that are no interval");
    all.include(sample);
    extremes.push_back(sample);
  }
  const Extremes whole = histogram.empty() ? Extremes{} : Extremes{histogram.min(), histogram.max()};
  if (all != whole) throw damaged_table("its samples' extremes are not those of their histogram");
  return extremes;
}

TableValue restore(const stored::Value& value, int samples) {
  if (value.scale() == 0) {
    Histogram histogram = restore_histogram(value);
    std::vector<Extremes> extremes = restore_extremes(value, histogram, samples);
    return {std::move(histogram), std::move(extremes), 0};
  }
  if (!std::isfinite(value.scale()) || value.scale() < 0)
    throw damaged_table("it has a scale that is no positive number");
  return {{}, {}, value.scale()};
}

template <class List>
void check_sorted(const List& list, const char* what) {
  if (!std::ranges::is_sorted(list)) throw damaged_table(std::string("its ") + what + " are not in order");
}

CalibrationTable restore(const stored::Table& stored) {
  CalibrationTable table;
  table.model = stored.model();
  table.tools.assign(stored.tools().begin(), stored.tools().end());
  table.instruction_sets.assign(stored.instruction_sets().begin(), stored.instruction_sets().end());
  table.targets.assign(stored.targets().begin(), stored.targets().end());
  for (const auto& shard : stored.shards()) {
    if (shard.index() < 1 || shard.index() > shard.count()) throw damaged_table("it has a shard that cannot be");
    table.shards.push_back({shard.count(), shard.index(), shard.partial()});
  }
  for (const auto& sample : stored.samples())
    table.samples.push_back({sample.name(), {sample.content_first(), sample.content_second()}});
  for (const auto& value : stored.values()) {
    if (value.name().find('\n') != std::string::npos)  // no model has it, and it would forge lines of reports
      throw Error(ErrorCode::InvalidData,
                  "value '" + shown_text(value.name(), Lines::Escape) + "': the name holds a line feed");
    if (!table.values.empty() && table.values.rbegin()->first >= value.name())
      throw damaged_table("its values are not in order");
    try {
      table.values.emplace_hint(table.values.end(), value.name(), restore(value, stored.samples_size()));
    } catch (const Error& error) {
      throw error.in("value '" + value.name() + "'");
    }
  }
  for (const auto& group : stored.groups()) {
    auto& names = table.groups.emplace_back(group.names().begin(), group.names().end());
    for (const std::string& name : names)
      if (!table.values.contains(name)) throw damaged_table("it has a group of values that are not there");
  }
  table.equalize = stored.equalize();
  if (stored.absorb_bias())
    throw Error(ErrorCode::TableMismatch, "the table was measured with --absorb-bias, which this version does not have",
                "calibrate again");
  table.equalization = restore_equalization(stored);
  table.reaches = restore_reaches(stored);
  table.tokens = restore_tokens(stored);
  check_sorted(table.tools, "tools");
  check_sorted(table.instruction_sets, "instruction sets");
  check_sorted(table.targets, "targets");
  check_sorted(table.shards, "shards");
  check_sorted(table.samples, "samples");
  return table;
}

}  // namespace

bool CalibrationTable::partial() const { return std::ranges::any_of(shards, &TableShard::partial); }

bool CalibrationTable::has_extremes() const {
  return std::ranges::all_of(values, [&](const auto& entry) { return entry.second.extremes.size() == samples.size(); });
}

bool CalibrationTable::imported() const {
  return std::ranges::any_of(values, [](const auto& entry) { return entry.second.scale > 0; });
}

std::string table_to_bytes(const CalibrationTable& table) {
  stored::Table stored;
  stored.set_magic(std::string(kMagic));
  stored.set_format_version(format_version(table));
  stored.set_model(table.model);
  stored.mutable_tools()->Add(table.tools.begin(), table.tools.end());
  stored.mutable_instruction_sets()->Add(table.instruction_sets.begin(), table.instruction_sets.end());
  stored.mutable_targets()->Add(table.targets.begin(), table.targets.end());
  for (const TableShard& shard : table.shards) {
    auto& out = *stored.add_shards();
    out.set_index(shard.index);
    out.set_count(shard.count);
    out.set_partial(shard.partial);
  }
  for (const TableSample& sample : table.samples) {
    auto& out = *stored.add_samples();
    out.set_name(sample.name);
    out.set_content_first(sample.content.first);
    out.set_content_second(sample.content.second);
  }
  for (const auto& [name, value] : table.values) store(name, value, *stored.add_values());
  for (const auto& group : table.groups) stored.add_groups()->mutable_names()->Add(group.begin(), group.end());
  stored.set_equalize(table.equalize);
  store_equalization(table.equalization, stored);
  store_reaches(table.reaches, stored);
  store_tokens(table.tokens, stored);
  const std::string bytes = stored.SerializeAsString();
  if (bytes.empty()) throw Error(ErrorCode::CannotWrite, "the calibration table takes more than the 2 GiB of protobuf");
  return bytes + checksum_of(bytes);
}

CalibrationTable table_from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(magic_bytes()))
    throw Error(ErrorCode::InvalidData, "is not a calibration table",
                "tables come from 'detent calibrate', 'merge' and 'cache import'");
  if (bytes.size() < magic_bytes().size() + kChecksumBytes ||
      checksum_of(bytes.substr(0, bytes.size() - kChecksumBytes)) != bytes.substr(bytes.size() - kChecksumBytes))
    throw damaged_table("it was truncated or changed (the checksum does not match)");
  const google::protobuf::LogSilencer silence;
  stored::Table stored;
  if (!stored.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw damaged_table("protobuf cannot parse it");
  if (stored.format_version() < kFormatVersion || stored.format_version() > kTokensVersion)
    throw Error(ErrorCode::InvalidData,
                "is a calibration table of format " + std::to_string(stored.format_version()) +
                    "; this program reads formats " + std::to_string(kFormatVersion) + " to " +
                    std::to_string(kTokensVersion),
                "use the version of Detent that wrote it");
  return restore(stored);
}

bool is_table_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // opening a pipe would wait for its writer
  const std::string magic = magic_bytes();
  std::string start(magic.size(), '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return stream && start == magic;
}

CalibrationTable read_table(const std::filesystem::path& path) {
  const std::string bytes = FileBytes::open(path)->content();
  try {
    return table_from_bytes(bytes);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

void write_table(const CalibrationTable& table, const std::filesystem::path& path, bool overwrite) {
  write_file(path, table_to_bytes(table), overwrite);
}

}  // namespace detent
