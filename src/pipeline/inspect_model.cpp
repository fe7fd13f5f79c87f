
#include "core/stop.h"
#include "detections/graph_layout.h"
#include "detent/inspect.h"
#include "model/model.h"
#include "model/origin.h"
#include "model/qoperators.h"
#include "ops/find_operator.h"
#include "outputs/output_reading.h"
#include "pipeline/parts/input_check.h"
#include "pipeline/parts/provenance.h"
#include "place/draft/float_nodes.h"
#include "prepare/read_model_to_run.h"
#include "prepare/shapes_without_data.h"

namespace detent {

namespace {

TensorInfo tensor_info(const Value& value) {
  return {value.name, std::string(name_of(value.declared_type.value_or(DataType::Undefined))),
          value.declared_shape.value_or(std::vector<int64_t>{}), value.declared_shape.has_value()};
}

/// Says what the outputs hold, as far as the graph tells; runs the model once on zeros.
void add_meanings(const Graph& graph, ModelReport& report) {
  std::vector<OutputReading> readings;
  for (const ValueShapes& shapes : shapes_at_trial_sizes(graph, {}).runs) {
    const auto layout = find_detections(graph, shapes);
    if (readings.empty() || (layout && report.detections.empty())) readings = read_outputs(graph, shapes, layout);
    if (report.detections.empty()) report.detections = describe(layout);
  }
  for (TensorInfo& output : report.outputs) {
    const OutputReading* reading = find_reading(readings, output.name);
    output.meaning = reading ? describe_output(*reading, {})
                             : OutputReport{output.name, OutputMeaning::Unknown, "the model does not run on zeros"};
  }
}

}  // namespace

ModelReport inspect_model(const std::filesystem::path& path, const DataOptions& data, const RunSettings& run) {
  const StopScope stop(run.stop);
  Expansion expansion;
  const Model model = read_any_model(path, expansion);
  const Graph& graph = model.graph();
  ModelReport report;
  report.expanded = expansion.operators;
  report.model = path.string();
  report.ir = model.ir_version();
  report.opset = model.opsets();
  report.quantized = is_quantized(graph) || find_quantized_body(graph);
  report.producer = producer_of(model);
  report.provenance = read_provenance(model);
  for (const ValueId id : graph.inputs()) report.inputs.push_back(tensor_info(graph.value(id)));
  for (const ValueId id : graph.outputs()) report.outputs.push_back(tensor_info(graph.value(id)));
  std::vector<NodeId> all;
  for (const Node& node : graph.nodes()) {
    const std::string domain = node.of_microsoft ? std::string(kMicrosoftDomain) : node.domain;
    ++report.operators[domain.empty() ? node.op_type : domain + "." + node.op_type];
    all.push_back(node.id);
  }
  const FloatNodes floats = count_float_nodes(graph);
  for (const auto& [type, count] : floats.by_type)
    report.float_nodes[std::string(name_of(type))] = static_cast<int64_t>(count);
  report.float_casts = static_cast<int64_t>(floats.casts);
  for (const Value& value : graph.values())
    if (const Tensor* constant = graph.constant(value.id)) report.parameters += constant->element_count();
  for (const UnsupportedNode& item : find_unsupported(graph, all)) {
    const Node& node = graph.node(item.node);
    const auto kept = std::ranges::find(expansion.kept, node.name, &Expansion::Kept::node);
    report.unsupported.push_back({node.name, node.op_type, kept == expansion.kept.end() ? item.reason : kept->reason});
  }
  add_meanings(graph, report);
  if (data.given()) {
    const SampleRequest request = requested_samples(data, nullptr, run).data;
    report.input_check =
        check_inputs(read_float_model(path), {path.string(), data}, request, run, InputCheckEffort::Whole);
  }
  return report;
}

}  // namespace detent
