#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/input_check.h"
#include "detent/reports/output_report.h"
#include "detent/reports/provenance.h"
#include "detent/reports/table_report.h"

namespace detent {

struct TensorInfo {
  std::string name;
  std::string type;                          ///< "float", "int64" ...
  std::vector<int64_t> shape;                ///< -1 where open
  bool has_shape = true;                     ///< the model declares a shape; [] is then a scalar
  std::optional<OutputReport> meaning = {};  ///< of an output, by the graph; absent: of an input
};

struct ModelReport {
  std::string model;  ///< path as given
  int64_t ir = 0;
  std::map<std::string, int64_t> opset;  ///< by domain, "" for ai.onnx
  std::vector<TensorInfo> inputs, outputs;
  std::string detections;                    ///< how outputs hold a detector's boxes and scores; empty: not recognized
  std::map<std::string, int64_t> operators;  ///< number of nodes by operator, after the expansion
  std::map<std::string, int64_t> expanded;   ///< ONNX Runtime's own operators that were expanded: number of nodes
  struct UnsupportedNode {
    std::string node, op, reason;
  };
  std::vector<UnsupportedNode> unsupported;
  /// Number of nodes whose output is a float type ("float", "float16" ...), as far as types are known without running;
  /// without QuantizeLinear, DequantizeLinear, Cast and Constant.
  std::map<std::string, int64_t> float_nodes;
  int64_t float_casts = 0;  ///< Cast nodes from one float type to another
  int64_t parameters = 0;   ///< elements of all constants
  bool quantized = false;
  std::string producer;                              ///< "pytorch 2.1"; empty: the model names none
  std::optional<Provenance> provenance;              ///< absent: Detent did not write the model
  std::optional<InputCheckReport> input_check = {};  ///< absent: no data were given
};

/// Describes a model. One that may be a detector runs once on zeros, if it can, to be recognized by its shapes.
/// Operators that cannot run are part of the report, not an error.
/// data    samples to look at the float model on (ModelReport::input_check); nothing: the model alone
/// Errors  InvalidModel when the file is unreadable or no ONNX model; with data those of reading and running.
[[nodiscard]] DETENT_API ModelReport inspect_model(const std::filesystem::path& model, const DataOptions& data = {},
                                                   const RunSettings& run = {});

/// Histogram of a value in a few rows of equal width.
struct DistributionReport {
  std::string table;  ///< path as given
  TableReport::Value value;
  struct Row {
    double low = 0, high = 0;  ///< [low, high) above 0, (low, high] below
    uint64_t count = 0;
  };
  std::vector<Row> rows;  ///< ascending; zeros are not counted
  /// Every bin, 2^w wide with w = `value.log2_width`, from 0 outwards; the last one of each side is not empty.
  std::vector<uint64_t> negative, positive;
};

/// Describes a calibration table.
/// Errors  InvalidData when the file is not a table or is damaged.
[[nodiscard]] DETENT_API TableReport inspect_table(const std::filesystem::path& table);
/// Describes the distribution of one value of a table.
/// Errors  InvalidOption when the table has no such value or only its scale; InvalidData as inspect_table.
[[nodiscard]] DETENT_API DistributionReport inspect_table_value(const std::filesystem::path& table,
                                                                const std::string& value);
/// Returns true when the file begins like a calibration table, false when it cannot be read.
[[nodiscard]] DETENT_API bool is_table(const std::filesystem::path& file);

}  // namespace detent
