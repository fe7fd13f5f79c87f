#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "detent/lint.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct LintState {
  LintOptions options;
  ReportOptions report;
  bool strict = false;
  std::vector<Collect> collect;
};

int lint(LintState& state, Environment& environment) {
  for (const Collect& collect : state.collect) collect();
  state.options.run.reporter = &environment.reporter;
  state.report.check();
  state.report.command = environment.command;
  const LintReport report = lint_model(state.options);
  state.report.write_json([&] { return to_json(report); });
  state.report.write_html([&] { return to_html(report, state.report.origin(state.options.model)); });
  state.report.print(to_text(report, state.report.lists()));
  const bool refused =
      std::ranges::any_of(report.findings, [](const auto& finding) { return finding.level == "error"; });
  return state.strict && refused ? 1 : 0;
}

}  // namespace

Action declare_lint(CLI::App& app) {
  auto state = std::make_shared<LintState>();
  app.add_option("MODEL", state->options.model, "Q/DQ model of any origin")->required();
  app.add_option("--target", state->options.target, "tensorrt, tensorrt:8.6, onnxruntime ...")->capture_default_str();
  state->collect.push_back(add_shape_option(app, state->options.shapes));
  state->collect.push_back(add_data_options(app, state->options.data, Need::Optional));
  state->collect.push_back(add_run_options(app, state->options.run));
  add_all_option(app, state->report, "finding and float layer");
  add_json_option(app, state->report);
  add_html_option(app, state->report, "the findings with their cures, what runs in INT8, and every layer");
  add_report_overwrite(app, state->report, "the file of --json and of --html");
  app.add_flag("--strict", state->strict, "Exit 1 when there is a finding of level error");
  app.footer(to_text(known_findings()) + "\nsrc/place/RULES.md explains each of them\n\n" + app.get_footer());
  return [state](Environment& environment) { return lint(*state, environment); };
}

}  // namespace detent::cli
