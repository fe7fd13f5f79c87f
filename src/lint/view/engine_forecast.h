#pragma once

#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// Predictions of how TensorRT builds a file with or without pairs, as far as the file alone decides. Each follows
/// layers of real engines, which its function names.

/// A node that TensorRT computes inside the layer of a Conv, or in a layer behind it.
struct NodeFusion {
  std::string node, conv;
  bool fused = false;
};

/// Returns predictions for every Add, Relu, Clip, LeakyRelu and MaxPool right behind a Conv and its
/// BatchNormalization, in node order of the Convs.
///
/// * An activation is part of the Conv's layer.
/// * An Add is part of the last Conv that it reads without a pair between. With a pair on the Conv's output it is not.
/// * A MaxPool is part of the layer if the Conv reads codes of at most 4 channels and the pool's readers are
///   quantizers; it is not if a reader wants floats or the Conv computes in floats. No engine shows Convs of more
///   channels whose pool has quantizers behind it: they have no prediction.
/// Source  trex-pt-resnet18-A100-qat (Conv_95 + Add_97 + Relu_98 behind Conv_84; Conv_9 and MaxPool_12 are two layers),
///         -qat-residual (Conv_9 + MaxPool_12), -fp16, -fp32, trex-mobilenet-qat (Conv_142 + Add_144),
///         trex-notebook-int8-yolo, lix-dmt-fp16 (16 Adds behind a pair on the Conv's output are kernels alone).
[[nodiscard]] std::vector<NodeFusion> node_fusions(const Graph& file);

/// A place where TensorRT changes type or layout at most once.
struct ReformatPlace {
  std::vector<std::string> nodes;  ///< the float node first, then those that read it
  std::string reason;              ///< a clause
  bool island = false;             ///< the node stands between INT8 layers
};

/// Returns the places of reformats that the file tells of, in node order: a float layer between INT8 layers, the
/// network's input or output at a float layer. A quantizer of the network's input changes the layout too, and an INT8
/// layer writes the network's output as it is. Changes of the layout alone between layers of one type are the
/// builder's choice.
/// Source  trex-pt-resnet18-A100-qat (MaxPool_12, GlobalAveragePool_246), -qat-residual (none at
///         GlobalAveragePool_294), -fp16 (input and output), trex-mobilenet-qat (GlobalAveragePool_843).
[[nodiscard]] std::vector<ReformatPlace> reformat_places(const Graph& file);

/// An input of a Concat of codes that TensorRT copies into the joint tensor.
struct ConcatCopy {
  std::string concat, value;
  std::string reason;  ///< a clause
};

/// Returns the copies, in node order. A Conv writes straight into the joint tensor, as a quantizer does; a Resize
/// cannot, and codes that another layer reads too are copied.
/// Source  trex-notebook-int8-yolo (/neck/Resize_output_0 and /neck/Resize_1_output_0 are copied, the other inputs are
///         written by quantizers).
[[nodiscard]] std::vector<ConcatCopy> concat_copies(const Graph& file);

}  // namespace detent
