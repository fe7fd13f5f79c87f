#include <algorithm>
#include <cmath>

#include "report/build/documents.h"
#include "report/build/sections.h"
#include "report/output_errors.h"

namespace detent::build {

namespace {

using namespace document;
using Role = Line::Role;

std::string_view codes_of(const SensitivityReport& report) {
  return report.weights ? title_of(report.weights->codes) : name_of(report.plan.coverage.type);
}

document::Grid layers_table(const SensitivityReport& report, const std::vector<SensitivityReport::Layer>& layers,
                            size_t top) {
  const std::string codes(codes_of(report));
  const std::string kept = report.wide ? "has 16-bit activations" : "stays float";
  document::Grid table{
      .id = "sensitivity-table",
      .label = "Search layers",
      .columns = {{"Layer", Kind::Name},
                  {"", Kind::Chart},
                  {"Alone", Kind::Number, "SQNR at the output with only this layer in " + codes},
                  {"Others", Kind::Minor, "SQNR at the output if this layer " + kept},
                  {"Gain", Kind::Number, "Rise of the SQNR at the output if this layer " + kept}},
      .capped = true,
      .noun = "layer",
      .most = top,
      .scale = Scale{.series = {{"but", "all except this layer"}, {"alone", {"only this layer in ", codes}}},
                     .reference = report.sqnr_db_all,
                     .reference_meaning = {"all layers, ", decibels(report.sqnr_db_all, 2)}}};
  const std::vector<LayerScore> scores = scores_of(layers);
  for (const LayerScore& score : scores) {
    table.columns.push_back({score.metric.title + std::string(" alone"), Kind::Number,
                             score.metric.meaning + (", with only this layer in " + codes)});
    table.columns.push_back({"others", Kind::Minor, score.metric.meaning + (", if this layer " + kept)});
  }
  table.columns.push_back({report.weights ? "Weights" : "MACs", Kind::Minor,
                           report.weights ? "Share of the elements of all weights" : "Share of the model's MACs"});
  const bool several = report.outputs.size() > 1;
  if (several) table.columns.push_back({"Worst alone", Kind::MinorWords, "Output with the largest error"});
  for (const auto& layer : layers) {
    Cell title{name(layer.name)}, chart{Words()};
    title.op = layer.op;
    chart.marks = {layer.sqnr_db_all_but, layer.sqnr_db_alone};
    document::Grid::Row row{{title, chart, decibels(layer.sqnr_db_alone, 2), decibels(layer.sqnr_db_all_but, 2),
                             gain(report.sqnr_db_all, layer.sqnr_db_all_but)}};
    for (const auto& [metric, alone, all_but] : scores)
      for (const auto& score : {layer.*alone, layer.*all_but})
        row.cells.emplace_back(Words(number_of(metric, score.value_or(0))));
    row.cells.emplace_back(layer.macs_share > 0 ? share(layer.macs_share) : Words());
    if (several) row.cells.emplace_back(name(layer.output));
    table.rows.push_back(std::move(row));
  }
  return table;
}

document::Grid values_table(const SensitivityReport& report, size_t top) {
  document::Grid table{.id = "",
                       .label = "Values",
                       .columns = {{"Quantized value", Kind::Name}, {"By itself", Kind::Number}},
                       .heading = "SQNR of each value after its pair, in the float network",
                       .noun = "value",
                       .most = top};
  for (const LocalError& local : report.values) table.rows.push_back({{name(local.value), decibels(local.sqnr_db, 2)}});
  return table;
}

/// Says what was measured, and what all layers together cost.
void add_whole(std::vector<Part>& parts, const SensitivityReport& report) {
  using metrics::kDetectionAgreement, metrics::kNats, metrics::kPerplexity, metrics::kWer;
  if (report.corrected_biases)
    parts.push_back(Line{{"biases of ", count(report.corrected_biases, "layer"),
                          " corrected, in the float network too, so that only quantization is measured"}});
  if (report.weights)
    parts.push_back(Line{{"weights of ", count(report.layers.size()), " of ",
                          count(report.plan.layers.size(), "weighted layer"), " as ", format_words(*report.weights)}});
  parts.push_back(
      Line{{"SQNR at ", the_output(report.outputs), " with all of them: ", decibels(report.sqnr_db_all, 2)}});
  if (report.outputs.size() > 1) parts.emplace_back(outputs_table(report.outputs));
  if (const auto nats = report.all.find(kNats.name); nats != report.all.end())
    parts.push_back(Line{{number_of(kNats, nats->second), " ", kNats.loss, ", perplexity ",
                          number_of(kPerplexity, report.all.at(kPerplexity.name)), ", with all of them; FP32 ",
                          number_of(kNats, report.fp32.at(kNats.name)), ", ",
                          number_of(kPerplexity, report.fp32.at(kPerplexity.name))}});
  if (const auto wer = report.all.find(kWer.name); wer != report.all.end())
    parts.push_back(Line{{kWer.label, " ", number_of(kWer, wer->second), " with all of them; FP32 ",
                          number_of(kWer, report.fp32.at(kWer.name))}});
  if (const auto agreement = report.all.find(kDetectionAgreement.name); agreement != report.all.end())
    parts.push_back(Line{{"agreement of detections with those of FP32, with all of them: ",
                          number_of(kDetectionAgreement, agreement->second)}});
}

Words sensitivity_verdict(const SensitivityReport& report) {
  const std::vector<SensitivityReport::Layer> layers = ranked_layers(report);
  if (layers.empty()) return "Nothing is quantized.";
  const auto& worst = layers.front();
  return {name(worst.name),
          " costs most: alone in ",
          codes_of(report),
          " it leaves ",
          decibels(worst.sqnr_db_alone, 2),
          " at ",
          the_output(report.outputs),
          ". All layers together leave ",
          decibels(report.sqnr_db_all, 2),
          ", all except this one ",
          decibels(worst.sqnr_db_all_but, 2),
          "."};
}

Words measured_words(const SensitivityReport& report) {
  return {"measured ",
          count(report.variants, "quantized model"),
          " on ",
          samples_words(report.evaluation_samples, report.steps),
          states_words(report.steps),
          report.evaluation_spread ? ", evenly over --eval," : "",
          " at the cost of ",
          fixed(report.plain_runs, 1),
          " FP32 runs, ",
          seconds(report.seconds),
          " in all"};
}

Section measured(const SensitivityReport& report) {
  return {Topic::Model,
          {Line{{report.weights ? "rounded with " : "calibrated ",
                 samples_words(report.calibration_samples, report.steps), "; ", measured_words(report)}},
           Line{skipped_words(report.skipped_samples)}}};
}

}  // namespace

Section sensitivity(const SensitivityReport& report, size_t top) {
  Section section{Topic::Sensitivity, {}};
  const std::vector<SensitivityReport::Layer> layers = ranked_layers(report);
  if (layers.empty()) return section;
  add_whole(section.parts, report);
  section.parts.push_back(
      Line{{"SQNR at ", the_output(report.outputs), " with ",
            report.wide ? "the 8-bit activations of one layer alone, and with 16-bit ones there and 8 bits elsewhere"
                        : "one layer quantized alone, and with all others",
            "; worst first"},
           Role::Apart});
  section.parts.emplace_back(layers_table(report, layers, top));
  section.parts.emplace_back(values_table(report, top));
  return section;
}

std::map<std::string, double> own_errors(const SensitivityReport& report) {
  std::map<std::string, double> errors;
  for (const LocalError& local : report.values) errors[local.value] = local.sqnr_db;
  return errors;
}

Document document_of(const SensitivityReport& report, size_t top) {
  Document document{.subject = "Sensitivity of layers",
                    .title = "sensitivity of layers",
                    .file = report.model,
                    .facts = model_facts(report.plan),
                    .aside = {"target ", report.target, "     ",
                              report.weights ? Words("weights alone") : Words("calibrator " + report.calibrator)},
                    .verdict = {Line{sensitivity_verdict(report), Role::Statement, Where::Page}}};
  add_early_end(document, report.ended);
  auto& figures = document.figures.figures;
  figures = {{decibels(report.sqnr_db_all, 2), "SQNR with all layers"},
             {count(report.variants),
              "quantized models measured",
              {"at the cost of ", fixed(report.plain_runs, 1), " FP32 runs"}}};
  if (!report.weights)
    for (auto& figure : coverage_figures(report.plan.coverage)) figures.push_back(std::move(figure));
  document.sections = {measured(report), equalization(report.equalized),
                       report.weights ? Section{Topic::Coverage, {}} : coverage(report.plan), sensitivity(report, top),
                       values({&report.histograms, &report.plan, {}, own_errors(report), {}})};
  if (!report.weights) document.sections.push_back(placement(report.plan, Listed::Nothing));
  return document;
}

Document document_below_comparison(const SensitivityReport& report, size_t top) {
  return {
      .sections = {{Topic::Model,
                    {Line{{"layers, with calibrator ", report.calibrator, ": ", measured_words(report)}, Role::Apart}}},
                   sensitivity(report, top)}};
}

}  // namespace detent::build
