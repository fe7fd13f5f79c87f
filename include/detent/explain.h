#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"

namespace detent {

struct ExplainOptions {
  /// The engine's words about itself: TensorRT's layers, ONNX Runtime's profile or the log of Rockchip's compiler.
  std::filesystem::path layers;
  std::filesystem::path profile;  ///< TensorRT's times of the same engine; empty: shares count layers
  std::filesystem::path model;    ///< the ONNX file that the engine was built of; empty: nothing is predicted
  std::filesystem::path against;  ///< layers of another engine of the same network; may be empty
};

/// An engine: its layers, and what each became of the network.
struct ExplainReport {
  std::string file;   ///< path of the layers, as given
  std::string model;  ///< path of the ONNX file, as given; may be empty
  std::string form;   ///< "detailed", "names", "dumps", "log", "onnxruntime" or "rknn"

  struct Layer {
    std::string name, type;           ///< in the engine's words; the type is empty where the file has names only
    std::string unit;                 ///< of the chip, that runs it: "NPU", "CPU"; empty for other engines
    std::vector<std::string> nodes;   ///< ONNX nodes in it, as far as the file names them
    std::vector<std::string> inputs;  ///< type word of each tensor that it reads
    std::string arithmetic, output;   ///< type words: int8, fp16, fp32, fp8, bf16, other, unknown
    std::string kind;                 ///< "layer", "reformat", "quantize", "copy"; "none" costs nothing
    bool block = false;               ///< a part of the network that is compiled as one: of its nodes two are named
    std::optional<double> ms;         ///< mean time of one run; nothing without a profile
    std::optional<double> bytes;      ///< that it reads and writes; nothing where types or sizes are not known
    double share = 0;                 ///< of the engine's time, or of the layers that cost time; in [0, 1]
    std::string finding;      ///< kind of the cause: a word of the table in src/explain/advice.cpp; may be empty
    std::string cause, cure;  ///< why it costs time, or writes floats, and what helps; may be empty
    /// With `model`: "int8" or "float" for weighted layers, "quantize" or "folded" for quantizers; else empty.
    std::string predicted;
    bool right = true;             ///< whether that is so
    std::string predicted_output;  ///< with `model`: "int8" or "float" for INT8 layers, else empty
  };
  std::vector<Layer> layers;  ///< in the engine's order

  /// Shares of time with a profile, of layers without; they add to 1, or all are 0.
  struct Summary {
    double int8 = 0, fp16 = 0, fp32 = 0;  ///< layers of the network that compute in the type
    double other = 0;                     ///< layers that compute in another type, or in an unknown one
    double reformat = 0;                  ///< reformats, quantizers and copies
    double unexplained = 0;               ///< of them those without a cause, and layers of unknown arithmetic
    size_t reformats = 0, standalone_quantize = 0, copies = 0;
    std::optional<double> total_ms;  ///< sum over the layers; the GPU needs less
    bool estimated = false;          ///< times are a compiler's estimates
  };
  Summary summary;

  /// One reason why the engine is slow.
  struct Advice {
    std::string finding;          ///< kind of the causes
    std::string text;             ///< the reason in words
    std::string cure;             ///< what to do, for all of its layers; empty where nothing helps
    size_t layers = 0;            ///< number of layers that cost time for it
    double share = 0;             ///< their share, as in Layer
    std::optional<double> bytes;  ///< that they read and write, where all are known
  };
  std::vector<Advice> advice;  ///< the dearest first

  /// Predictions from the ONNX file, and what the engine has.
  struct Predictions {
    size_t layers = 0, right = 0;
    std::vector<std::string> missing;             ///< weighted nodes of the model that no layer names
    size_t outputs = 0, outputs_right = 0;        ///< INT8 layers predicted to write codes or floats; right ones
    size_t quantizers = 0, quantizers_right = 0;  ///< predicted to be layers by themselves; those that are
    std::vector<std::string> folded;              ///< nodes predicted to be layers by themselves that are none

    /// A node behind a Conv, predicted to be in its layer or not.
    struct Fusion {
      std::string node, conv;
      bool fused = false;  ///< predicted to be in the layer of the Conv
      bool right = true;
    };
    std::vector<Fusion> fusions;  ///< of nodes that the engine's file names; empty for ONNX Runtime

    /// A place where a reformat may stand: which type and layout a float layer takes is the builder's choice.
    struct ReformatPlace {
      std::string node, reason;
      size_t reformats = 0;  ///< that the engine has there
    };
    std::vector<ReformatPlace> reformat_places;
    size_t reformats_elsewhere = 0;

    /// An input of a Concat, predicted to be copied into the joint tensor.
    struct Copy {
      std::string concat, value, reason;
      bool right = true;
    };
    std::vector<Copy> copies;
  };
  std::optional<Predictions> predictions;

  /// A layer that another engine builds otherwise.
  struct Difference {
    std::vector<std::string> nodes;        ///< ONNX nodes of both
    std::string layer, other;              ///< names of the layers; several are joined by " | "
    std::string computes, other_computes;  ///< "int8 -> fp16"
    std::optional<double> ms, other_ms;
  };
  struct Against {
    std::string file;  ///< as given
    size_t layers = 0, same = 0;
    Summary summary;
    std::vector<Difference> differences;
  };
  std::optional<Against> against;
  std::vector<std::string> notes;
};

/// Reads what an engine said about its layers and explains it. Network without layers: InvalidData.
/// Errors  InvalidData for a file of another kind, or one that ends in the middle; InvalidModel for the ONNX file.
[[nodiscard]] DETENT_API ExplainReport explain_engine(const ExplainOptions& options);

}  // namespace detent
