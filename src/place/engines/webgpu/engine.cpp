#include <array>

#include "place/engines/web/browser.h"
#include "place/engines/webgpu/rules.h"
#include "place/rules/rules.h"

namespace detent::webgpu {
namespace {

constexpr std::array kTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8}};

std::span<const Target> targets();

using namespace rules;
using namespace rules::webgpu;

constexpr std::array kRules{&kUserChoice, &kMeasuredChoice, &kFloatKernels, &kFloatWeights};

constexpr EngineDef kEngine = [] {
  EngineDef engine =
      browser_engine(Engine::WebGpu, "WebGPU", "webgpu", "src/place/RULES.md#rules-of-webgpu", targets, kRules);
  engine.packs_products = true;
  return engine;
}();

constexpr std::array kTargets{browser_target(kEngine, "webgpu", kTypes)};

std::span<const Target> targets() { return kTargets; }

}  // namespace

const EngineDef& definition() { return kEngine; }

}  // namespace detent::webgpu
