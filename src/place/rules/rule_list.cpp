#include "place/rules/rule_list.h"

#include <array>

#include "place/rules/rules.h"

namespace detent {
namespace {

std::span<const Rule> tensorrt_rules() {
  using namespace rules::tensorrt;
  static const std::array list{
      rules::user_choice(),
      rules::measured_choice(),
      rules::signal_front_end(),
      rules::residual_stream(),
      rules::decoding(),
      small_layers(),
      weighted_ops(),
      deconvolution_activation(),
      tensorrt_fused_activation(),
      batch_norm(),
      residual_add(),
      fp8_layers(),
      fused_attention(),
      attention_and_norms(),
      pooling_and_elementwise(),
      graph_outputs(),
      rules::known_ranges(),
      commuting_ops(),
      concat(),
      rules::states(),
  };
  return list;
}

std::span<const Rule> onnxruntime_rules() {
  using namespace rules::onnxruntime;
  static const std::array list{
      rules::user_choice(),
      rules::measured_choice(),
      rules::signal_front_end(),
      rules::residual_stream(),
      rules::decoding(),
      few_channels(),
      layers(),
      float_deconvolution(),
      activations(),
      elementwise(),
      concat(),
      pooling(),
      copies(),
      rules::known_ranges(),
      every_reader(),
      partly_absorbed_clips(),
      half_values(),
      int8_activations(),
      wide_activations(),
      rules::states(),
  };
  return list;
}

std::span<const Rule> openvino_rules() {
  using namespace rules;
  static const std::array list{
      user_choice(),
      measured_choice(),
      signal_front_end(),
      residual_stream(),
      decoding(),
      tensorrt::weighted_ops(),
      tensorrt::fused_activation(),
      tensorrt::batch_norm(),
      tensorrt::attention_and_norms(),
      openvino::elementwise(),
      tensorrt::graph_outputs(),
      known_ranges(),
      openvino::symmetric(),
      openvino::copies(),
      states(),
  };
  return list;
}

std::span<const Rule> dla_rules() {
  static const std::array list{
      rules::user_choice(), rules::measured_choice(), rules::decoding(),
      rules::dla::layers(), rules::known_ranges(),    rules::dla::scales(),
  };
  return list;
}

std::span<const Rule> qnn_rules() {
  using namespace rules::qnn;
  static const std::array list{
      rules::user_choice(), rules::measured_choice(), node_units(), norms(),         one_encoding(),  islands(),
      fixed_encodings(),    rules::known_ranges(),    masks(),      masked_scores(), float_islands(), rules::states(),
  };
  return list;
}

}  // namespace

std::span<const Rule> rule_list(Engine engine) {
  switch (engine) {
    case Engine::TensorRT: return tensorrt_rules();
    case Engine::OnnxRuntime: return onnxruntime_rules();
    case Engine::OpenVino: return openvino_rules();
    case Engine::Dla: return dla_rules();
    case Engine::Qnn: return qnn_rules();
  }
  return {};
}

}  // namespace detent
