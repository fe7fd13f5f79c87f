#include "pipeline/quantize_report.h"

#include "model/same_content.h"
#include "pipeline/plan_report.h"
#include "run/workers.h"

namespace detent {

RewriteOptions rewrite_options(const FormatOptions& format, const PlacementOptions& placement, const Target& target) {
  RewriteOptions options;
  options.activation = target.activation;
  if (format.uint8_activations) {
    const DataType wanted = *format.uint8_activations ? DataType::UInt8 : DataType::Int8;
    if (target.activation_type_fixed && wanted != target.activation.type)
      throw Error(ErrorCode::InvalidOption,
                  target.spec() + " takes " + std::string(name_of(target.activation.type)) + " activations only");
    options.activation.type = wanted;
  }
  options.activation.full_range = format.full_range;
  options.weight_bits = format.weight_bits;
  options.weight_range = format.weight_range == FormatOptions::WeightRange::Mse ? WeightRange::Mse : WeightRange::Max;
  options.per_tensor_weights = format.per_tensor;
  options.int8_weights = format.int8_weights.value_or(target.int8_weight_initializer);
  options.half_scales = prepare_options(placement).half_scales;
  options.int32_bias = format.int32_bias.value_or(target.int32_bias);
  if (options.int32_bias && target.engine == Engine::TensorRT)
    throw Error(ErrorCode::InvalidOption, target.spec() + " takes float biases only: it has no INT32 DequantizeLinear");
  return options;
}

std::vector<Tensor> read_first_inputs(const DataSource& source, const Graph& graph, const RunSettings& settings) {
  const auto batch = static_cast<size_t>(fixed_batch(graph));
  std::vector<Sample> samples;
  for (size_t i = 0; i < source.size() && samples.size() < batch; ++i) {
    try {
      samples.push_back(source.read(i));
    } catch (const Error& error) {
      if (!settings.skip_bad_data || error.code() != ErrorCode::InvalidData) throw;
    }
  }
  if (samples.empty()) throw Error(ErrorCode::InvalidData, "no sample of the data could be read");
  while (samples.size() < batch) samples.push_back(samples.back());
  return stack_samples(std::move(samples));
}

QuantizeReport start_report(const QuantizeOptions& options, const ModelFacts& original, const Preparation& preparation,
                            const PlacementPlan& plan, const Graph& graph, const Calibration& calibration) {
  QuantizeReport report;
  report.model = options.model.string();
  report.output = options.output.string();
  report.target = plan.target->spec();
  report.calibrator = options.calibrator;
  report.table = options.table.string();
  report.opset = preparation.opset_before;
  report.nodes = original.nodes;
  report.model_bytes = original.bytes;
  report.samples = calibration.samples;
  report.skipped_samples = calibration.skipped;
  report.calibration_seconds = calibration.seconds;
  report.threads = worker_count(options.run);
  report.plan = describe_plan(plan, graph, report.model, original, preparation.folded_batchnorms);
  report.notes = plan.notes;
  return report;
}

void add_values(QuantizeReport& report, const Graph& graph, const Rewrite& rewrite) {
  for (const QuantizedValue& value : rewrite.values) {
    const bool symmetric = value.qparams.type == DataType::Int8;
    const Range range = symmetric ? Range{-value.range.amax(), value.range.amax()} : value.range;
    report.values.push_back({graph.value(value.value).name, range.min, range.max, symmetric,
                             value.qparams.scale.front(), value.qparams.zero_point.front(),
                             value.scale_group >= 0 ? std::optional<int>(value.scale_group) : std::nullopt});
  }
  report.notes.insert(report.notes.end(), rewrite.warnings.begin(), rewrite.warnings.end());
}

void add_measurement(QuantizeReport& report, CalibratorMeasurement measurement) {
  report.calibrator = measurement.candidates.at(measurement.winner).calibrator;
  report.measured = std::move(measurement);
}

void finish_report(QuantizeReport& report, const QuantizeOptions& options, const Model& written, double seconds) {
  report.written_opset = written.graph().opset();
  report.output_bytes = std::filesystem::file_size(options.output);
  report.seconds = seconds;
  report.peak_mb = peak_memory_mb();
}

void write_checked(const Model& model, const std::filesystem::path& path, bool overwrite, const PromisedFile& promised,
                   const QdqCheckOptions& check) {
  if (interrupted()) throw Error(ErrorCode::Interrupted, "interrupted");
  check_qdq_file(model.graph(), path, promised, check);  // before an older file is replaced
  write_model(model, path, {.overwrite = overwrite});
  try {
    const Model back = read_model(path);
    if (!same_content(model, back))
      throw Error(ErrorCode::Internal, path.string() + ": reads back different from what was written");
    check_qdq_file(back.graph(), path, promised, check);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    throw;
  }
}

}  // namespace detent
