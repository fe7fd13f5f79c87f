#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;
using Row = document::Grid::Row;
using Call = LatencyReport::Call;
using Group = LatencyReport::Group;

/// True where the written file is the float model, or a cast of it.
bool has_no_pairs(const LatencyReport& report) {
  return report.chosen == LatencyChoice::Float || report.chosen == LatencyChoice::Cast;
}

/// Returns the engine, or the command where it names none.
Words engine_words(const LatencyReport& report) {
  return report.machine.engine.empty() ? code(report.command) : Words(report.machine.engine);
}

/// Returns "on AMD EPYC with onnxruntime 1.30.0, 2 threads, batch 1".
Words machine_words(const LatencyMachine& machine) {
  const Words engine = joined({machine.engine, machine.version}, " ");
  return joined(
      {joined({labelled("on ", machine.device), labelled("with ", engine)}, " "),
       machine.threads.empty() ? Words() : Words{machine.threads, machine.threads == "1" ? " thread" : " threads"},
       labelled("batch ", machine.batch)});
}

Words gain_words(double gain, double error) {
  return Number{.value = gain, .unit = Unit::Share, .digits = 1, .sign = true, .error = error};
}

/// Returns the number of nodes that a change is about.
Words nodes_cell(size_t nodes) { return nodes > 0 ? Words(count(nodes)) : Words("all"); }

/// Returns "chosen: variant (depthwise convolutions float), 0.680 ms, 1.27x the speed of float (0.882 ms), ...".
Words chosen_words(const LatencyReport& report) {
  const bool variant = report.chosen == LatencyChoice::Variant && !report.chosen_what.empty();
  Words words{"chosen: ", name_of(report.chosen), variant ? Words{" (", report.chosen_what, ")"} : Words()};
  if (report.chosen_ms) words += {", ", milliseconds(*report.chosen_ms)};
  const auto add = [&](const char* what, const std::optional<double>& ms, LatencyChoice file) {
    if (ms && report.chosen != file) words += {", ", what, " ", milliseconds(*ms)};
  };
  if (report.float_ms && report.chosen_ms && report.chosen != LatencyChoice::Float)
    words += {", ", multiple(*report.float_ms / *report.chosen_ms), " the speed of float (",
              milliseconds(*report.float_ms), ")"};
  add("cast", report.cast_ms, LatencyChoice::Cast);
  add("default", report.default_ms, LatencyChoice::Default);
  return words +=
         {"; noise ", share(report.noise), ", ", count(report.calls.size(), "call"), " in ", seconds(report.seconds)};
}

Words limit_of_search(const LatencyReport& report) {
  Words words = labelled("within ", report.limit);
  if (report.too_inaccurate > 0)
    words =
        joined({words, {count(report.too_inaccurate, "other file"), " beyond it, which the engine did not see"}}, "; ");
  return words;
}

/// Says what earlier searches told.
Words known_words(const LatencyReport& report) {
  if (report.table.empty()) return {};
  if (report.learned_networks == 0) return {name(report.table), " knew no network of this machine"};
  return {name(report.table), " knew ", count(report.learned_networks, "network"), " of this machine"};
}

bool is_written(const LatencyReport& report, const Call& call) {
  return call.file == report.chosen && call.what == report.chosen_what;
}

document::Grid calls_table(const LatencyReport& report) {
  document::Grid table{.id = "latency-calls",
                       .label = "Calls of the latency command",
                       .columns = {{"File", Kind::Name, "", 4, 60},
                                   {"ms", Kind::Number, "Of one run, as the command prints it"},
                                   {"Speed", Kind::Number, "Time of the float model over that of this file"},
                                   {"SQNR", Kind::Number, "At the worst output, on the samples of the search"},
                                   {"Call s", Kind::Minor, "Time of the whole call, in seconds"}},
                       .heading = "calls; * of the written file",
                       .mark = "written",
                       .search = false,
                       .noun = "call"};
  const bool refused = std::ranges::any_of(report.calls, [](const Call& call) { return !call.ms; });
  if (refused) table.columns.push_back({"Refused", Kind::Words, "Why the engine does not take the file"});
  for (const Call& call : report.calls) {
    Row& row = table.rows.emplace_back(Row{.cells = {Words(call.what)}, .marked = is_written(report, call)});
    row.cells.emplace_back(Words(Number{.value = call.ms.value_or(NAN), .digits = 3}));
    row.cells.emplace_back(call.ms && report.float_ms ? multiple(*report.float_ms / *call.ms) : Words(Number{}));
    row.cells.emplace_back(call.sqnr_db ? decibels(*call.sqnr_db, 2) : Words(Number{}));
    row.cells.emplace_back(fixed(call.seconds, 1));
    if (refused) row.cells.emplace_back(call.ms ? Words() : Words(call.refusal.empty() ? "no reason" : call.refusal));
  }
  return table;
}

