#include "pipeline/half_setup.h"

#include "exec/find_shapes.h"
#include "half/half_model.h"

namespace detent {

FloatType float_type_of(const FormatOptions& format, const Target& target) {
  return format.float_type.value_or(target.float_type);
}

HalfSetup set_up_half(Model& model, const Model& reference, FloatType type, std::span<const Tensor> inputs,
                      const DataSource& source, const RunSettings& run) {
  HalfSetup half;
  half.format = float_format(type);
  half.float32 = std::make_shared<const Model>(reference.clone());
  half.reaches = measure_reaches(model.graph(), half.format, source, run);
  half.shapes = find_shapes(model.graph(), inputs);
  half.report = make_half(model, half.format, half.reaches, half.shapes);
  return half;
}

void repeat_half(Model& model, const HalfSetup& half) {
  static_cast<void>(make_half(model, half.format, half.reaches, half.shapes));
}

}  // namespace detent
