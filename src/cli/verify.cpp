#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "detent/verify.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct VerifyState {
  VerifyOptions options;
  ReportOptions report;
};

int verify(VerifyState& state, Environment& environment) {
  state.report.check();
  state.options.run.reporter = &environment.reporter;
  const VerifyReport report = verify_models(state.options);
  state.report.write_json([&] { return to_json(report); });
  for (const auto& line : report.lines) state.report.print(to_text(line));
  state.report.print(summary_text(report));
  return report.failed == 0 ? 0 : static_cast<int>(ErrorCode::CheckFailed);
}

}  // namespace

Action declare_verify(CLI::App& app) {
  auto state = std::make_shared<VerifyState>();
  app.add_option("DIR", state->options.folders, "Folders with model.onnx or *.onnx and test_data_set_*")->required();
  app.add_option("--rtol", state->options.rtol, "Relative tolerance")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--atol", state->options.atol, "Absolute tolerance as a part of the largest expected magnitude")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--threads", state->options.run.threads, "Worker threads (default: all cores)")
      ->check(CLI::Range(1, 4096));
  add_products_option(app, state->options.run);
  add_json_option(app, state->report);
  add_report_overwrite(app, state->report, "the file of --json");
  return [state](Environment& environment) { return verify(*state, environment); };
}

}  // namespace detent::cli
