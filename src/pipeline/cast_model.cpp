#include "detent/cast.h"

#include <cmath>
#include <filesystem>
#include <vector>

#include "core/atomic_file.h"
#include "core/stopwatch.h"
#include "detent/error.h"
#include "evaluate/closing_error.h"
#include "exec/find_shapes.h"
#include "half/half_model.h"
#include "half/narrow_io.h"
#include "model/graph_patch.h"
#include "prepare/raise_opset.h"
#include "prepare/read_model_to_run.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

/// Convolutions, pooling and others take BFloat16 from here on. Source: ONNX docs/Changelog.md, version 22.
constexpr int64_t kBFloat16Opset = 22;

/// Where it cannot be raised, those operators stay FP32 and say why.
void raise_for(DataType type, Model& model) {
  if (type != DataType::BFloat16 || model.graph().opset() >= kBFloat16Opset) return;
  try {
    raise_opset(model, kBFloat16Opset);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::Unsupported) throw;
  }
}

void refuse_nan(const ErrorReport& error, const std::string& type) {
  for (const auto& output : error.outputs)
    if (output.sqnr_db && std::isnan(*output.sqnr_db))
      throw Error(ErrorCode::Internal, "in " + type + " output '" + output.name +
                                           "' becomes NaN or Inf where FP32 is finite; the file was not written");
}

}  // namespace

CastReport cast_model(const CastModelOptions& options) {
  const Stopwatch stopwatch;
  if (options.type == FloatType::Fp32)
    throw Error(ErrorCode::Usage, "--float-type fp32 is what the model has", "fp16 or bf16");
  check_writable(options.output, options.overwrite);
  const FloatFormat format = float_format(options.type);
  Model model = read_float_model(options.model);
  const auto source = open_samples(options.data, model.graph());
  const ReferenceOutputs reference = keep_outputs(model, *source, source->size(), options.run);
  CastReport report;
  report.bytes_before = model.byte_size();
  raise_for(format.type, model);
  const std::vector<Tensor> inputs = read_first_inputs(*source, options.run);
  const ValueReaches reaches = measure_reaches(model.graph(), format, *source, options.run);
  report.floats = make_half(model, format, reaches, find_shapes(model.graph(), inputs));
  report.error = measure_closing_error(reference, model, *source, options.run).report;
  refuse_nan(*report.error, report.floats.type);
  if (options.io == IoType::Same) apply_patch(model, narrow_io(model.graph(), format.type).patch);
  write_model(model, options.output, {.overwrite = options.overwrite});
  report.model = options.model.string();
  report.output = options.output.string();
  report.samples = source->size();
  report.bytes_after = model.byte_size();
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
