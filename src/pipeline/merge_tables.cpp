#include <filesystem>
#include <string>
#include <vector>

#include "core/files/atomic_file.h"
#include "core/files/reach.h"
#include "core/stop.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "detent/merge.h"
#include "observe/calibration_table.h"
#include "observe/table_sum.h"
#include "options/command_inputs.h"
#include "pipeline/parts/inspect_table.h"

namespace detent {

namespace {

/// Errors  CannotWrite when the file holds something else than `table`.
void check_same(const std::filesystem::path& path, const CalibrationTable& table) {
  if (is_table_file(path) && table_to_bytes(read_table(path)) == table_to_bytes(table)) return;
  throw Error(ErrorCode::CannotWrite, path.string() + ": exists already, and is not the sum of these tables",
              "choose another name or add --overwrite");
}

}  // namespace

TableReport merge_tables(const MergeTablesOptions& options) {
  const InputFiles protected_inputs = protect_inputs(options);
  const bool there = options.resume && !options.overwrite && is_there(options.output);
  if (!there) check_writable(options.output, options.overwrite);
  if (options.tables.empty()) throw Error(ErrorCode::Usage, "no table was given to merge");
  CalibrationTable total = read_table(options.tables.front());
  for (size_t i = 1; i < options.tables.size(); ++i) {
    stop_if_interrupted();
    const CalibrationTable part = read_table(options.tables[i]);
    try {
      merge_into(total, part, {.mixed_instruction_sets = options.mixed_isa});
    } catch (const Error& error) {
      throw error.in(options.tables[i].string() + " does not fit " +
                     (i == 1 ? options.tables[0].string() : "the tables before it"));
    }
  }
  const std::vector<std::string> missing = missing_shards(total.shards);
  if (!missing.empty() && !options.partial)
    throw Error(ErrorCode::CheckFailed,
                options.output.string() + ": " + (missing.size() == 1 ? "a shard is" : "shards are") +
                    " missing: " + join(missing),
                "--partial merges what is there");
  if (there) {
    check_same(options.output, total);
  } else {
    write_table(total, options.output, options.overwrite);
  }
  TableReport report = describe_table(total, options.output);
  report.missing_shards = missing;
  report.kept = there;
  return report;
}

}  // namespace detent
