#pragma once

#include "place/draft/draft.h"
#include "place/rules/rule.h"

/// Every rule, one file each. rule_list.cpp has the rules of each engine and their order.
namespace detent::rules {

Rule user_choice();
Rule measured_choice();
Rule signal_front_end();
Rule residual_stream();
Rule decoding();
Rule known_ranges();
Rule states();

namespace tensorrt {
Rule weighted_ops();
Rule fused_activation();
Rule tensorrt_fused_activation();  ///< also names what TensorRT does not fuse
Rule batch_norm();
Rule residual_add();
Rule concat();
Rule deconvolution_activation();
Rule commuting_ops();
Rule pooling_and_elementwise();
Rule attention_and_norms();
Rule small_layers();
Rule graph_outputs();
Rule fp8_layers();
Rule fused_attention();
}  // namespace tensorrt

namespace onnxruntime {
Rule layers();
Rule activations();
Rule elementwise();
Rule concat();
Rule pooling();
Rule copies();
Rule float_deconvolution();
Rule every_reader();
Rule partly_absorbed_clips();
Rule half_values();
Rule int8_activations();
Rule few_channels();
Rule wide_activations();
}  // namespace onnxruntime

namespace dla {
Rule layers();
Rule scales();
}  // namespace dla

namespace openvino {
Rule elementwise();
Rule copies();
Rule symmetric();
}  // namespace openvino

namespace qnn {
Rule node_units();
Rule one_encoding();
Rule fixed_encodings();
Rule norms();
Rule islands();
Rule masks();
Rule masked_scores();
Rule float_islands();
}  // namespace qnn

}  // namespace detent::rules
