#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace detent {

/// The choice between files that are accurate enough. Size and accuracy take no file that is slower than the float
/// model; where none is faster, accuracy takes the float model.
enum class LatencyPrefer : uint8_t { Speed, Accuracy, Size };

/// A command that measures how long an engine takes to run a model.
struct LatencyOptions {
  /// The name of a ready command (scripts/latency: "onnxruntime", "openvino", "trtexec", "qnn", "web"), also followed
  /// by options, or any other command for /bin/sh. It gets the path of an ONNX file as its last argument and prints
  /// milliseconds as the last line of stdout. Another exit status than 0 says that the engine does not take the file.
  /// Empty: nothing is measured.
  std::string command;
  std::filesystem::path table;  ///< JSON: read if it exists, extended and replaced; empty: none
  LatencyPrefer prefer = LatencyPrefer::Speed;
  double timeout_seconds = 600;  ///< of a call; its whole process group is ended then

  [[nodiscard]] bool given() const { return !command.empty(); }
};

}  // namespace detent
