#pragma once

#include <cstdint>
#include <vector>

#include "model/graph/value_shapes.h"
#include "place/plan/placement_plan.h"

namespace detent::tensorrt {

/// A kernel that TensorRT makes of some nodes, and what it has to do.
struct KernelWork {
  enum class Kind : uint8_t {
    Product,    ///< Conv, ConvTranspose, Gemm or MatMul, with what is computed in it
    Depthwise,  ///< a Conv with one channel a group: no tensor cores
    Attention,  ///< both products and the Softmax between
    Pointwise,  ///< element by element or along the last axis: activations, sums, norms, Softmax, Transposes
    Reduction,  ///< pooling, Resize, means
    Copy,       ///< moves elements, or changes their type or layout
  } kind = Kind::Copy;
  bool codes = false;     ///< it multiplies INT8 codes
  double operations = 0;  ///< two a multiply-accumulate, of whole tiles
  double bytes = 0;       ///< read and written
  double weights = 0;     ///< those of them that a larger batch does not change
};

/// Layers that pass codes on to each other, with the kernels between, in front and behind.
struct CodeRegion {
  std::vector<NodeId> layers;      ///< that multiply codes
  std::vector<KernelWork> codes;   ///< with pairs: their quantizers, and copies at their borders, too
  std::vector<KernelWork> floats;  ///< the same nodes in FP16
};

/// Counts the kernels of the plan's file, or with `pairs` false of the float model in FP16. A node without sizes counts
/// nothing.
///
/// * An activation, a bias and a BatchNormalization are part of the product in front; behind a Conv a residual Add,
/// too.
/// * Other operators that compute element by element form one kernel with its like in front, as do norms and Softmax.
/// * Attention that fits a fused kernel is one. In front of it a Transpose costs nothing, behind it where a float
///   product reads. Linear layers of one input are one product (Q, K, V).
/// * A Conv writes straight into the joint tensor of a Concat, all else is copied there. A part of a value costs a copy
///   where a product reads it.
/// * An INT8 product or an elementwise kernel writes codes; behind others a quantizer is a kernel by itself. It moves
/// in
///   front of operators that only copy.
/// * Between Convs and kernels of other compilers (norms, linear layers) floats have 32 bits and are copied, and so are
///   floats between an INT8 Conv and a float one.
/// * Convs work on tiles of 128 columns, and of 16 terms in FP16, 64 in INT8.
/// Source  layers of TensorRT 10.6 for BERT, SegFormer, ShuffleNetV2, ConvNeXt and DenseNet, November 2026.
[[nodiscard]] std::vector<KernelWork> kernel_work(const PlacementPlan& plan, const Graph& graph,
                                                  const ValueShapes& shapes, bool pairs);

/// Counts the same kernels, region by region; kernels of no region are left out. Empty without sizes.
[[nodiscard]] std::vector<CodeRegion> code_regions(const PlacementPlan& plan, const Graph& graph,
                                                   const ValueShapes& shapes);

}  // namespace detent::tensorrt