/// Lists the files that no other one beats.
document::Grid front_table(const LatencyReport& report) {
  document::Grid table{
      .id = "latency-front",
      .label = "Files that no other one beats in time, size and accuracy",
      .columns = {{"File", Kind::Name, "", 4, 60},
                  {"ms", Kind::Number, "Mean of its calls"},
                  {"Bytes", Kind::Number},
                  {"SQNR", Kind::Number, "At the worst output, on the samples of the search"}},
      .heading = "files that no other one beats; --prefer speed, size or accuracy takes another of them",
      .mark = "written",
      .search = false,
      .noun = "file"};
  const bool scored = std::ranges::any_of(report.front, [](const auto& file) { return file.score.has_value(); });
  if (scored) table.columns.push_back({"Score", Kind::Number, "In the metric of the bound"});
  for (const LatencyReport::Front& file : report.front) {
    Row& row = table.rows.emplace_back(Row{.cells = {Words(file.what)}, .marked = file.chosen});
    row.cells.emplace_back(Words(Number{.value = file.ms, .digits = 3}));
    row.cells.emplace_back(bytes(file.bytes));
    row.cells.emplace_back(file.sqnr_db ? decibels(*file.sqnr_db, 2) : Words(Number{}));
    if (scored) row.cells.emplace_back(Words(Number{.value = file.score.value_or(NAN), .digits = 4}));
  }
  return table;
}

document::Grid groups_table(const LatencyReport& report) {
  document::Grid table{
      .id = "latency-groups",
      .label = "Parts of the network",
      .columns = {{"Part", Kind::Name},
                  {"Nodes", Kind::Number, "That it changes"},
                  {"Gain", Kind::Number, "Part of the default file's time that it saves, with its standard error"},
                  {"Options", Kind::Words, "That make the change"}},
      .heading =
          "parts of the network, with the part of the default file's time that each saves; * in the written file",
      .mark = "written",
      .search = false,
      .noun = "part"};
  const bool left = std::ranges::any_of(report.groups, [](const Group& group) { return !group.left_out.empty(); });
  if (left) table.columns.push_back({"Not tried", Kind::Words, "Why"});
  for (const Group& group : report.groups) {
    Row& row = table.rows.emplace_back(Row{.cells = {Words(group.name)}, .marked = group.chosen});
    row.cells.emplace_back(nodes_cell(group.nodes));
    row.cells.emplace_back(group.gain ? gain_words(*group.gain, group.error) : Words(Number{}));
    row.cells.emplace_back(group.options.empty() ? Words() : code(join(group.options, " ")));
    if (left) row.cells.emplace_back(Words(group.left_out));
  }
  return table;
}

/// Returns the label of a point: of the first call of each file that is no variant, and of the written file.
Words label_of(const LatencyReport& report, size_t call) {
  const Call& one = report.calls[call];
  const auto before = std::span(report.calls).first(call);
  if (std::ranges::any_of(before, [&](const Call& other) { return other.what == one.what; })) return {};
  if (is_written(report, one)) return "written";
  return one.file == LatencyChoice::Variant ? Words() : Words(name_of(one.file));
}

/// Draws time against accuracy.
Scatter calls_plot(const LatencyReport& report) {
  Scatter plot{.x_title = "SQNR in dB",
               .y_title = "ms",
               .at_infinity = "exact",
               .label = "Milliseconds over SQNR of every file that was tried",
               .mark = "the written file",
               .others = "other files"};
  if (report.float_ms) plot.reference = *report.float_ms, plot.reference_meaning = "time of the float model";
  for (size_t i = 0; i < report.calls.size(); ++i) {
    const Call& call = report.calls[i];
    if (!call.ms || !call.sqnr_db) continue;
    Words words{call.what, ": ", milliseconds(*call.ms)};
    if (report.float_ms) words += {", ", multiple(*report.float_ms / *call.ms), " the speed of float"};
    words += {", ", decibels(*call.sqnr_db, 2)};
    plot.points.push_back({.x = *call.sqnr_db,
                           .y = *call.ms,
                           .words = words,
                           .label = label_of(report, i),
                           .marked = is_written(report, call)});
  }
  return plot;
}

