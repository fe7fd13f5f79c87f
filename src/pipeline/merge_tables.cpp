#include "core/atomic_file.h"
#include "detent/error.h"
#include "detent/merge.h"
#include "detent/progress.h"
#include "observe/calibration_table.h"
#include "observe/table_sum.h"
#include "pipeline/inspect_table.h"

namespace detent {

TableReport merge_tables(const MergeTablesOptions& options) {
  check_writable(options.output, options.overwrite);
  if (options.tables.empty()) throw Error(ErrorCode::Usage, "no table was given to merge");
  CalibrationTable total = read_table(options.tables.front());
  for (size_t i = 1; i < options.tables.size(); ++i) {
    if (interrupted()) throw Error(ErrorCode::Interrupted, "interrupted");
    const CalibrationTable part = read_table(options.tables[i]);
    try {
      merge_into(total, part, {.mixed_instruction_sets = options.mixed_isa});
    } catch (const Error& error) {
      throw error.in(options.tables[i].string() + " does not fit " +
                     (i == 1 ? options.tables[0].string() : "the tables before it"));
    }
  }
  write_table(total, options.output);
  return describe_table(total, options.output);
}

}  // namespace detent
