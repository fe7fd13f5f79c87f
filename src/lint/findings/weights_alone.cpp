//   x ----------------> MatMul          weights in blocks, or of 4 bits, behind a DequantizeLinear: the layer computes
//   in
//   codes --> DQ ----^                  float, and an engine that knows the form reads the codes
//
// Forms that an engine does not know, and expands to floats at every run or refuses.

#include <bit>

#include "lint/findings/findings.h"
#include "lint/view/pair_numbers.h"

namespace detent::findings {
namespace {

constexpr int64_t kLeastFusedBlock = 16;

/// Returns why ONNX Runtime does not make a MatMulNBits of the DequantizeLinear and its reader; empty when it does.
std::string not_fused(const LintView& view, int index) {
  const QdqNode& node = view.qdq(index);
  if (node.readers > 1) return std::to_string(node.readers) + " nodes read it";
  for (const QuantizedOperand* operand : view.operands_of(index)) {
    const MaybeNode id = view.graph().find_node(operand->node);
    if (!id) continue;
    const Node& reader = view.node(*id);
    const OpKind kind = view.facts().kind(*id);
    if (kind != OpKind::MatMul && kind != OpKind::Gemm) return "its reader is a " + reader.op_type;
    if (operand->slot != 1) return "it is the left operand";
    if (!operand->axes.empty()) return "a Transpose stands between";
    if (kind == OpKind::Gemm && (reader.int_or("transB", 0) != 0 || reader.float_or("alpha", 1.0F) != 1.0F))
      return "the Gemm has transB or an alpha other than 1";
  }
  if (node.extents.size() != 2) return "it is not a matrix";
  if (node.block > 0 && node.axis.value_or(1) != 0)
    return "its blocks lie along axis " + std::to_string(node.axis.value_or(1));
  if (node.block > 0 && (node.block < kLeastFusedBlock || !std::has_single_bit(static_cast<uint64_t>(node.block))))
    return "the block size " + std::to_string(node.block) + " is not a power of two from 16 on";
  return {};
}

std::string name_of_node(const LintView& view, int index) {
  const QdqNode& node = view.qdq(index);
  return subject(view, index) + " (" + std::string(name_of(node.codes)) +
         (node.block > 0 ? " in blocks of " + std::to_string(node.block) : std::string()) + ")";
}

template <class Flaw>
void check_each(const LintView& view, FindingLog& log, Flaw&& flaw, const std::string& effect,
                const std::string& cure) {
  for (size_t i = 0; i < view.reading().nodes.size(); ++i) {
    const int index = static_cast<int>(i);
    if (!view.qdq(index).is_weight_alone()) continue;
    if (const std::string why = flaw(view, index); !why.empty())
      log.add(view.qdq(index).name, name_of_node(view, index) + effect + why, cure, view.layers_of(index));
  }
}

}  // namespace

void int4_not_fused(const LintView& view, FindingLog& log) {
  check_each(view, log, not_fused, " is expanded to floats at every run: ",
             "let each MatMul have its own DequantizeLinear, blocks of 32 along axis 0 of [K, N], no transB "
             "(here: quantize-weights --type int4)");
}

void blocked_axis(const LintView& view, FindingLog& log) {
  const auto flaw = [](const LintView& seen, int index) -> std::string {
    const QdqNode& node = seen.qdq(index);
    if (node.block == 0 || node.extents.empty()) return {};
    const int64_t rank = std::ssize(node.extents);
    const int64_t axis = node.axis.value_or(1) + (node.axis.value_or(1) < 0 ? rank : 0);
    if (axis < 0 || axis >= rank || axis < rank - 2)
      return "blocks lie along one of the last two axes, not along axis " + std::to_string(axis);
    const int64_t extent = node.extents[static_cast<size_t>(axis)];
    return extent % node.block == 0 ? std::string()
                                    : "the extent " + std::to_string(extent) + " is not a multiple of the block";
  };
  check_each(view, log, flaw, " has blocks that " + std::string(view.target().engine.title) + " refuses: ",
             "another --block, or keep this layer float");
}

void odd_rows(const LintView& view, FindingLog& log) {
  const auto flaw = [](const LintView& seen, int index) -> std::string {
    const QdqNode& node = seen.qdq(index);
    if ((node.codes != DataType::Int4 && node.codes != DataType::UInt4) || node.extents.size() != 2) return {};
    const int64_t rows = node.extents[0];
    return rows % 2 == 0 && node.block % 2 == 0 ? std::string() : "it packs the codes of a column in pairs";
  };
  check_each(view, log, flaw, " has an odd number of rows or of rows in a block, and OpenVINO reads other numbers: ",
             "an even --block, or keep this layer float");
}

void odd_nibbles(const LintView& view, FindingLog& log) {
  const auto flaw = [](const LintView& seen, int index) -> std::string {
    const QdqNode& node = seen.qdq(index);
    if (node.codes != DataType::Int4 && node.codes != DataType::UInt4) return {};
    int64_t count = 1;
    for (const int64_t extent : node.extents) count *= extent % 2;
    return count % 2 == 0 ? std::string() : "two codes share a byte";
  };
  check_each(view, log, flaw, " has an odd number of 4-bit codes, which TensorRT refuses: ", "keep this layer float");
}

}  // namespace detent::findings
