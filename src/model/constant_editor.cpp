#include "model/constant_editor.h"

namespace detent {

void ConstantEditor::replace(const Node& node, size_t slot, Tensor content, const std::string& wish) {
  if (const MaybeValue old = node.input(slot)) {
    const Value& value = graph_.value(*old);
    if (value.uses.size() == 1 && !value.is_output && graph_.constant(*old)->shape() == content.shape()) {
      patch_.replace_constants.emplace_back(value.name, std::move(content));
      return;
    }
  }
  const std::string added = names_.fresh(wish);
  patch_.add_initializers.emplace_back(added, std::move(content));
  patch_.rewire.push_back({node.name, static_cast<int>(slot), added});
}

GraphPatch ConstantEditor::take(const std::string& reason) {
  if (!patch_.empty()) patch_.reason = reason;
  return std::move(patch_);
}

}  // namespace detent
