#include "pipeline/sources.h"

#include "detent/error.h"
#include "model/fingerprint.h"
#include "prepare/prepare_model.h"
#include "pipeline/quantize_report.h"
#include "calibrate/from_table.h"
#include "run/workers.h"

namespace detent {

std::optional<CalibrationTable> open_table(const QuantizeOptions& options, const Model& model) {
  if (!options.table.empty()) return read_table_of(options.table, fingerprint(model).hex());
  if (options.data.sources.empty())
    throw Error(ErrorCode::Usage, "neither --data nor --table was given, so there is nothing to take ranges from");
  return std::nullopt;
}

std::unique_ptr<DataSource> open_source(const QuantizeOptions& options, const Graph& graph) {
  return options.data.sources.empty() ? nullptr : open_data(options.data, input_specs(graph));
}

std::vector<Tensor> made_up_inputs(const Graph& graph) {
  const DataOptions random{.sources = {"random:normal,n=" + std::to_string(std::max<int64_t>(1, fixed_batch(graph)))}};
  try {
    return read_first_inputs(*open_data(random, input_specs(graph)), graph, {});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidOption && error.code() != ErrorCode::Unsupported) throw;
    return {};
  }
}

}  // namespace detent
