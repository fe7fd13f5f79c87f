#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/options/accuracy_bound.h"
#include "detent/options/external_data.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/options/weight_format.h"
#include "detent/reports/error_report.h"
#include "detent/reports/provenance.h"

namespace detent {

/// Options of `detent quantize-weights`.
struct QuantizeWeightsOptions {
  std::filesystem::path model, output;
  WeightFormat format;
  DataOptions data;  ///< without sources: codes are the nearest ones, and the error is not measured
  /// How much the codes may cost; layers stay float until it holds. Its samples are those that the error is measured
  /// on, without a bound too; without sources: `data`.
  AccuracyBound bound;
  std::string target = "tensorrt";
  PlacementOptions placement;  ///< include and exclude alone count, of readers of tables exclude
  RunSettings run;
  bool overwrite = false;
  ExternalData external_data = ExternalData::Auto;
  size_t error_samples = 16;  ///< of `data` that the closing error is measured on
};

struct QuantizeWeightsReport {
  std::string model, output, target;
  WeightFormat format;
  int64_t opset = 0, written_opset = 0;
  struct Layer {
    std::string name, op;
    bool quantized = false;
    std::string reason;    ///< in words, never empty
    int64_t elements = 0;  ///< of the weight
    double sqnr_db = 0;    ///< of the weight behind its codes against the float one; infinite where they are equal
  };
  std::vector<Layer> layers;  ///< every weighted operator, in execution order
  /// A constant that no layer multiplies by: an embedding table, positions, a mask. Small ones, and those that codes
  /// would round where that is not known to be harmless, are not among them.
  struct Table {
    std::string name, op;  ///< of the constant, and the operator of its first reader
    bool quantized = false;
    std::string reason;  ///< in words, never empty
    int64_t elements = 0;
    double sqnr_db = 0;        ///< behind its codes against the float one; infinite where they are equal
    uint64_t bytes = 0;        ///< of codes and scales; 0 where it stays float
    uint64_t float_bytes = 0;  ///< of the constant in the float model
  };
  std::vector<Table> tables;  ///< in the order of their readers
  size_t rearranged = 0;      ///< weights that were transposed, or read past a Transpose, into the form engines take
  uint64_t weight_bytes = 0;  ///< of the quantized weights, codes and scales
  uint64_t float_weight_bytes = 0;  ///< of the same weights in the float model, in its types
  /// Codes chosen by what the layers read, beside the nearest ones; `samples` are those whose inputs were taken.
  /// Absent: no data.
  struct Rounding : MeasuredChange {
    size_t layers = 0;  ///< whose codes are others than the nearest ones
  };
  std::optional<Rounding> rounding;
  std::optional<BoundReport> bound;  ///< absent: none was asked for
  std::optional<ErrorReport> error;  ///< against the float model; absent: no data
  std::string error_source;
  VerdictReport verdict;
  uint64_t model_bytes = 0, output_bytes = 0;
  std::vector<std::string> notes;
  Provenance provenance;
  double seconds = 0, peak_mb = 0;
  size_t threads = 0;
};

/// Writes a model in which the weights of MatMul and Gemm are INT4 or INT8 codes behind a DequantizeLinear: for
/// networks whose time goes into reading weights. Embedding tables, positions and masks of 1024 numbers and more become
/// INT8 codes; excluding their readers leaves them float.
///
/// Scales lose least in sum (w - w')^2 of the block. With data, codes are those that keep the layers' outputs (GPTQ),
/// where that makes the outputs of samples beside them better. With a bound, layers whose codes cost most stay float
/// until it holds, as keep_layers_float says; where it cannot, the best is written. Layers whose weight no engine takes
/// in this form stay float, each with its reason.
/// Output   the file at `output`, whole or not at all; the same input
/// gives the same bytes whatever the threads.
/// Errors   those of quantize_model, of its bound too; InvalidOption for a
/// block that is none of the above.
[[nodiscard]] DETENT_API QuantizeWeightsReport quantize_weights(const QuantizeWeightsOptions& options);

}  // namespace detent
