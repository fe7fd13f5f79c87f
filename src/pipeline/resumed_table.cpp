#include "pipeline/resumed_table.h"

#include "calibrate/sample_tracker.h"
#include "detent/error.h"
#include "observe/table_sum.h"
#include "run/run_over.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

/// Every x86 machine since 2013 has it, and so the same bits.
constexpr const char* kOneSet =
    "go on where it was begun, or begin again without --resume and with --isa avx2 on every machine";

void check_instruction_sets(const CalibrationTable& found, const CalibrationTable& empty) {
  if (found.instruction_sets == empty.instruction_sets || found.instruction_sets.empty()) return;
  throw Error(ErrorCode::TableMismatch,
              "was measured with " + found.instruction_sets.front() + ", and this run uses " +
                  empty.instruction_sets.front() + ", whose results differ in the last bits",
              kOneSet);
}

}  // namespace

std::optional<CalibrationTable> read_partial(const fs::path& path, const CalibrationTable& empty) {
  if (!fs::exists(path)) return std::nullopt;
  CalibrationTable partial = read_table(path);
  try {
    std::vector<TableShard> expected = empty.shards;
    expected.front().partial = true;
    if (partial.shards != expected)
      throw Error(ErrorCode::TableMismatch, "is not what this shard left behind",
                  "give the same --shard as before, or begin again without --resume");
    check_instruction_sets(partial, empty);
    check_mergeable(empty, partial);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
  return partial;
}

CalibrationTable read_complete(const fs::path& path, const CalibrationTable& empty, const std::string& isa) {
  CalibrationTable table = read_table(path);
  try {
    if (table.shards != empty.shards)
      throw Error(ErrorCode::TableMismatch, "is there already, and is not the table of this shard",
                  "give the same --shard as before, --overwrite to replace it, or another name");
    if (isa != "native") check_instruction_sets(table, empty);
    check_mergeable(empty, table, {.mixed_instruction_sets = true});
  } catch (const Error& error) {
    throw error.in(path.string());
  }
  return table;
}

void check_samples(const DataSource& source, const CalibrationTable& table, const RunSettings& settings) {
  SampleTracker tracker(table.samples, SampleTracker::Others::Refused);
  const SamplePass pass{.source = source,
                        .settings = settings,
                        .task = "comparing samples",
                        .last_batch = SamplePass::LastBatch::Drop,
                        .refuse_empty = {}};
  const auto compare = [&](size_t, std::vector<Sample>&& batch, size_t) {
    return tracker.measured_before(SampleTracker::identify(batch));
  };
  static_cast<void>(run_over<bool>(pass, compare, [](bool) {}));
  tracker.check_all_came_up();
}

}  // namespace detent
