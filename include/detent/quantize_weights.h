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
#include "detent/reports/bound_report.h"
#include "detent/reports/error_report.h"
#include "detent/reports/provenance.h"

namespace detent {

/// Options of `detent quantize-weights`.
struct QuantizeWeightsOptions {
  std::filesystem::path model, output;
  WeightFormat format;
  DataOptions data;  ///< without sources: codes are the nearest ones, and no error is measured
  /// Limit on the cost of the codes; layers stay float until it holds. The error is measured on its samples, also
  /// without a limit; without samples on `data`.
  AccuracyBound bound;
  std::string target = "tensorrt";
  NodeChoice nodes;  ///< to readers of tables only exclude applies
  RunSettings run;
  bool overwrite = false;
  ExternalData external_data = ExternalData::Auto;
  size_t error_samples = 16;  ///< limit of the samples from `data` for the final error
};

/// Result of quantize_weights().
struct QuantizeWeightsReport {
  std::string model, output, target;
  WeightFormat format;
  int64_t opset = 0, written_opset = 0;
  struct Layer {
    std::string name, op;
    bool quantized = false;
    std::string reason;    ///< never empty
    int64_t elements = 0;  ///< of the weight
    double sqnr_db = 0;    ///< of the quantized weight against the float one; infinite where they are equal
  };
  std::vector<Layer> layers;  ///< every weighted operator, in execution order
  /// A constant that no layer multiplies by: an embedding table, positions, a mask. Small constants, and those that
  /// rounding might harm, are not listed.
  struct Table {
    std::string name, op;  ///< name of the constant, and operator of its first reader
    bool quantized = false;
    std::string reason;  ///< never empty
    int64_t elements = 0;
    double sqnr_db = 0;        ///< of the quantized constant against the float one; infinite where they are equal
    uint64_t bytes = 0;        ///< of codes and scales; 0: it stays float, or takes its rows of a product's codes
    uint64_t float_bytes = 0;  ///< in the float model
  };
  std::vector<Table> tables;  ///< in the order of their first readers
  size_t rearranged = 0;  ///< weights that were transposed, or read past a Transpose, into the layout of the engines
  uint64_t weight_bytes = 0;        ///< of the quantized weights, with scales
  uint64_t float_weight_bytes = 0;  ///< of the same weights in the float model
  /// Codes that preserve the layers' outputs, measured against the nearest codes. Absent: no data.
  struct Rounding : MeasuredChange {
    size_t layers = 0;  ///< whose codes differ from the nearest ones
  };
  std::optional<Rounding> rounding;
  std::optional<BoundReport> bound;  ///< absent: none was asked for
  std::optional<ScoreReport> score;  ///< of the bound, or of the task that was given without one; absent: neither
  std::optional<ErrorReport> error;  ///< against the float model; absent: no data
  std::string error_source;
  VerdictReport verdict;
  uint64_t model_bytes = 0, output_bytes = 0;
  std::vector<std::string> notes;
  Provenance provenance;
  double seconds = 0, peak_mb = 0;
};

/// Writes a model in which the weights of MatMul and Gemm are INT4 or INT8 codes with a DequantizeLinear, for networks
/// that are limited by memory bandwidth. Embedding tables, positions and masks of at least 1024 elements become INT8;
/// excluding their readers keeps them float.
///
/// Scales minimize sum (w - w')^2 of their block. With data, codes preserve the layers' outputs (GPTQ), if that
/// improves the outputs of held-out samples. With a bound, the layers whose codes cost most stay float until it holds;
/// if it cannot be met, the best model is written. Layers whose weight no engine supports in this form stay float, with
/// the reason. Output   the file at `output`, complete or not at all; the same input gives the same bytes with any
/// threads. Errors   those of quantize_model, with a bound too; InvalidOption for an invalid block.
[[nodiscard]] DETENT_API QuantizeWeightsReport quantize_weights(const QuantizeWeightsOptions& options);

}  // namespace detent