/// Returns "the float model is the fastest file within the accuracy (0.364 ms; default INT8 0.493 ms)".
Words fastest_words(const LatencyReport& report, std::string_view codes) {
  std::vector<Words> times;
  if (report.chosen_ms) times.push_back(milliseconds(*report.chosen_ms));
  if (report.chosen == LatencyChoice::Cast && report.float_ms)
    times.push_back({"float model ", milliseconds(*report.float_ms)});
  if (report.default_ms)
    times.push_back({"default ", codes, " ", milliseconds(*report.default_ms)});
  else if (std::ranges::find(report.calls, LatencyChoice::Default, &Call::file) != report.calls.end())
    times.push_back({engine_words(report), " refuses the default ", codes, " file"});
  return {report.chosen == LatencyChoice::Float ? "the float model" : "the model cast to 16-bit floats",
          " is the fastest file within the accuracy", times.empty() ? Words() : Words{" (", joined(times, "; "), ")"}};
}

/// Says how fast the written file is: "0.680 ms with onnxruntime, 1.27x as fast as the float model".
Words written_words(const LatencyReport& report) {
  Words words{milliseconds(*report.chosen_ms), " with ", engine_words(report)};
  if (report.float_ms) words += {", ", multiple(*report.float_ms / *report.chosen_ms), " as fast as the float model"};
  return words;
}

document::Grid forecast_table(const LatencyForecast& forecast, size_t number, std::string_view codes) {
  document::Grid table{
      .id = "forecast-parts" + (number > 0 ? "-" + std::to_string(number + 1) : std::string()),
      .label = "Parts that the table knows",
      .columns = {{"Part", Kind::Name},
                  {"Nodes", Kind::Number, "Of this model"},
                  {"Gain", Kind::Number, "Part of the file's time that it is expected to save as float"},
                  {"Networks", Kind::Number, "That tell it"}},
      .heading = {"parts, with the part of the ", codes, " file's time that each is expected to save as float"},
      .search = false,
      .noun = "part"};
  for (const LatencyForecast::Part& part : forecast.parts)
    table.rows.push_back(
        {{Words(part.name), nodes_cell(part.nodes), gain_words(part.gain, part.error), count(part.networks)}});
  return table;
}

Words forecast_words(const LatencyForecast& forecast, std::string_view codes) {
  const Words source{" (", name(forecast.table), ", ", count(forecast.networks, "network"), ")"};
  const Words place{machine_words(forecast.machine), ": "};
  if (!forecast.ratio) return {place, "too few of these layers are known to tell the time of ", codes, source};
  const Number ratio{.value = *forecast.ratio, .digits = 2, .error = forecast.ratio_error};
  return {place, codes, " is expected to take ", ratio, " of the float model's time", source};
}

}  // namespace

bool is_without_pairs(const std::optional<LatencyReport>& report) { return report && has_no_pairs(*report); }

Section latency(const std::optional<LatencyReport>& report) {
  Section section{Topic::Latency, {}};
  if (!report) return section;
  section.parts = {
      Line{"Every file that was tried, timed by the engine itself. A difference within the noise decides nothing.",
           Role::Lead},
      Line{chosen_words(*report), Role::Apart},
      Line{{"timed by ", code(report->command), " ", machine_words(report->machine)}, Role::Detail}};
  for (const Words& words : {limit_of_search(*report), known_words(*report)})
    section.parts.push_back(Line{words, Role::Detail});
  section.parts.emplace_back(Drawing{calls_plot(*report)});
  if (report->front.size() > 1) section.parts.emplace_back(front_table(*report));
  section.parts.emplace_back(calls_table(*report));
  section.parts.emplace_back(groups_table(*report));
  return section;
}

void add_speed(Document& document, const LatencyReport& report, std::string_view codes) {
  if (has_no_pairs(report))
    document.warning = {"written without pairs: ", fastest_words(report, codes)};
  else if (report.chosen_ms)
    document.verdict.push_back(Line{written_words(report), Role::Beside});
  if (!report.chosen_ms) return;
  Words beside;
  if (report.chosen == LatencyChoice::Float)
    beside = report.default_ms ? Words{"default ", codes, " ", milliseconds(*report.default_ms)} : Words();
  else if (report.float_ms)
    beside = {multiple(*report.float_ms / *report.chosen_ms), " as fast as float"};
  document.figures.figures.push_back({milliseconds(*report.chosen_ms), {"with ", engine_words(report)}, beside});
}

Section forecasts(const PlanReport& plan) {
  Section section{Topic::Quantizers, {}};
  const std::string_view codes = name_of(plan.coverage.type);
  for (size_t i = 0; i < plan.forecasts.size(); ++i) {
    section.parts.push_back(Line{forecast_words(plan.forecasts[i], codes), Role::Apart});
    section.parts.emplace_back(forecast_table(plan.forecasts[i], i, codes));
  }
  return section;
}

}  // namespace detent::build
