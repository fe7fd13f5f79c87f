#include <algorithm>
#include <cmath>

#include "report/build/documents.h"
#include "report/build/sections.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;

/// Returns ", the float model without pairs,".
Words unquantized_words(const LatencyReport& report) {
  return {", the ", report.chosen == LatencyChoice::Float ? "float model" : "model in 16-bit floats",
          " without pairs,"};
}

/// Says how far a file without pairs is from the float model.
Section unquantized_error(const LatencyReport& report) {
  Words words{"error against FP32: none, this is the float model"};
  if (report.chosen == LatencyChoice::Cast) {
    const auto cast = std::ranges::find(report.calls, LatencyChoice::Cast, &LatencyReport::Call::file);
    words = "error against FP32: that of 16-bit floats";
    if (cast != report.calls.end() && cast->sqnr_db) words += {", SQNR ", decibels(*cast->sqnr_db, 2)};
  }
  return {Topic::Error, {Line{words, Role::Statement, Where::Text}}};
}

/// Names the written file and the model it was made from.
Words made_words(const QuantizeReport& report) {
  const bool changed = report.written_opset != 0 && report.written_opset != report.opset;
  return {"wrote ",
          name(report.output),
          " (",
          bytes(report.output_bytes),
          ")",
          is_without_pairs(report.latency) ? unquantized_words(*report.latency) : Words(),
          " for ",
          report.target,
          ", from ",
          file_name(report.model),
          " (",
          bytes(report.model_bytes),
          ", opset ",
          count(report.opset),
          changed
              ? Words{report.written_opset > report.opset ? " raised to " : " lowered to ", count(report.written_opset)}
              : Words(),
          ")"};
}

/// Says what a file of a pipeline has, and what it costs alone.
Words file_words(const PipelineFileReport& file) {
  Words words{name(file.name),         ", ",   file_name(file.model),       ": ",
              count(file.int8_layers), " of ", count(file.layers, "layer"), " INT8"};
  if (file.error)
    words += {"; quantized alone: ", worst_words(*file.error),
              file.quality ? Words{", ", std::string(name_of(*file.quality))} : Words()};
  return words;
}

/// Names the source of the ranges.
Section calibration(const QuantizeReport& report) {
  Words words;
  if (report.table.empty() && report.samples == 0) {
    words = "no calibration, since all scales are found at run time";
  } else if (report.table.empty()) {
    words = {"calibrated ", samples_words(report.samples, report.steps), " in ", seconds(report.calibration_seconds)};
    if (report.calibration_seconds > 0)
      words += {" (", fixed(static_cast<double>(report.samples) / report.calibration_seconds, 0), "/s)"};
  } else {
    words = {"ranges from ", name(report.table),
             report.samples ? Words{" (", count(report.samples, "sample"), ")"} : Words(" (imported)")};
  }
  if (report.samples > 0 || !report.table.empty())
    words += {", calibrator ", report.calibrator, report.measured ? " (auto)" : ""};
  words += {", peak ", megabytes(report.peak_mb)};
  return {Topic::Model, {Line{words}, Line{skipped_words(report.skipped_samples)}}};
}

Words saturation_words(const SaturationReport& report) {
  if (report.cpu == Cpu::Any && report.raised > 0)
    return {"same on every x86 CPU: ",
            count(report.raised),
            " of ",
            count(report.channels, "weight scale"),
            " raised, by ",
            fixed(report.mean_factor, 2),
            " on average, so that CPUs without VNNI do not saturate"};
  if (report.unsafe_pairs == 0) return "same on every x86 CPU: no pair of weights can saturate";
  return {"x86 CPUs without VNNI saturate: ", count(report.unsafe_pairs, "pair"), " of weights in ",
          count(report.unsafe_layers, "layer"),
          report.error ? Words{"; error there: ", worst_words(*report.error)} : Words()};
}

/// Says how long the phases took; the last one is what remains of the whole time.
Words phases_words(const QuantizeReport& report) {
  constexpr double kTold = 0.05;
  std::vector<std::pair<std::string, double>> phases{{"calibrating", report.calibration_seconds}};
  if (report.measured) phases.emplace_back("choosing the calibrator", report.measured->seconds);
  if (report.equalized) phases.emplace_back("equalizing", report.equalized->seconds);
  if (report.bias_correction && report.accuracy.steps.empty())
    phases.emplace_back("correcting biases", report.bias_correction->seconds);
  for (const AccuracyReport::Step& step : report.accuracy.steps) phases.emplace_back(step.name, step.seconds);
  if (report.bound) phases.emplace_back("holding the bound", report.bound->seconds);
  if (report.latency) phases.emplace_back("looking for the fastest file", report.latency->seconds);
  double rest = report.seconds;
  Words words{"took ", seconds(report.seconds), ": "};
  for (const auto& [phase, time] : phases) {
    rest -= time;
    if (time >= kTold) words += {phase, " ", seconds(time), ", "};
  }
  return {words, "reading, measuring the error and writing ", seconds(std::max(rest, 0.0))};
}

