#pragma once

#include <string>
#include <vector>

#include "detent/explain.h"
#include "explain/engine.h"

namespace detent {

/// The reason why a layer costs time or writes floats, and what helps.
struct Cause {
  std::string cause;
  std::string cure = {};  ///< empty where nothing has to be done
};

/// Cures. A cure names the command that does it.
inline constexpr const char* kRepair =
    "detent repair MODEL.onnx -o OUT.onnx --target tensorrt adds the missing pair; or detent quantize from the float "
    "model";
inline constexpr const char* kRemovePair =
    "detent repair MODEL.onnx -o OUT.onnx --target tensorrt removes the pair and puts one on the shortcut";
inline constexpr const char* kFloatAround =
    "give all floats one type: detent cast, or detent quantize --float-type fp16; trtexec --fp16 where types are weak";
inline constexpr const char* kInputFormat =
    "trtexec --inputIOFormats=fp16:chw (or int8, and the layout that the first layer reads) takes it away";
inline constexpr const char* kOutputFormat = "trtexec --outputIOFormats=fp16:chw (or the layout of the last layer)";

/// Returns the nodes that a layer computes in words, or its name.
[[nodiscard]] std::string title_of(const ExplainReport::Layer& layer);

/// Returns the type word of the first tensor; "unknown" without one.
[[nodiscard]] std::string first_type(const std::vector<EngineTensor>& tensors);
/// Returns the cure of a layer that computes in floats.
[[nodiscard]] std::string cure_of_float(const ExplainReport::Layer& layer);

}  // namespace detent
