#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detent/explain.h"
#include "explain/engine.h"
#include "explain/engine_view.h"

namespace detent {

/// A remedy, with the command that applies it.
struct Cure {
  std::string text;         ///< empty where nothing has to be done
  std::string option = {};  ///< "--include" or "--exclude" where the command is a quantize with it
  std::string node = {};    ///< the node that the option names
  std::string reason = {};  ///< what stands in front of the command: "leave it float: "
};

/// The reason why a layer costs time or writes floats, and what helps.
struct Cause {
  std::string_view finding;  ///< its kind, a word of ExplainReport::Layer::finding
  std::string cause;
  Cure cure = {};
};

/// Kinds of causes.
namespace findings {
inline constexpr std::string_view kNoInt8Kernel = "no_int8_kernel", kFloatShortcut = "float_shortcut",
                                  kFloatReader = "float_reader", kFloatOperator = "float_operator",
                                  kPairInFrontOfAdd = "pair_in_front_of_add", kConstant = "constant",
                                  kTypeChange = "type_change", kLayoutChange = "layout_change",
                                  kConcatCopy = "concat_copy", kMovement = "movement", kBorder = "network_border",
                                  kNamesOnly = "names_only", kBlock = "block", kOnCpu = "on_cpu",
                                  kNoPairAround = "no_pair_around";
}  // namespace findings

/// The cure of files that another tool wrote. It does not help a file that Detent wrote: repair places pairs as
/// quantize does.
inline constexpr const char* kRepair =
    "in a file of another tool, detent repair MODEL.onnx -o OUT.onnx --target tensorrt adds the missing pair";
inline constexpr const char* kRemovePair =
    "detent repair MODEL.onnx -o OUT.onnx --target tensorrt removes the pair and puts one on the shortcut";
inline constexpr const char* kDetailed = "trtexec --profilingVerbosity=detailed tells more";

/// Returns the nodes that a layer computes in words, or its name.
[[nodiscard]] std::string title_of(const ExplainReport::Layer& layer);

/// Returns the type word of the first tensor; "unknown" without one.
[[nodiscard]] std::string first_type(const std::vector<EngineTensor>& tensors);

/// Returns why a layer of TensorRT computes in floats whatever pairs stand around it; "" for others.
[[nodiscard]] std::string why_always_float(const EngineView& view, size_t index);
/// Returns the cure of a layer that computes in floats: a pair in front of it. Empty where that does not help.
[[nodiscard]] Cure cure_of_float(const EngineView& view, size_t index);
/// Returns the cure of an Add that reads its shortcut as floats.
[[nodiscard]] Cure cure_of_shortcut(const ExplainReport::Layer& layer);
/// Returns the cure of changes between two types of floats.
[[nodiscard]] Cure cure_of_float_types(const EngineView& view);
/// Returns the cure of a reformat of the network's input or output.
[[nodiscard]] Cure cure_of_border(const EngineView& view, bool input);
/// Returns the cure of a layer that stays float whatever pairs it has.
[[nodiscard]] Cure leave_float(const ExplainReport::Layer& layer);

/// Returns the cure in words. `node` is a name or pattern that the option takes, without quotes.
[[nodiscard]] Cure option_cure(std::string reason, std::string option, std::string node, const std::string& end);

}  // namespace detent
