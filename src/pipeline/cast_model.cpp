#include "detent/cast.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "calibrate/calibration.h"
#include "core/files/atomic_file.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "half/half_model.h"
#include "half/narrow_io.h"
#include "lint/reading/odd_pairs.h"
#include "model/graph/nodes_matching.h"
#include "model/graph_patch.h"
#include "options/command_inputs.h"
#include "pipeline/parts/cast_nodes.h"
#include "pipeline/parts/cast_pairs.h"
#include "pipeline/parts/closing_steps.h"
#include "pipeline/parts/first_shapes.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/provenance.h"
#include "pipeline/parts/written_file.h"
#include "place/draft/float_layers.h"
#include "place/make_plan.h"
#include "prepare/fold_constants.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/check_onnx_rules.h"
#include "rewrite/integer_gates.h"
#include "rewrite/written_size.h"
#include "run/open_samples.h"

namespace detent {

namespace {

void refuse_not_finite(const ErrorReport& error, const std::string& type) {
  for (const auto& output : error.outputs)
    if (output.sqnr_db && !(*output.sqnr_db > -std::numeric_limits<double>::infinity()))
      throw Error(ErrorCode::Internal, "in " + type + " output '" + output.name +
                                           "' becomes NaN or Inf where FP32 is finite; the file was not written");
}

/// Returns the coverage of a model without pairs, before inputs get the 16-bit type.
CoverageReport coverage_of_floats(const Graph& graph, const ValueShapes& shapes, const CastModelOptions& options) {
  const PlacementPlan plan = make_float_plan(graph, target_list().front(), shapes);
  CoverageReport coverage = plan.coverage;
  if (options.io == IoType::Same)
    coverage.types.float32.activation_bytes -= narrowed_input_bytes(graph, plan, float_format(options.type), shapes);
  return coverage;
}

/// Returns the provenance of a cast model, which shows `lint` that its types were chosen by measuring. Pairs that
/// Detent wrote keep theirs.
Provenance origin_of_cast(const Model& model, const CastModelOptions& options, size_t samples) {
  const std::string types =
      "float-type=" + std::string(name_of(options.type)) + (options.io == IoType::Same ? "; io-type=same" : "");
  if (auto written = has_pairs(model.graph()) ? read_provenance(model) : std::nullopt) {
    if (written->options.find(types) == std::string::npos)
      written->options += (written->options.empty() ? "" : "; ") + types;
    return *written;
  }
  Provenance provenance;
  provenance.samples = samples;
  provenance.options = types;
  provenance.source_producer = facts_of(model).producer;
  return provenance;
}

/// Opens the samples; nullptr without them, which only pairs of the main graph allow.
std::unique_ptr<DataSource> open_data(const CastModelOptions& options, const SampleRequest& data, const Model& model) {
  check_scales(model.graph());
  if (data.given()) return open_samples(data, model);
  if (has_pairs(model.graph())) return nullptr;
  const std::string inside = pair_in_body(model.graph());
  if (!inside.empty())
    throw Error(ErrorCode::Unsupported, inside + ": cast does not bound values by the scales of pairs in bodies",
                "--data measures the values");
  throw Error(ErrorCode::Usage,
              "cast needs --data: " + options.model.string() + " has no pairs, whose scales would bound its values");
}

/// Returns the format of the type. Pairs for ONNX Runtime keep FP32 scales unless the options say otherwise: it has no
/// integer kernel with others.
FloatFormat format_of(const CastModelOptions& options, const Graph& graph) {
  FloatFormat format = float_format(options.type);
  const bool needs_float = has_pairs(graph) && !target_of_codes(graph).engine.kernels_with_half_scales;
  format.half_scales = options.scales ? *options.scales == PlacementOptions::Scales::Fp16 : !needs_float;
  if (needs_float && format.half_scales)
    options.run.reporter->warn(
        "UINT8 codes and zero points are for ONNX Runtime, which has no integer kernel with 16-bit scales and refuses "
        "a "
        "Concat between pairs that have them; --format scales=fp32 avoids both");
  return format;
}

/// Returns the nodes that the user keeps in FP32, by name.
ForcedFloat32 excluded_nodes(const Graph& graph, const CastModelOptions& options) {
  ForcedFloat32 nodes;
  for (const std::string& pattern : options.exclude)
    for (const NodeId node : nodes_matching(graph, pattern, "--exclude"))
      nodes.try_emplace(graph.node(node).name, ForcedReason{0, "excluded by --exclude '" + pattern + "'", "user"});
  return nodes;
}

/// Casts the nodes of the model, and fills the report except error, coverage and sizes.
void cast_floats(Model& model, const CastModelOptions& options, const ForcedFloat32& excluded, const DataSource* source,
                 CastReport& report) {
  FloatFormat format = format_of(options, model.graph());
  if (has_pairs(model.graph())) report.pairs = prepare_pairs(model, options.type, format, *options.run.reporter);
  report.floats = source ? cast_nodes(model, options.type, format, *source, options.run, excluded)
                         : cast_by_bounds(model, format, first_shapes(model.graph(), nullptr, options.run), excluded);
  if (report.pairs) count_pairs(model.graph(), *report.pairs);
}

/// Measures the model that will be written.
void measure(const Model& model, const CastModelOptions& options, const DataSource* source,
             const std::optional<FloatOutputs>& outputs, CastReport& report) {
  if (outputs) report.error = outputs->error_of(model).report;
  if (report.error) refuse_not_finite(*report.error, report.floats.type);
  const ValueShapes shapes = first_shapes(model.graph(), source, options.run);
  report.coverage =
      report.pairs ? coverage_of_pairs(model, shapes) : coverage_of_floats(model.graph(), shapes, options);
}

}  // namespace

CastReport cast_model(const CastModelOptions& options) {
  const StopScope stop(options.run.stop);
  const InputFiles protected_inputs = protect_inputs(options);
  const Stopwatch stopwatch;
  if (options.type == FloatType::Fp32)
    throw Error(ErrorCode::Usage, "--float-type fp32 is the type that the model has", "fp16 or bf16");
  check_writable(options.output, options.overwrite);
  const SampleRequest data = requested_samples(options.data, nullptr, options.run).data;
  Model model = read_model_to_cast(options.model);
  if (has_pairs(model.graph())) {
    static_cast<void>(fold_constants(model));  // zero points tell the engine
    restore_float_gates(model);
  }
  if (const std::string text = float64_text(model.graph(), options.type == FloatType::Fp16 ? "FP16" : "BF16");
      !text.empty())
    options.run.reporter->warn(text);
  const ForcedFloat32 excluded = excluded_nodes(model.graph(), options);
  const auto source = open_data(options, data, model);
  warn_of_unsupported_tail(model.graph(), *options.run.reporter);
  check_one_file(options.output, options.external_data, [&] { return least_written_bytes(model, {}, {}, true); });
  std::optional<FloatOutputs> outputs;
  if (source) outputs.emplace(model, data, *source, options.run);
  CastReport report;
  report.bytes_before = model.byte_size();
  const ModelFacts facts = facts_of(model);
  cast_floats(model, options, excluded, source.get(), report);
  check_one_file(options.output, options.external_data, [&] { return model.byte_size(); });
  measure(model, options, source.get(), outputs, report);
  const size_t samples = source ? source->size() / std::max<size_t>(1, data.steps.value_or(1)) : 0;
  if (options.io == IoType::Same) apply_patch(model, narrow_io(model.graph(), float_format(options.type).type).patch);
  write_provenance(model, origin_of_cast(model, options, samples));
  check_onnx_rules(model.graph(), options.output, facts.faults, *options.run.reporter);
  write_model(model, options.output, write_options(options.overwrite, options.external_data));
  report.floats.casts = casts_added(model.graph(), facts);
  report.coverage.casts = static_cast<int64_t>(report.floats.casts);
  report.model = options.model.string();
  report.output = options.output.string();
  report.samples = samples;
  report.bytes_after = model.byte_size();
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