/// The shares on codes, with folded nodes and what CPUs do.
Section quantized_coverage(const QuantizeReport& report) {
  Section section = coverage(report.plan);
  if (const size_t folded = report.plan.folded_batchnorms)
    section.parts.push_back(Line{{count(folded, "BatchNormalization"), " folded into weights (R3)"}});
  if (const size_t folded = report.plan.folded_operators)
    section.parts.push_back(Line{{count(folded, "operator"), " by constants folded into weights (R3)"}});
  if (report.saturation) section.parts.push_back(Line{saturation_words(*report.saturation)});
  return section;
}

/// Describes the encoding of each value: "Scale 0.02371, zero point 0, scale group 2."
std::map<std::string, std::string> encodings_of(const QuantizeReport& report) {
  constexpr int kDigits = 4;
  std::map<std::string, std::string> sentences;
  for (const auto& value : report.values)
    sentences[value.name] =
        plain_text({"Scale ", significant(value.scale, kDigits), ", zero point ", std::to_string(value.zero_point),
                    value.group ? ", scale group " + std::to_string(*value.group) : std::string(), "."});
  return sentences;
}

Section notes(const QuantizeReport& report) {
  Section section{Topic::Model, {}};
  for (const std::string& note : report.notes) section.parts.push_back(Line{note, Role::Note, Where::Text});
  if (report.seconds > 0) section.parts.push_back(Line{phases_words(report), Role::Statement, Where::Text});
  return section;
}

}  // namespace

Document document_of(const QuantizeReport& report) {
  const PlanReport& plan = report.plan;
  Document document{.subject = "Quantization",
                    .title = "quantization",
                    .file = report.model,
                    .facts = model_facts(report),
                    .aside = {"target ", report.target}};
  const bool unquantized = is_without_pairs(report.latency);
  const std::string codes(name_of(plan.coverage.type));
  add_verdict(document, report.verdict, report.error);
  if (report.bound) add_bound(document, *report.bound);
  if (report.score && !report.bound) add_score(document, *report.score);
  if (report.latency) add_speed(document, *report.latency, codes);
  document.verdict.push_back(Line{made_words(report), Role::Beside});
  for (const PipelineFileReport& file : report.files) document.verdict.push_back(Line{file_words(file), Role::Detail});
  if (report.verdict.quality == Quality::Good && !report.next_command.empty())
    document.verdict.push_back(Line{{"next: ", code(report.next_command)}, Role::Detail});
  add_early_end(document, report.ended);
  if (report.input_check) add_input_check(document, *report.input_check, false);
  auto& figures = document.figures.figures;
  for (auto& figure : error_figures(report.error)) figures.push_back(std::move(figure));
  if (!unquantized)
    for (auto& figure : coverage_figures(plan.coverage)) figures.push_back(std::move(figure));
  if (report.output_bytes > 0)
    figures.push_back({bytes(report.output_bytes), "file size", {"FP32 ", bytes(report.model_bytes)}});
  PlanReport placed = plan;
  placed.notes = report.notes;  // of the plan and of the rewrite
  document.sections = {
      unquantized && !report.error ? unquantized_error(*report.latency)
                                   : error(report.error, "error against FP32", report.error_source),
      meanings(report.outputs),
      calibration(report),
      choice(report.measured),
      outliers(report.outliers),
      equalization(report.equalized, report.accuracy.steps.empty() ? report.bias_correction : std::nullopt),
      accuracy(report.accuracy),
      latency(report.latency),
      quantized_coverage(report),
      placement(placed, Listed::FloatLayers),
      floats(report.floats),
      blame(report.verdict, report.histograms),
      values({&report.histograms, &plan, report.provenance.calibrator, {}, encodings_of(report)}),
      scales(report.values, report.histograms.empty()),
      detections(report.detections),
      graph(plan),
      provenance(report.provenance, report.floats),
      notes(report)};
  return document;
}

Document document_of(const QuantizeTargetsReport& report) {
  Document document{.subject = "Quantization",
                    .title = "quantization",
                    .verdict = {Line{{count(report.targets.size(), "target"), " in ", seconds(report.seconds),
                                      ", peak ", megabytes(report.peak_mb)}}}};
  for (const QuantizeReport& one : report.targets) document.members.push_back(document_of(one));
  return document;
}

}  // namespace detent::build
