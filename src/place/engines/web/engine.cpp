#include <array>

#include "place/engines/onnxruntime/rules.h"
#include "place/engines/web/browser.h"
#include "place/engines/web/rules.h"
#include "place/rules/rules.h"

namespace detent::web {
namespace {

constexpr std::string_view kFloatBetween =
    "ONNX Runtime's integer kernels take 8 bits only: it computes between 16-bit pairs in float, with the accuracy of "
    "the codes and without their speed";
constexpr std::array kTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8},
                            ActivationType{DataType::UInt16, kFloatBetween},
                            ActivationType{DataType::Int16, kFloatBetween}};

std::span<const Target> targets();

using namespace rules;
using namespace rules::onnxruntime;
using namespace rules::web;

// ONNX Runtime's own rules, whose graph passes and kernels it has, without the native kernels' O11.
constexpr std::array kRules{&kUserChoice,      &kMeasuredChoice,
                            &kSignalFrontEnd,  &kRuinedProducts,
                            &kResidualStream,  &kDecoding,
                            &kDynamicLstm,     &kDynamicProducts,
                            &kLayers,          &kFloatDeconvolution,
                            &kActivations,     &kElementwise,
                            &kConcat,          &kPooling,
                            &kCopies,          &kKnownRanges,
                            &kEveryReader,     &kPartlyAbsorbedClips,
                            &kHalfValues,      &kInt8Activations,
                            &kWideActivations, &kStates,
                            &kEmbeddings,      &kFloatWeights,
                            &kFasterKernels};

constexpr std::array kForms{OperatorForm::PlainGemm};

constexpr EngineDef kEngine = [] {
  EngineDef engine = browser_engine(Engine::Web, "ONNX Runtime Web", "onnxruntime",
                                    "src/place/RULES.md#rules-of-onnx-runtime-web", targets, kRules);
  engine.biases = BiasTypes::Int32OrFloat;
  engine.forms = std::span<const OperatorForm>(kForms);
  engine.half_bias_codes = true;
  engine.runs_qoperators = true;
  engine.gathers_codes = true;
  return engine;
}();

// The integer kernels of WebAssembly widen codes to 16 bits and add products in 32: nothing saturates, with or without
// relaxed SIMD.
constexpr std::array kTargets{browser_target(kEngine, "wasm", kTypes)};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::web
