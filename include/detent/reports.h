#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace detent {

/// What the commands have to tell, as plain values: rendered by src/report as text or JSON.

struct TensorInfo {
  std::string name;
  std::string type;            ///< "float", "int64" ...
  std::vector<int64_t> shape;  ///< -1 where open
};

struct ModelReport {
  std::string model;  ///< path as given
  int64_t ir = 0;
  std::map<std::string, int64_t> opset;  ///< by domain, "" for ai.onnx
  std::vector<TensorInfo> inputs, outputs;
  std::map<std::string, int64_t> operators;  ///< count by operator
  struct UnsupportedNode {
    std::string node, op, reason;
  };
  std::vector<UnsupportedNode> unsupported;
  int64_t parameters = 0;  ///< elements of all constants
  bool quantized = false;
};

struct CoverageReport {
  int64_t layers = 0, int8_layers = 0;
  int64_t macs = 0, int8_macs = 0;
  int64_t params = 0, int8_params = 0;
  int64_t activation_bytes = 0, int8_activation_bytes = 0;
  int64_t pairs = 0;
};

struct PlanReport {
  std::string model, target;
  int64_t opset = 0;
  size_t nodes = 0;
  size_t folded_batchnorms = 0;
  struct Layer {
    std::string name, op;
    bool int8 = false;
    std::string rule, reason;
    int64_t macs = 0, params = 0;
  };
  std::vector<Layer> layers;
  struct Edge {
    std::string value, consumer, op;
    int slot = 0;
    bool pair = false;
    std::optional<int> scale_group;
    std::string rule, reason;
  };
  std::vector<Edge> edges;
  std::vector<std::string> notes;
  size_t quantized_values = 0;
  size_t shared_scale_groups = 0;
  CoverageReport coverage;
  struct Equalizable {
    std::string family;               ///< "gate"
    std::vector<std::string> values;  ///< whose channels --equalize could even out; never empty
  };
  /// plan_model only; nullopt where open sizes leave it unknown, which a note then says.
  std::optional<std::vector<Equalizable>> equalizable;
};

/// What is found in a finished Q/DQ model.
struct LintReport {
  PlanReport plan;     ///< model, target, layers as the file runs them, coverage, notes; no edges
  std::string origin;  ///< "qdq", "qoperator", "float"
  struct Finding {
    std::string id, level, node, message, cure;
    double mac_share = 0;  ///< fraction of the model's MACs that it concerns; 0 when sizes are open
  };
  std::vector<Finding> findings;  ///< worst first
};

/// A kind of finding, for --help.
struct FindingInfo {
  std::string id, levels, summary;  ///< levels: "error", or "note on tensorrt, error on onnxruntime"
};

/// Error of one model's outputs against another's.
struct ErrorReport {
  size_t samples = 0;
  double sqnr_db = 0;                      ///< mean over float outputs of their SQNR
  double cosine = 0;                       ///< mean over float outputs
  std::optional<double> argmax_agreement;  ///< fraction; outputs with two or more channels
  std::optional<double> sign_agreement;    ///< fraction; outputs with one channel
  struct Output {
    std::string name;
    double sqnr_db = 0, cosine = 0;
  };
  std::vector<Output> outputs;
};

/// What --calibrator auto measured.
struct CalibratorMeasurement {
  struct Candidate {
    std::string calibrator;  ///< "percentile:99.9"
    double score_db = 0;     ///< mean over the float outputs of their SQNR, each within the resolution of a float
    ErrorReport error;       ///< against the float model
  };
  std::vector<Candidate> candidates;
  size_t winner = 0;  ///< index into candidates
  size_t samples = 0;
  double seconds = 0;
};

/// What --absorb-bias did.
struct AbsorbReport {
  struct Value {
    std::string name;  ///< what an activation writes
    size_t channels = 0, absorbed = 0;
    double amax_before = 0, amax_after = 0;  ///< of the whole value; 0: not measured
  };
  std::vector<Value> values;                            ///< some channel of which loses a constant, or would
  size_t activations = 0;                               ///< whose readers could make up for it; 0 also by a table
  std::optional<double> sqnr_before_db, sqnr_after_db;  ///< at the outputs, where it was measured
  bool kept = false;
  std::string note;    ///< why not, besides the SQNR
  size_t samples = 0;  ///< channels were measured on
  double seconds = 0;
};

/// What equalization did to a model before it was calibrated.
struct EqualizeReport {
  std::string requested;  ///< "auto", "gate,relu" ...; "off"; with ", by the table" where a calibration table said it
  struct Family {
    std::string name;               ///< "gate"
    double alpha = 0.5;             ///< exponent of the activations' share
    size_t groups = 0, values = 0;  ///< that can be equalized
    bool kept = false;
    std::optional<double> gain_db;  ///< of the output SQNR on top of the families kept before it, where it was measured
  };
  std::vector<Family> families;  ///< in a fixed order; those without a group too
  struct Value {
    std::string name, family;
    size_t channels = 0;
    double imbalance_before = 1, imbalance_after = 1;  ///< largest over median of the channels' amax; 0: not measured
  };
  std::vector<Value> values;                            ///< those that are equalized and stored
  std::optional<double> sqnr_before_db, sqnr_after_db;  ///< at the outputs, on the samples that decided
  size_t samples = 0;
  double seconds = 0;
  std::vector<std::string> notes;
  std::optional<AbsorbReport> absorbed;  ///< before that; absent: --absorb-bias off
};

