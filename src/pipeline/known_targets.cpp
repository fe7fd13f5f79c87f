#include "datasets/sample_request.h"
#include "detent/options/float_types.h"
#include "detent/plan.h"
#include "pipeline/parts/chosen.h"
#include "place/engines/target.h"

namespace detent {

namespace {

/// Returns the types of codes that a target takes, its default first.
std::vector<std::string> activations_of(const Target& target) {
  std::vector<std::string> names{std::string(name_of(target.activation->type))};
  for (const ActivationType& one : *target.activation_types)
    if (one.type != target.activation->type) names.emplace_back(name_of(one.type));
  if (target.engine.runs_qoperators) names.emplace_back("dynamic");
  if (target.takes_fp8()) names.emplace_back(option_name_of(CodeType::Fp8));
  return names;
}

std::vector<std::string> biases_of(BiasTypes types) {
  switch (types) {
    case BiasTypes::FloatOnly: return {"float"};
    case BiasTypes::FloatOrInt32: return {"float", "int32"};
    case BiasTypes::Int32OrFloat: return {"int32", "float"};
  }
  return {};
}

}  // namespace

std::vector<TargetInfo> known_targets() {
  std::vector<TargetInfo> infos;
  for (const Target& target : target_list()) {
    const EngineDef& engine = target.engine;
    infos.push_back({.spec = target.spec(),
                     .name = std::string(*engine.name),
                     .title = std::string(*engine.title),
                     .is_default = &find_target(*engine.name) == &target,
                     .activations = activations_of(target),
                     .biases = biases_of(engine.biases),
                     .float_type = std::string(name_of(*target.float_type)),
                     .takes_pairs = engine.takes_pairs,
                     .page = std::string(*engine.page)});
  }
  return infos;
}

void check_name(NameKind kind, const std::string& text) {
  switch (kind) {
    case NameKind::Target: static_cast<void>(find_target(text)); break;
    case NameKind::Calibrator: static_cast<void>(named_calibrator(text)); break;
    case NameKind::Preprocessing: static_cast<void>(parse_any_preprocess(text)); break;
  }
}

}  // namespace detent
