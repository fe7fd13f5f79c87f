#include <memory>

#include "cli/command.h"
#include "cli/report_options.h"
#include "detent/merge.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct MergeState {
  MergeTablesOptions options;
  ReportOptions report;
};

int merge(MergeState& state) {
  state.options.overwrite = state.report.overwrite;
  state.report.check();
  const TableReport report = merge_tables(state.options);
  state.report.write_json([&] { return to_json(report); });
  state.report.print(summary_text(report));
  return 0;
}

}  // namespace

Action declare_merge(CLI::App& app) {
  auto state = std::make_shared<MergeState>();
  MergeTablesOptions& options = state->options;
  app.add_option("TABLE", options.tables, "Calibration tables of one model, TABLE.partial of interrupted ones too")
      ->required();
  app.add_option("-o,--output", options.output, "Where their sum goes")->required()->type_name("TABLE.dct");
  app.add_flag("--mixed-isa", options.mixed_isa,
               "Accept tables from CPUs with different instruction sets, whose results differ in the last bits");
  app.add_flag("--partial", options.partial, "Accept that shards are missing or were interrupted; else exit 1");
  app.add_flag("--resume", options.resume, "Keep an output that holds this very sum already");
  add_json_option(app, state->report, "Options");
  app.add_flag("--overwrite", state->report.overwrite, "Replace the output, and the file of --json, if it exists");
  return [state](Environment&) { return merge(*state); };
}

}  // namespace detent::cli