/// What --bias-correction did.
struct BiasCorrectionReport {
  size_t layers = 0;  ///< whose biases were corrected
  double sqnr_before_db = 0, sqnr_after_db = 0;
  bool kept = false;
  size_t samples = 0;
  double seconds = 0;
};

/// What `quantize --max-drop` or `--min-sqnr` did.
struct BoundReport {
  std::string bound;  ///< as typed: "--max-drop 0.01"
  bool met = false;
  std::string metric;                        ///< what the bound speaks of: "metric", "miou", "top1" or "sqnr_db"
  std::optional<double> fp32;                ///< of the float model; absent for "sqnr_db"
  double all_int8 = 0;                       ///< with nothing kept float
  double reached = 0;                        ///< by the written model
  double sqnr_db_all_int8 = 0, sqnr_db = 0;  ///< at the output
  struct Kept {
    std::string name, op;
    std::string reason;     ///< "INT8 costs 1.2 dB; --max-drop 0.01"
    bool weighted = true;   ///< a layer; false: an operator with pairs of its own
    double macs_share = 0;  ///< of the model's MACs that are float because of it, in [0, 1]
  };
  std::vector<Kept> kept;
  size_t samples = 0;       ///< of --eval
  size_t measurements = 0;  ///< quantized models that were run over all of them
  double seconds = 0;
};

struct QuantizeReport {
  std::string model, output, target;
  std::string table;       ///< where the ranges came from; empty: measured
  std::string calibrator;  ///< that gave the ranges: the winner of `measured` where that is set
  std::optional<CalibratorMeasurement> measured;
  int64_t opset = 0, written_opset = 0;
  size_t nodes = 0;
  uintmax_t model_bytes = 0, output_bytes = 0;
  size_t samples = 0, skipped_samples = 0;
  double calibration_seconds = 0, seconds = 0;
  double peak_mb = 0;
  size_t threads = 0;
  struct QuantizedValue {
    std::string name;
    double min = 0, max = 0;
    bool symmetric = true;
    double scale = 0;
    int32_t zero_point = 0;
    std::optional<int> group;
  };
  std::vector<QuantizedValue> values;
  std::optional<EqualizeReport> equalized;  ///< absent: --equalize off
  std::optional<BiasCorrectionReport> bias_correction;
  PlanReport plan;
  std::optional<BoundReport> bound;  ///< absent: none was asked for
  std::optional<ErrorReport> error;  ///< absent: not measured
  std::vector<std::string> notes;
};

/// What a calibration table holds.
struct TableReport {
  std::string table;  ///< path
  uintmax_t bytes = 0;
  std::string model_fingerprint;
  std::vector<std::string> tools, instruction_sets;
  std::string equalize;  ///< what was asked for; empty: nothing
  size_t equalized_values = 0;
  bool absorb_bias = false;  ///< was asked for
  size_t shifted_values = 0;
  std::vector<std::string> targets;  ///< empty: every value that any target could quantize
  std::vector<std::string> shards;   ///< "1/1", "2/4", "2/4 partial"
  bool partial = false;
  std::vector<std::string> samples;  ///< names, in the order of the table
  struct Value {
    std::string name;
    uint64_t count = 0, zeros = 0, nans = 0, infinities = 0;
    double min = 0, max = 0;
    int log2_width = 0;
    size_t bins_in_use = 0;
    std::optional<double> scale;  ///< imported: nothing else is known
  };
  std::vector<Value> values;
  std::optional<double> seconds;  ///< of the pass that made it
  size_t skipped_samples = 0;
};

/// The histogram of a value in few rows of equal width.
struct DistributionReport {
  TableReport::Value value;
  struct Row {
    double low = 0, high = 0;  ///< [low, high) right of 0, (low, high] left of it
    uint64_t count = 0;
  };
  std::vector<Row> rows;  ///< ascending; zeros are in none
};

struct CacheImportReport {
  std::string cache, output;
  std::string version_line;  ///< "TRT-8601-EntropyCalibration2"
  size_t imported = 0;
  std::vector<std::string> unknown;        ///< names in the cache that the model has no value for
  std::vector<std::string> without_scale;  ///< in the cache with scale 0
  std::string target;
  std::vector<std::string> missing;  ///< values that the target's default placement quantizes and the cache lacks
};

struct VerifyReport {
  struct Line {
    std::string folder, model;
    enum class Outcome { Passed, Failed, Unsupported } outcome = Outcome::Passed;
    std::string detail;
    std::vector<std::string> operators;  ///< at fault: those that cannot run, or that of the first wrong output
    double worst_relative_error = 0;     ///< largest |a-b| / largest |expected|, over all data sets and outputs
  };
  std::vector<Line> lines;
  size_t passed = 0, failed = 0, unsupported = 0;
};

/// Where a run's time went, in milliseconds a sample on one worker.
struct ProfileReport {
  struct Line {
    std::string node, op;  ///< "Conv + Relu" where the Relu was fused into the Conv
    double ms = 0;
  };
  std::vector<Line> nodes;  ///< in execution order
  size_t samples = 0;
  double total_ms = 0;
  /// A calibration pass over the same samples: the values that are quantized for the default target.
  struct Collecting {
    std::string target;
    size_t values = 0;
    double total_ms = 0, collector_ms = 0;
  };
  std::optional<Collecting> collecting;  ///< absent for a model that is quantized already
};

struct RunReport {
  std::string model;
  size_t samples = 0, skipped_samples = 0;
  double seconds = 0;
  std::vector<std::filesystem::path> written;
  std::optional<ProfileReport> profile;
};

}  // namespace detent
