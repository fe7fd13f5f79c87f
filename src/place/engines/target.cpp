#include "place/engines/target.h"

#include <algorithm>
#include <vector>

#include "core/text.h"

namespace detent {

bool ParserFacts::reads(std::string_view op_type) const {
  return operators.empty() || operators.find(" " + std::string(op_type) + " ") != std::string_view::npos;
}

int64_t Target::newest_opset() const { return parser.newest_opset > 0 ? parser.newest_opset : *engine.newest_opset; }

std::string Target::spec() const {
  const std::string name(engine.name);
  if (!variant->empty()) return name + ":" + std::string(variant);
  return name + ":" + std::to_string(version_major) + "." + std::to_string(version_minor);
}

const AttentionKernel* Target::find_attention(AttentionKernel::Type type) const {
  const auto found = std::ranges::find(*attention_kernels, type, &AttentionKernel::type);
  return found == attention_kernels->end() ? nullptr : &*found;
}

const ActivationType* Target::find_activation(DataType type) const {
  const auto found = std::ranges::find(*activation_types, type, &ActivationType::type);
  return found == activation_types->end() ? nullptr : &*found;
}

bool Target::has_wide_islands() const {
  const DataType wide = code_format(activation->type).wide;
  return engine.whole_graph && find_activation(wide) && wide != activation->type;
}

std::string Target::activation_names() const {
  return join(*activation_types, ", ", [](const ActivationType& one) { return std::string(name_of(one.type)); });
}

void check_takes_pairs(const Target& target) {
  if (!target.engine.takes_pairs)
    throw Error(ErrorCode::InvalidOption, target.spec() + " takes no pairs, but a float model with a calibration cache",
                "`detent quantize --target " + target.spec() + "` writes both from the float model");
}

std::span<const Target> target_list() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> all;
    for (const EngineDef* engine : engine_list())
      for (const Target& target : engine->targets()) all.push_back(target);
    return all;
  }();
  return targets;
}

const Target& default_target() { return target_list().front(); }

}  // namespace detent
