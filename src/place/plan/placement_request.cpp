#include "place/plan/placement_request.h"

namespace detent {

PlacementRequest with_activation(PlacementRequest request, DataType type, const Target& target) {
  const bool wide = code_format(type).bits == 16;
  request.int8_activations = target.activation->type == DataType::UInt8 && type == DataType::Int8;
  request.int16_activations = type == DataType::Int16;
  if (wide) request.type = CodeType::A16W8;
  if (wide || target.engine.float32_scales) request.scales = PlacementOptions::Scales::Fp32;
  return request;
}

}  // namespace detent
