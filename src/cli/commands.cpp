#include <fmt/chrono.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "cli/help_format.h"
#include "cli/program.h"
#include "core/files/atomic_file.h"
#include "core/files/reach.h"
#include "core/parse.h"
#include "core/process/progress_line.h"
#include "core/shown_text.h"
#include "core/text.h"
#include "detent/base/model_files.h"
#include "detent/base/version.h"
#include "options/commands.h"
#include "options/key_options.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/quantities.h"
#include "report/text/failed_check.h"
#include "report/text/text.h"

namespace detent::cli {

namespace {

constexpr size_t kPrintedLayers = 10;  // a page holds all

/// Returns "2026-11-23 04:47 UTC" from SOURCE_DATE_EPOCH; "" if it is not set or not a date.
std::string asked_date() {
  const char* seconds = std::getenv("SOURCE_DATE_EPOCH");  // NOLINT(concurrency-mt-unsafe): no thread sets it
  if (!seconds) return {};
  const auto since = parse_number<int64_t>(seconds);
  constexpr int64_t kYear9999 = 253402300799;
  if (!since || *since < 0 || *since > kYear9999) return {};
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(*since)));
}

/// Writes the document where `options` want it, and makes it only if one does. Returns it for standard output; "" where
/// it does not go there.
std::string write_json(const ReportOptions& options, const std::function<std::string()>& document) {
  if (options.json.empty()) return {};
  std::string text = document();
  for (const std::string& file : options.json)
    if (file != "-") write_file(file, text, options.overwrite);
  return options.json_on_stdout() ? std::move(text) : std::string();
}

/// Writes the page with the command line, the digests of `model` unless it is empty, and the date in SOURCE_DATE_EPOCH
/// (seconds since 1970) if it is set. Source  reproducible-builds.org/specs/source-date-epoch.
void write_html(const ReportOptions& options, const std::filesystem::path& model, const std::string& command,
                const std::function<std::string(const PageOrigin&)>& page) {
  if (options.html.empty()) return;
  const ModelFiles files = model.empty() ? ModelFiles{} : digest_model_files(model);
  const PageOrigin origin{command, version_text(), model.string(), files, {}, asked_date()};
  write_file(options.html, page(origin), options.overwrite);
}

/// Prints a text; on a terminal with lines that fit.
void print_lines(const std::string& text) {
  std::fputs((isatty(STDOUT_FILENO) != 0 ? wrapped_report(text, terminal_columns(STDOUT_FILENO)) : text).c_str(),
             stdout);
}

/// Prints the text, unless the document goes to standard output.
void print(const ReportOptions& options, const std::string& text) {
  if (!options.json_on_stdout()) print_lines(shown_text(text, Lines::Keep));
}

/// True where standard output shows colours. Source  no-color.org.
bool shows_colours() {
  const char *no_colour = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe)
  return isatty(STDOUT_FILENO) != 0 && (!no_colour || *no_colour == '\0') && terminal &&
         std::string_view(terminal) != "dumb";
}

/// Prints a report, unless the document goes to standard output. Terminals show the first part, and the rest below a
/// rule; bold and faint where they have colours.
void print(const ReportOptions& options, const document::Document& tree) {
  const Lists lists = options.all ? Lists::All : Lists::Capped;
  if (isatty(STDOUT_FILENO) == 0) return print(options, to_text(tree, lists));
  if (options.json_on_stdout()) return;
  constexpr size_t kRule = 40;
  const TerminalText text = terminal_text(tree, lists);
  if (text.first.empty()) return print_lines(shown_text(text.rest, Lines::Keep));
  const bool colours = shows_colours();
  if (colours) std::fputs("\033[1m", stdout);
  print_lines(shown_text(text.first.substr(text.first.find_first_not_of('\n')), Lines::Keep));
  if (colours) std::fputs("\033[0m", stdout);
  std::fputs((std::string(std::min(kRule, terminal_columns(STDOUT_FILENO) - 1), '-') + "\n").c_str(), stdout);
  if (colours) std::fputs("\033[2m", stdout);
  print_lines(shown_text(text.rest, Lines::Keep));
  if (colours) std::fputs("\033[0m", stdout);
}

