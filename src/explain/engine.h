#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace detent {

/// A tensor that a layer of an engine reads or writes.
struct EngineTensor {
  std::string name;
  std::string format;   ///< layout and type in the engine's words: "Row major linear FP32", "Half"; may be empty
  double elements = 0;  ///< 0 where the file does not tell them, or leaves an extent open
};

/// A layer of an engine, as its file describes it. Texts that the file lacks are empty.
struct EngineLayer {
  std::string name;
  std::string type = {};      ///< "CaskConvolution", "kgen"; of ONNX Runtime the operator
  std::string origin = {};    ///< of a Reformat: "REFORMAT", "QDQ", "CONCAT", "SLICE", "CAST"
  std::string tactic = {};    ///< name of the kernel
  std::string unit = {};      ///< of the chip, that runs it: "NPU", "CPU"
  std::string weights = {};   ///< type of the weights: "Int8", "Half"
  std::string metadata = {};  ///< "[ONNX Layer: a]\x1e[ONNX Layer: b]"
  std::vector<EngineTensor> inputs = {}, outputs = {};
  std::optional<double> ms = {};  ///< mean time of one run
};

/// An engine, as its file describes it.
struct BuiltEngine {
  std::string form;  ///< as in ExplainReport::form
  std::vector<EngineLayer> layers;
  std::vector<std::string> bindings = {};  ///< names of the network's inputs and outputs; may be empty
  bool strongly_typed = false;             ///< of TensorRT 11 or later, which has no option for precision
};

}  // namespace detent
