#pragma once

#include <random>
#include <string>
#include <vector>

#include "observe/calibration_table.h"

namespace detent {

/// Makes a table of samples first, first + 1 ... of a made-up data set: both signs, zeros, an outlier now and then.
inline CalibrationTable table_of_samples(size_t first, size_t count, TableShard shard = {}) {
  CalibrationTable table;
  table.model = "0123456789abcdef0123456789abcdef";
  table.tools = {"detent 0.1.0"};
  table.instruction_sets = {"avx2"};
  table.shards = {shard};
  table.groups = {{"conv", "relu"}};
  for (const char* name : {"conv", "never", "relu"}) table.values[name];
  for (size_t sample = first; sample < first + count; ++sample) {
    std::mt19937 bits(static_cast<unsigned>(sample));
    std::vector<float> numbers(500);
    for (float& x : numbers) x = static_cast<float>(static_cast<int32_t>(bits())) * 0x1p-28F;
    numbers[0] = static_cast<float>(sample % 7 == 0 ? sample : 0);
    table.values["conv"].extremes.push_back(table.values["conv"].histogram.add(numbers));
    for (float& x : numbers) x = x < 0 ? 0 : x;
    table.values["relu"].extremes.push_back(table.values["relu"].histogram.add(numbers));
    table.values["never"].extremes.emplace_back();
    table.samples.push_back({"sample " + std::to_string(1000 + sample), {sample, ~sample}});
  }
  return table;
}

/// Makes the same with reaches of the values; "codes" is of another type.
inline CalibrationTable reaching_table_of_samples(size_t first, size_t count, TableShard shard = {}) {
  CalibrationTable table = table_of_samples(first, count, shard);
  table.reaches = {{"codes", {}}, {"conv", {}}, {"never", {}}};
  for (size_t sample = first; sample < first + count; ++sample) {
    std::mt19937 bits(static_cast<unsigned>(sample));
    std::vector<float> numbers(50 + sample % 3);
    for (float& x : numbers) x = static_cast<float>(static_cast<int32_t>(bits())) * 0x1p-40F;
    for (const char* name : {"conv", "never"})
      if (!table.reaches[name]) table.reaches[name].emplace();
    table.reaches["conv"]->add(numbers);
    table.reaches["never"]->add(std::vector<float>(3));
  }
  return table;
}

/// Returns the table as versions before format 4 wrote it.
inline CalibrationTable without_extremes(CalibrationTable table) {
  for (auto& [name, value] : table.values) value.extremes.clear();
  return table;
}

}  // namespace detent