/// Makes the document of what a command with these options reports.
template <class Report, class Options>
document::Document tree_of(const Report& report, const Options&, const ReportOptions& reporting) {
  if constexpr (std::is_same_v<Report, SensitivityReport>)
    return build::document_of(report, reporting.top);
  else if constexpr (std::is_same_v<Report, TableReport> && !std::is_same_v<Options, InspectOptions>)
    return build::document_of(report, build::TableUse::Made);
  else if constexpr (std::is_same_v<Report, ExplainReport>)
    return build::document_of(report, reporting.all ? Lists::All : Lists::Capped);
  else
    return build::document_of(report);
}

// ---- Exit codes
/// True where an interruption ended the work, or a part of it, early.
template <class Report>
bool was_interrupted(const Report& report) {
  if constexpr (requires { report.ended; })
    return report.ended.reason == "interrupted";
  else if constexpr (requires { report.targets.front().ended; })
    return std::ranges::any_of(report.targets, [](const auto& one) { return was_interrupted(one); });
  else
    return false;
}

/// Returns 1 where the text of the report shows what failed, else 0.
/// Errors  CheckFailed for a bound that is not met, a broken model, and a score below --fail-below.
template <class Report>
int exit_code(const Report& report, const ReportOptions& options) {
  if (was_interrupted(report)) throw Error(ErrorCode::Interrupted, "interrupted; what was found so far is reported");
  const auto failed = failed_check(report, {!options.strict, options.accept_broken, options.fail_below});
  if (!failed) return 0;
  constexpr bool kShown = std::is_same_v<Report, LintReport> || std::is_same_v<Report, RepairReport> ||
                          std::is_same_v<Report, VerifyReport>;
  if (!kShown) throw *failed;
  return 1;
}

// ---- Actions
template <class Options, class Report>
void tell(const Report& report, const Options& options, const ReportOptions& reporting,
          const Environment& environment) {
  const std::string json = write_json(reporting, [&] { return to_json(report); });
  if constexpr (requires(const PageOrigin& origin) { to_html(report, origin); })
    write_html(reporting, options.model, environment.command,
               [&](const auto& origin) { return to_html(report, origin); });
  environment.outputs.commit();
  std::fputs(json.c_str(), stdout);
  print(reporting, tree_of(report, options, reporting));
}

template <class Options, class Function>
int perform(Options& options, const ReportOptions& reporting, const Environment& environment, Function function) {
  const auto report = function(options);
  tell(report, options, reporting, environment);
  return exit_code(report, reporting);
}

/// Returns the reports of a target, whose page is named like its model.
ReportOptions reports_of_target(const ReportOptions& reporting, const std::string& target) {
  ReportOptions one = reporting;
  if (!reporting.html.empty()) one.html = path_of_target(reporting.html, target);
  return one;
}

/// Writes one document, a page for each target, and all texts.
void tell(const QuantizeTargetsReport& report, const QuantizeOptions& options, const ReportOptions& reporting,
          const Environment& environment) {
  const std::string json = write_json(reporting, [&] { return to_json(report); });
  for (size_t i = 0; i < report.targets.size(); ++i)
    write_html(reports_of_target(reporting, options.targets[i]), options.model, environment.command,
               [&](const auto& origin) { return to_html(report.targets[i], origin); });
  environment.outputs.commit();
  std::fputs(json.c_str(), stdout);
  print(reporting, build::document_of(report));
}

bool is_pipeline(const QuantizeOptions& options) {
  return (!options.pipeline.empty() || options.model.extension() == ".json") &&
         options.stop_after == StopAfter::Nothing;
}

