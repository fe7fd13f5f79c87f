#include "place/rules/rule.h"

#include <array>

#include "place/rules/rules.h"

namespace detent {

std::span<const Rule> rule_list(Engine engine) {
  static const std::array tensorrt{
      rules::user_choice(),
      rules::measured_choice(),
      rules::small_layers(),
      rules::weighted_ops(),
      rules::deconvolution_activation(),
      rules::fused_activation(),
      rules::batch_norm(),
      rules::residual_add(),
      rules::attention_and_norms(),
      rules::pooling_and_elementwise(),
      rules::graph_outputs(),
      rules::known_ranges(),
      rules::commuting_ops(),
      rules::concat(),
  };
  static const std::array onnxruntime{
      rules::user_choice(),         rules::measured_choice(),     rules::integer_layers(), rules::float_deconvolution(),
      rules::integer_activations(), rules::integer_elementwise(), rules::integer_concat(), rules::integer_pooling(),
      rules::integer_copies(),      rules::known_ranges(),        rules::every_reader(),   rules::half_values(),
  };
  if (engine == Engine::TensorRT) return tensorrt;
  return onnxruntime;
}

}  // namespace detent
