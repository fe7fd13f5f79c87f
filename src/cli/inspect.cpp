#include <memory>

#include "cli/command.h"
#include "cli/report_options.h"
#include "detent/error.h"
#include "detent/inspect.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct InspectState {
  std::filesystem::path file;
  std::string value;
  ReportOptions report;
};

template <class Report>
void print(const Report& report, const ReportOptions& options) {
  options.write_json([&] { return to_json(report); });
  options.print(to_text(report));
}

int inspect(const InspectState& state) {
  state.report.check();
  if (!is_table(state.file)) {
    if (!state.value.empty())
      throw Error(ErrorCode::Usage, "--value: " + state.file.string() + " is not a calibration table");
    print(inspect_model(state.file), state.report);
  } else if (state.value.empty()) {
    print(inspect_table(state.file), state.report);
  } else {
    print(inspect_table_value(state.file, state.value), state.report);
  }
  return 0;
}

}  // namespace

Action declare_inspect(CLI::App& app) {
  auto state = std::make_shared<InspectState>();
  app.add_option("FILE", state->file, "ONNX model or calibration table")->required();
  app.add_option("--value", state->value, "Show how this value of a table is distributed")->type_name("NAME");
  add_json_option(app, state->report);
  add_report_overwrite(app, state->report, "the file of --json");
  return [state](Environment&) { return inspect(*state); };
}

}  // namespace detent::cli
