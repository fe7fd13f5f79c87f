#include "ops/signature.h"

#include <algorithm>

namespace detent {

namespace {

const Parameter* parameter_at(const std::vector<Parameter>& parameters, size_t slot) {
  if (slot < parameters.size()) return &parameters[slot];
  return !parameters.empty() && parameters.back().repeats() ? &parameters.back() : nullptr;
}

}  // namespace

std::string TypeSet::text() const {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < 64; ++i)
    if (const auto type = static_cast<DataType>(i); contains(type))
      names.push_back(type == DataType::Sequence ? "a sequence" : name_of(type));
  std::string joined;
  for (size_t i = 0; i < names.size(); ++i)
    joined += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  return joined;
}

const Parameter* Signature::input(size_t slot) const { return parameter_at(inputs, slot); }

const Parameter* Signature::output(size_t slot) const { return parameter_at(outputs, slot); }

bool Signature::same_form(const Signature& other) const {
  const auto same = [](const Parameter& a, const Parameter& b) { return a.name == b.name && a.presence == b.presence; };
  return std::ranges::equal(inputs, other.inputs, same) && std::ranges::equal(outputs, other.outputs, same) &&
         std::ranges::is_permutation(attributes, other.attributes);
}

}  // namespace detent
