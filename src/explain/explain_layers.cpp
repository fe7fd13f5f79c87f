#include "explain/explain_layers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "explain/advice.h"
#include "explain/causes.h"
#include "explain/layer_kind.h"
#include "explain/layer_nodes.h"
#include "explain/type_words.h"

namespace detent {

namespace {

using Row = ExplainReport::Layer;
using Summary = ExplainReport::Summary;

/// Bytes of an element by its type word; 0 for types whose size the word does not tell.
double size_of(std::string_view word) {
  if (word == "fp32") return 4;
  if (word == "fp16" || word == "bf16") return 2;
  return word == "int8" || word == "fp8" ? 1 : 0;
}

/// Returns the bytes that a layer reads and writes; nothing where one of its tensors has an unknown size.
std::optional<double> bytes_of(const EngineLayer& layer) {
  double bytes = 0;
  for (const auto* tensors : {&layer.inputs, &layer.outputs})
    for (const EngineTensor& tensor : *tensors) {
      const double size = size_of(type_word(tensor.format)) * tensor.elements;
      if (!(size > 0)) return std::nullopt;
      bytes += size;
    }
  constexpr double kMost = 1e18;  // of a file that is not true; sums stay finite
  if (!(bytes > 0 && bytes < kMost)) return std::nullopt;
  return bytes;
}

Row row_of(const EngineLayer& layer) {
  Row row;
  row.name = layer.name;
  row.type = layer.type;
  row.unit = layer.unit;
  row.nodes = nodes_of(layer);
  for (const EngineTensor& tensor : layer.inputs) row.inputs.push_back(type_word(tensor.format));
  row.arithmetic = arithmetic_of(layer);
  row.output = layer.outputs.empty() ? "unknown" : type_word(layer.outputs.front().format);
  row.kind = kind_of(layer);
  row.block = is_block(layer.name);
  row.bytes = bytes_of(layer);
  row.ms = layer.ms;
  return row;
}

/// Sets shares of the time where there are times, else of the layers that cost time.
void set_shares(std::vector<Row>& rows) {
  const bool timed = std::ranges::any_of(rows, [](const Row& row) { return row.ms.has_value(); });
  const auto weight = [timed](const Row& row) {
    if (row.kind == "none") return 0.0;
    return timed ? row.ms.value_or(0) : 1.0;
  };
  double sum = 0;
  for (const Row& row : rows) sum += weight(row);
  if (!(sum > 0)) return;
  for (Row& row : rows) row.share = weight(row) / sum;
}

/// The member that gets the share of a layer of the network, by its arithmetic.
constexpr std::array<std::pair<std::string_view, double Summary::*>, 3> kShareOf{
    {{"int8", &Summary::int8}, {"fp16", &Summary::fp16}, {"fp32", &Summary::fp32}}};
/// The member that counts layers of a kind.
constexpr std::array<std::pair<std::string_view, size_t Summary::*>, 3> kCounts{
    {{"reformat", &Summary::reformats}, {"quantize", &Summary::standalone_quantize}, {"copy", &Summary::copies}}};

void add_layer(const Row& row, Summary& summary) {
  const auto type = std::ranges::find(kShareOf, row.arithmetic, [](const auto& entry) { return entry.first; });
  summary.*(type == kShareOf.end() ? &Summary::other : type->second) += row.share;
  if (row.arithmetic == "unknown" && row.cause.empty()) summary.unexplained += row.share;
}

void add_overhead(const Row& row, Summary& summary) {
  const auto count = std::ranges::find(kCounts, row.kind, [](const auto& entry) { return entry.first; });
  ++(summary.*(count->second));
  summary.reformat += row.share;
  if (row.cause.empty()) summary.unexplained += row.share;
}

}  // namespace

ExplainedLayers explain_with_advice(const BuiltEngine& engine) {
  std::vector<Row> rows;
  rows.reserve(engine.layers.size());
  for (const EngineLayer& layer : engine.layers) rows.push_back(row_of(layer));
  set_shares(rows);
  const EngineView view(engine, rows);
  std::vector<Cause> causes;
  for (size_t i = 0; i < rows.size(); ++i) {
    causes.push_back(cause_of(view, i).value_or(Cause{}));
    rows[i].finding = causes.back().finding;
    rows[i].cause = std::move(causes.back().cause);
    rows[i].cure = std::move(causes.back().cure.text);
  }
  auto advice = advise(rows, causes);
  return {std::move(rows), std::move(advice)};
}

std::vector<Row> explain_layers(const BuiltEngine& engine) { return explain_with_advice(engine).rows; }

Summary summarize(const std::vector<Row>& rows) {
  Summary summary;
  for (const Row& row : rows) {
    if (row.ms) summary.total_ms = summary.total_ms.value_or(0) + *row.ms;
    if (row.kind == "layer")
      add_layer(row, summary);
    else if (row.kind != "none")
      add_overhead(row, summary);
  }
  return summary;
}

}  // namespace detent
