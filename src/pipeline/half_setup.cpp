#include "pipeline/half_setup.h"

#include <utility>

#include "half/half_model.h"
#include "prepare/prepare_model.h"

namespace detent {

namespace {

/// Through the Casts that make the value, or, for what became an output's source, through the Cast that reads it.
ValueId value_before(const Graph& half, const Graph& before, ValueId value) {
  for (ValueId from = value; from != kNoValue && !half.value(from).is_constant;) {
    if (const ValueId same = before.find_value(half.value(from).name); same != kNoValue) return same;
    const Node* producer = half.producer(from);
    if (!producer || producer->op_type != "Cast") break;
    from = producer->input(0);
  }
  for (const Use& use : half.value(value).uses) {
    if (use.slot < 0 || half.node(use.node).op_type != "Cast") continue;
    const ValueId cast = before.find_value(half.value(half.node(use.node).output(0)).name);
    if (cast != kNoValue) return cast;
  }
  return kNoValue;
}

}  // namespace

FloatType float_type_of(const FormatOptions& format, const Target& target) {
  return format.float_type.value_or(target.float_type);
}

HalfSetup set_up_half(Model& model, const Model& reference, FloatType type, ValueReaches reaches) {
  HalfSetup half;
  half.format = float_format(type);
  half.reaches = std::move(reaches);
  half.before = std::make_shared<const Model>(model.clone());
  half.float32 = &reference == &model ? half.before : std::make_shared<const Model>(reference.clone());
  half.report = make_half(model, half.format, half.reaches);
  return half;
}

std::map<ValueId, ValueId> values_before(const Graph& half, const Graph& before, std::span<const ValueId> values) {
  std::map<ValueId, ValueId> found;
  for (const ValueId value : values)
    if (const ValueId carried = value_before(half, before, value); carried != kNoValue) found[value] = carried;
  return found;
}

FloatReport cast_nodes(Model& model, FloatType type, const DataSource& source, const RunSettings& run) {
  raise_for(type, model);
  return make_half(model, float_format(type), measure_reaches(model.graph(), source, run));
}

void repeat_half(Model& model, const HalfSetup& half) {
  static_cast<void>(make_half(model, half.format, half.reaches, half.forced));
}

}  // namespace detent
