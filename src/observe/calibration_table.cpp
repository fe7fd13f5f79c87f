#include "observe/calibration_table.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/files/atomic_file.h"
#include "core/memory_limit.h"
#include "core/shown_text.h"
#include "detent/error.h"
#include "observe/calibration_table.pb.h"
#include "observe/stored_equalization.h"
#include "observe/stored_reaches.h"
#include "observe/stored_tokens.h"

namespace detent {

namespace {

static_assert(std::endian::native == std::endian::little, "the checksum is stored as it lies in memory");

constexpr std::string_view kMagic = "detent calibration table";
constexpr uint32_t kFormatVersion = 1;
constexpr uint32_t kEqualizedVersion = 2;  // programs that know version 1 alone would apply scales to the wrong network
constexpr uint32_t kExtremesVersion = 4;   // those before would merge tables and lose the extremes
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

/// The magic as protobuf writes it: tag of field 1, length, text.
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
    (bin < 0 ? state.negative : state.positive)[static_cast<size_t>(bin < 0 ? -1 - bin : bin)] = value.counts(i);
  }
  return Histogram::from_state(std::move(state));
}

/// Errors  InvalidData for extremes that the samples of this histogram cannot have had.
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
  std::error_code ignored;
  std::ifstream stream;
  if (std::filesystem::is_regular_file(path, ignored)) stream.open(path, std::ios::binary);
  if (!stream.is_open())
    throw Error(ErrorCode::InvalidData, path.string() + ": there is no calibration table that can be read");
  const uintmax_t size = std::filesystem::file_size(path, ignored);
  if (!ignored) check_memory(size, [&] { return path.string() + ": the table"; });
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  try {
    return table_from_bytes(bytes);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

void write_table(const CalibrationTable& table, const std::filesystem::path& path) {
  write_file(path, table_to_bytes(table));
}

}  // namespace detent