/// Adds the report in the folder of a pipeline.
/// Errors  CannotWrite.
ReportOptions with_report_of_folder(const QuantizeOptions& options, const ReportOptions& reporting) {
  if (!is_pipeline(options)) return reporting;
  const std::filesystem::path file = options.output / "report.json";
  const auto names_it = [&](const std::string& json) { return json != "-" && place_of(json) == place_of(file); };
  if (std::ranges::any_of(reporting.json, names_it)) return reporting;
  if (std::error_code none; std::filesystem::is_directory(options.output, none))
    check_writable(file, reporting.overwrite);
  ReportOptions all = reporting;
  all.json.push_back(file.string());
  return all;
}

template <class Function>
int perform(QuantizeOptions& options, const ReportOptions& asked, const Environment& environment, Function function) {
  const ReportOptions reporting = with_report_of_folder(options, asked);
  for (const std::string& target : options.targets)
    if (const ReportOptions one = reports_of_target(reporting, target); !one.html.empty())
      check_writable(one.html, reporting.overwrite);
  const std::variant<QuantizeReport, QuantizeTargetsReport> result = function(options);
  const StopAfter stage = options.stop_after;
  if (stage == StopAfter::Nothing) {
    const auto finish = [&](const auto& report) {
      tell(report, options, reporting, environment);
      return exit_code(report, reporting);
    };
    return std::visit(finish, result);
  }
  const auto& report = std::get<QuantizeReport>(result);
  if (stage == StopAfter::Plan) write_file(options.output, to_json(report.plan), options.overwrite);
  environment.outputs.commit();
  print(reporting, fmt::format("stopped after {}: wrote {}\n", name_of(stage), options.output.string()));
  return 0;
}

template <class Function>
int perform(InspectOptions& options, const ReportOptions& reporting, const Environment& environment,
            Function function) {
  std::visit([&](const auto& report) { tell(report, options, reporting, environment); }, function(options));
  return 0;
}

/// Prints the judged calibrators before the layers are measured, so that they remain if that is interrupted.
template <class Function>
int perform(CompareOptions& options, const ReportOptions& reporting, const Environment& environment,
            Function function) {
  options.judged = [&](const CompareCalibratorsReport& report) {
    tell(report, options, reporting, environment);
    std::fflush(stdout);
  };
  const std::variant<CompareCalibratorsReport, CompareTargetsReport> result = function(options);
  if (const auto* targets = std::get_if<CompareTargetsReport>(&result)) {
    tell(*targets, options, reporting, environment);
    return exit_code(*targets, reporting);
  }
  const auto& report = std::get<CompareCalibratorsReport>(result);
  if (report.layers) {
    print(reporting, build::document_below_comparison(*report.layers, kPrintedLayers));
    ReportOptions again = reporting;
    again.overwrite = true;
    write_html(again, options.model, environment.command,
               [&](const PageOrigin& origin) { return to_html(report, origin); });
    environment.outputs.commit();
  }
  return exit_code(report, reporting);
}

/// Adds the hint that an axis does not count samples, where the command has data and that cures its error.
template <class Options>
Error with_batch_axis_hint(const Options& options, const Error& error) {
  const auto* const model = [&]() -> const std::filesystem::path* {
    if constexpr (requires { options.file, options.data; })
      return &options.file;
    else if constexpr (requires { options.model, options.data; })
      return &options.model;
    else
      return nullptr;
  }();
  if constexpr (requires { options.data; })
    if (model && error.hint().empty() &&
        (error.code() == ErrorCode::InvalidData || error.code() == ErrorCode::InvalidModel))
      if (const auto names = inputs_without_samples(*model, options.data); !names.empty())
        return {error.code(), error.what(),
                join(names, " ", [](const std::string& name) { return "--batch-axis " + name + "=none"; }) +
                    ": the model runs with more than one of axis 0, which does not count samples, then"};
  return error;
}

