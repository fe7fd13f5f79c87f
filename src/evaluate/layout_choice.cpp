#include "evaluate/layout_choice.h"

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "detent/base/error.h"

namespace detent {

namespace {

std::optional<DetectionForm> form_named(const std::string& name) {
  if (name.empty() || name == "auto" || name == "none") return std::nullopt;
  const auto found = std::ranges::find(kDetectionForms, name, &DetectionFormName::name);
  if (found == kDetectionForms.end())
    throw Error(ErrorCode::InvalidOption, "--detections " + name + ": there is no such form",
                "auto, none, " + join(kDetectionForms, ", ", &DetectionFormName::name));
  return found->form;
}

}  // namespace

LayoutChoice::LayoutChoice(const std::string& word, std::optional<DetectionLayout> recognized)
    : form_(form_named(word)), recognized_(std::move(recognized)) {}

std::optional<DetectionLayout> LayoutChoice::of(std::span<const std::string> names,
                                                std::span<const Tensor> outputs) const {
  if (!form_ || (recognized_ && recognized_->form == *form_)) return recognized_;
  std::vector<NamedShape> shapes;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i].empty_handle() && !outputs[i].is_sequence()) shapes.push_back({names[i], outputs[i].shape()});
  return layout_of_form(*form_, shapes);
}

}  // namespace detent
