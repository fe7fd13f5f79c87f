#include "place/rule_list.h"

#include <array>

#include "place/rules/rules.h"

namespace detent {

std::span<const Rule> rule_list(Engine engine) {
  static const std::array tensorrt{
      rules::user_choice(),
      rules::small_layers(),
      rules::weighted_ops(),
      rules::deconvolution_activation(),
      rules::fused_activation(),
      rules::batch_norm(),
      rules::residual_add(),
      rules::attention_and_norms(),
      rules::pooling_and_elementwise(),
      rules::graph_outputs(),
      rules::commuting_ops(),
      rules::concat(),
  };
  static const std::array onnxruntime{
      rules::user_choice(),
  };
  if (engine == Engine::TensorRT) return tensorrt;
  return onnxruntime;
}

}  // namespace detent