/// Puts the model's file in front of an error of the model.
Error naming_model(const CLI::App& command, const OptionList& list, const Error& error) {
  if (error.code() != ErrorCode::InvalidModel && error.code() != ErrorCode::Unsupported) return error;
  std::vector<std::string> files;
  for (const Option& option : list.options) {
    const bool pipeline = option.long_name() == "--pipeline";
    if (option.traits.file != FileUse::ReadsModel && !pipeline) continue;
    const auto given = command.get_option(option.long_name())->results();
    files.insert(pipeline ? files.begin() : files.end(), given.begin(), given.end());
  }
  const auto begins = [&](const std::string& file) { return std::string_view(error.what()).starts_with(file); };
  return files.empty() || std::ranges::any_of(files, begins) ? error : error.in(files.front());
}

/// Returns the files that a command writes besides those that its options name.
template <class Options>
std::vector<OutputFile> beside_of(const Options& options, const ReportOptions& reporting) {
  std::vector<OutputFile> files;
  if constexpr (requires { files_beside(options); }) files = files_beside(options);
  if constexpr (requires {
                  options.targets;
                  reports_of_target(reporting, "");
                })
    if (!reporting.html.empty() && std::is_same_v<Options, QuantizeOptions>)
      for (const std::string& target : options.targets)
        files.push_back({"--html", reports_of_target(reporting, target).html});
  return files;
}

template <class Options>
struct State {
  Options options;
  ReportOptions report;
  OptionList list = with_key_options(options_of(options, report));
};

/// Declares the options on `app`, with the action that runs `function` with them.
template <class Options, class Function>
Declared declare_command(CLI::App& app, Function function) {
  const auto state = std::make_shared<State<Options>>();
  declare_options(app, state->list);
  const auto act = [state, function, &app](Environment& environment) {
    check_values(app, state->list);
    const InputFiles inputs(input_sources(app, state->list));  // until all reports are written
    for (const auto& settle : state->list.settle) settle();
    check_files(app, state->list, beside_of(state->options, state->report));
    if constexpr (requires { state->options.overwrite; }) state->report.overwrite = state->options.overwrite;
    if constexpr (requires { state->options.run; }) state->options.run.reporter = &environment.reporter;
    try {
      return perform(state->options, state->report, environment, function);
    } catch (const Error& error) {
      throw naming_model(app, state->list, with_batch_axis_hint(state->options, error));
    }
  };
  return {&app, &state->list, act};
}

/// Adds the command; "cache export" goes below "cache".
CLI::App& add_command(CLI::App& program, const Command& command) {
  const size_t blank = command.name.find(' ');
  CLI::App* parent = &program;
  if (blank != std::string::npos) {
    const std::string above = command.name.substr(0, blank);
    for (CLI::App* sub : program.get_subcommands({}))
      if (sub->get_name() == above) parent = sub;
    if (parent == &program) {
      parent = program.add_subcommand(above, "Write and read TensorRT calibration caches")->require_subcommand(1);
      parent->fallthrough()->footer("Example\n  " + command.example +
                                    "    # 'detent cache export --help', 'detent cache import --help'");
    }
  }
  CLI::App* app = parent->add_subcommand(command.name.substr(blank + 1), command.summary)->fallthrough();
  const std::string notes = command.name == "lint"   ? to_text(known_findings()) + "\n"
                            : command.name == "plan" ? "src/place/RULES.md explains the rules\n\n"
                                                     : "";
  const std::string others = "'detent help " + command.name +
                             " --long' explains these options in full.\n'detent --help' shows the options of every "
                             "command: --config, --quiet, --max-memory ...\n\n";
  app->footer(notes + others + "Example\n  " + command.example);
  return *app;
}

}  // namespace

void declare_commands(Program& program) {
  for_each_command([&](const Command& command, auto type, auto function) {
    CLI::App& app = add_command(program.app, command);
    program.commands.push_back(declare_command<typename decltype(type)::type>(app, function));
  });
}

}  // namespace detent::cli
