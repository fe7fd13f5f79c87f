#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/report_options.h"
#include "cli/weight_only.h"
#include "core/files/atomic_file.h"
#include "core/text.h"
#include "detent/compare.h"
#include "detent/sensitivity.h"
#include "report/compared_types.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

struct CompareState {
  CompareOptions options;
  ReportOptions report;
  std::optional<double> fail_below;
  std::string block = "32";  ///< a number or "channel"
  std::vector<Collect> collect;
};

constexpr size_t kPrintedLayers = 10;  // a page holds all

/// Errors  CheckFailed when the winner's score is below the bound.
void check_bound(const ComparisonReport& report, double bound) {
  for (const auto& variant : report.variants) {
    if (variant.calibrator != report.winner) continue;
    const double score = variant.metrics.at(report.criterion);
    const bool falls = metric_named(report.criterion).falls();
    if (falls ? score <= bound : score >= bound) return;
    throw Error(ErrorCode::CheckFailed, fmt::format("{}: the best {}, {}, reaches {} of {:.6g}, {} --fail-below {:.6g}",
                                                    report.model, report.types ? "type" : "calibrator", report.winner,
                                                    report.criterion, score, falls ? "worse than" : "below", bound));
  }
}

/// Errors  CheckFailed when no type keeps the limit that the user gave.
void check_limit(const ComparisonReport& report) {
  if (report.types && report.types->limit_given && report.types->smallest.empty())
    throw Error(ErrorCode::CheckFailed, report.model + ": " + limit_text(report),
                "'detent quantize' with the same bound keeps layers float until it holds");
}

/// What stands only beside --types, or not beside it.
void check_types_given(const CLI::App& app, CompareState& state) {
  TypeChoice& types = state.options.types;
  const std::vector<std::string>& calibrators = state.options.calibrators;
  if (types.names.empty()) {
    const char* stray = state.block != CompareState{}.block ? "--block" : types.max_drop ? "--max-drop" : "--min-sqnr";
    if (state.block != CompareState{}.block || types.max_drop || types.min_sqnr_db)
      throw Error(ErrorCode::Usage, std::string(stray) + " is for --types", "add --types int8,fp8,int4");
    return;
  }
  if (state.options.placement.type != CodeType::Int8)
    throw Error(ErrorCode::Usage, "--types names the types, so --type has nothing to say", "leave --type away");
  if (std::ranges::find(types.names, "int4") == types.names.end() && state.block != CompareState{}.block)
    throw Error(ErrorCode::Usage, "--block is for int4, which --types does not name", "leave --block away");
  types.block = state.block == "channel" ? 0 : std::stoll(state.block);
  if (app.get_option("--calibrators")->count() == 0 || calibrators == CompareOptions{}.calibrators) return;
  if (calibrators.size() != 1)
    throw Error(ErrorCode::Usage, "beside --types --calibrators names one: each type is quantized once",
                "auto measures them");
  types.calibrator = calibrators.front();
}

int compare(const CLI::App& app, CompareState& state, Environment& environment) {
  for (const Collect& collect : state.collect) collect();
  check_types_given(app, state);
  state.report.check();
  state.report.command = environment.command;
  state.options.run.reporter = &environment.reporter;
  state.options.judged = [&](const ComparisonReport& report) {  // interrupted from here on, this stays
    state.report.write_json([&] { return to_json(report); });
    state.report.write_html([&] { return to_html(report, std::nullopt, state.report.origin(state.options.model)); });
    state.report.print(to_text(report, state.report.lists()));
    std::fflush(stdout);
  };
  const ComparisonReport report =
      state.options.types.names.empty() ? compare_calibrators(state.options) : compare_types(state.options);
  if (report.layers) {
    state.report.print("\n" + to_text(*report.layers, kPrintedLayers, state.report.lists()));
    if (!state.report.html.empty())
      write_file(state.report.html, to_html(report, report.layers, state.report.origin(state.options.model)));
  }
  if (state.fail_below) check_bound(report, *state.fail_below);
  check_limit(report);
  return 0;
}

/// --types, --block, --max-drop and --min-sqnr.
void add_type_options(CLI::App& app, CompareState& state) {
  TypeChoice& types = state.options.types;
  app.add_option("--types", types.names,
                 "Put types side by side instead of calibrators, comma separated: int8, fp8 (each with the one "
                 "calibrator of --calibrators, else auto), int4 (weights alone, in blocks, codes by what layers read)")
      ->type_name("LIST")
      ->delimiter(',')
      ->group("Format");
  add_block_option(app, state.block);
  app.add_option("--max-drop", types.max_drop,
                 "With --types: which is the smallest whose score drops by X at most, as a fraction (0.01 is one "
                 "point, and the default); with --next-token whose cross entropy rises by X nats a token at most. "
                 "Exits 1 where none does")
      ->type_name("X")
      ->check(number_from(0, 1e9))
      ->group("Evaluation");
  app.add_option("--min-sqnr", types.min_sqnr_db, "The same for types whose outputs have this SQNR in dB")
      ->type_name("DB")
      ->check(number_from(-1000, 1000))
      ->group("Evaluation");
}

}  // namespace

Action declare_compare(CLI::App& app) {
  auto state = std::make_shared<CompareState>();
  CompareOptions& options = state->options;
  app.add_option("MODEL", options.model, "Float ONNX model")->required();
  state->collect.push_back(add_data_options(app, options.data, Need::Required));
  state->collect.push_back(add_evaluation_options(app, options.evaluation, options.data, Need::Required));
  const std::string calibrators = join(calibrator_list(), ", ", &CalibratorEntry::name);
  app.add_option("--calibrators", options.calibrators,
                 "Candidates, comma separated: " + calibrators +
                     "; auto is what 'quantize --calibrator auto' would take, "
                     "judged like the others")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(known_calibrator("--calibrators"))
      ->capture_default_str()
      ->group("Calibration");
  add_outlier_option(app, options.outliers);
  app.add_option("--override", options.override_file, "Calibrator or range of single values, JSON")
      ->type_name("FILE.json")
      ->group("Calibration");
  state->collect.push_back(add_placement_options(app, options.target, options.placement));
  state->collect.push_back(add_format_options(app, options.format));
  add_type_options(app, *state);
  state->collect.push_back(add_equalize_options(app, options.equalize, BiasCorrection::Offered));
  state->collect.push_back(add_run_options(app, options.run));
  add_products_option(app, options.run);
  add_all_option(app, state->report, "output, equalized value and layer");
  add_json_option(app, state->report);
  add_html_option(app, state->report, "the candidates' scores, and every value with its ranges, with charts");
  add_report_overwrite(app, state->report, "the file of --json and of --html");
  app.add_option("--layers", options.layer_samples,
                 "Also measure every layer by itself with the winner, on the first N evaluation samples, as 'detent "
                 "sensitivity' does; the page shows them")
      ->type_name("N")
      ->check(count_from(1))
      ->group("Report");
  app.add_option("--fail-below", state->fail_below,
                 "Exit 1 when the winner's score is below X: top-1 and mean IoU as fractions (0.78), SQNR in dB; with "
                 "--next-token when its cross entropy is above X nats")
      ->type_name("X")
      ->check(number_from(-1e9, 1e9))
      ->group("Report");
  return [state, &app](Environment& environment) { return compare(app, *state, environment); };
}

}  // namespace detent::cli
