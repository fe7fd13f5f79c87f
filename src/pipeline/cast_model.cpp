#include "detent/cast.h"

#include <limits>
#include <span>

#include "core/files/atomic_file.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "evaluate/closing_error.h"
#include "exec/find_shapes.h"
#include "half/half_model.h"
#include "half/narrow_io.h"
#include "model/graph_patch.h"
#include "pipeline/parts/cast_nodes.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/provenance.h"
#include "pipeline/parts/written_file.h"
#include "place/make_plan.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/check_onnx_rules.h"
#include "rewrite/written_size.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

void refuse_not_finite(const ErrorReport& error, const std::string& type) {
  for (const auto& output : error.outputs)
    if (output.sqnr_db && !(*output.sqnr_db > -std::numeric_limits<double>::infinity()))
      throw Error(ErrorCode::Internal, "in " + type + " output '" + output.name +
                                           "' becomes NaN or Inf where FP32 is finite; the file was not written");
}

/// Returns the file's coverage, before inputs get the 16-bit type.
CoverageReport coverage_of(const Model& model, std::span<const Tensor> inputs, const CastModelOptions& options) {
  const Graph& graph = model.graph();
  const ValueShapes shapes = find_shapes(graph, inputs);
  const PlacementPlan plan = make_float_plan(graph, target_list().front(), shapes);
  CoverageReport coverage = describe_coverage(plan.coverage);
  if (options.io == IoType::Same)
    coverage.types.float32.activation_bytes -= narrowed_input_bytes(graph, plan, float_format(options.type), shapes);
  return coverage;
}

/// Returns the provenance of a cast model, which shows `lint` that its types were chosen by measuring.
Provenance origin_of_cast(const Model& model, const CastModelOptions& options, size_t samples) {
  Provenance provenance;
  provenance.samples = samples;
  provenance.options =
      "float-type=" + std::string(name_of(options.type)) + (options.io == IoType::Same ? "; io-type=same" : "");
  provenance.source_producer = facts_of(model).producer;
  return provenance;
}

}  // namespace

CastReport cast_model(const CastModelOptions& options) {
  const StopScope stop(options.run.stop);
  const Stopwatch stopwatch;
  if (options.type == FloatType::Fp32)
    throw Error(ErrorCode::Usage, "--float-type fp32 is the type that the model has", "fp16 or bf16");
  check_writable(options.output, options.overwrite);
  Model model = read_float_model(options.model);
  const auto source = open_samples(options.data, model.graph());
  check_one_file(options.output, options.external_data, [&] { return least_written_bytes(model, {}, {}, true); });
  const ReferenceOutputs reference = keep_outputs(model, *source, source->size(), options.run);
  CastReport report;
  report.bytes_before = model.byte_size();
  const ModelFacts facts = facts_of(model);
  report.floats = cast_nodes(model, options.type, *source, options.run);
  check_one_file(options.output, options.external_data, [&] { return model.byte_size(); });
  report.error = measure_closing_error(reference, model, *source, options.run).report;
  refuse_not_finite(*report.error, report.floats.type);
  report.coverage = coverage_of(model, read_first_inputs(*source, options.run), options);
  if (options.io == IoType::Same) apply_patch(model, narrow_io(model.graph(), float_format(options.type).type).patch);
  write_provenance(model, origin_of_cast(model, options, source->size()));
  check_onnx_rules(model.graph(), options.output, facts.faults, *options.run.reporter);
  write_model(model, options.output, write_options(options.overwrite, options.external_data));
  report.floats.casts = casts_added(model.graph(), facts);
  report.coverage.casts = static_cast<int64_t>(report.floats.casts);
  report.model = options.model.string();
  report.output = options.output.string();
  report.samples = source->size();
  report.bytes_after = model.byte_size();
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
