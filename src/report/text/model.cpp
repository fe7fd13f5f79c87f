#include <map>

#include "core/shown_text.h"
#include "core/text.h"
#include "report/text/text.h"

namespace detent {

namespace {

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "x" : "") + (shape[i] < 0 ? std::string("?") : std::to_string(shape[i]));
  return text.empty() ? "scalar" : text;
}

/// Returns "float 1x3x?x?", "float, shape not declared" or "not declared".
std::string type_text(const TensorInfo& tensor) {
  if (tensor.has_shape) return tensor.type + " " + shape_text(tensor.shape);
  return tensor.type == "undefined" ? "not declared" : tensor.type + ", shape not declared";
}

std::string opsets_text(const std::map<std::string, int64_t>& opsets) {
  return join(opsets, ", ", [](const auto& opset) {
    return (opset.first.empty() ? "opset" : opset.first) + " " + std::to_string(opset.second);
  });
}

/// Returns "  floats      34 nodes in float16, 2 in float32, 4 casts"; "" where all are of one type.
std::string float_nodes_text(const ModelReport& report) {
  if (report.float_casts == 0 && report.float_nodes.size() < 2) return {};
  std::string text;
  for (const auto& [type, count] : report.float_nodes)
    text += text.empty() ? plural(static_cast<size_t>(count), "node") + " in " + type
                         : ", " + std::to_string(count) + " in " + type;
  return "  floats      " + text + ", " + plural(static_cast<size_t>(report.float_casts), "cast") + "\n";
}

/// Prints the provenance of a written model, one line for each entry.
std::string provenance_text(const Provenance& provenance) {
  std::string text;
  if (!provenance.target.empty()) text += "  target      " + provenance.target + "\n";
  if (!provenance.calibrator.empty())
    text += "  calibrator  " + provenance.calibrator + ", ranges " + provenance.ranges + "\n";
  text += "  samples     ";
  text += provenance.samples ? std::to_string(provenance.samples) : std::string("none: imported scales");
  if (!provenance.sample_digest.empty()) text += ", digest " + provenance.sample_digest;
  if (!provenance.options.empty()) text += "\n  options     " + provenance.options;
  if (!provenance.source_producer.empty())
    text += "\n  made from   a model of " + shown_text(provenance.source_producer, Lines::Escape);
  return text + "\n";
}

}  // namespace

std::string to_text(const ModelReport& report) {
  std::string text = report.model + "\n  IR " + std::to_string(report.ir) + ", " + opsets_text(report.opset) +
                     (report.quantized ? ", quantized" : "") + "\n";
  if (!report.producer.empty()) text += "  producer    " + shown_text(report.producer, Lines::Escape) + "\n";
  if (report.provenance) text += provenance_text(*report.provenance);
  text += "  parameters  " + std::to_string(report.parameters) + "\n";
  for (const auto& input : report.inputs) text += "  input   " + input.name + "  " + type_text(input) + "\n";
  for (const auto& output : report.outputs) text += "  output  " + output.name + "  " + type_text(output) + "\n";
  if (!report.detections.empty()) text += "  detections  " + report.detections + "\n";
  text += float_nodes_text(report);
  if (!report.expanded.empty()) text += "  expanded    " + expanded_text(report.expanded) + "\n";
  text += "  operators\n";
  Table operators{{{"", Kind::Number, "", 6}, {"", Kind::Words}}};
  for (const auto& [op, count] : report.operators) operators.rows.push_back({{{std::to_string(count)}, {op}}});
  text += to_text(operators);
  if (report.unsupported.empty()) return text + "  every node can run\n";
  text += "  " + plural(report.unsupported.size(), "node") + " cannot run\n";
  for (const auto& item : report.unsupported)
    text += "    node '" + item.node + "' (" + item.op + "): " + item.reason + "\n";
  return text;
}

}  // namespace detent
