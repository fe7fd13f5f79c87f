// A layer whose INT8 kernel and conversions take longer than its float kernel stays float.
//
//   slower:   Conv(3 -> 32) --> Q/DQ --> depthwise Conv --> Q/DQ --> Conv(64 -> 384)
//   faster:   Conv(3 -> 32) -----------> depthwise Conv --> Q/DQ --> Conv(64 -> 384)
//
// One question for the whole graph: which nodes run on codes, so that the sum of the times of kernels and of
// conversions between floats and codes is least? It is the minimum cut of a network: the source's side runs on codes.
// A layer is cut off from the source at the price of its float kernel, and from the sink at that of its INT8 kernel; a
// value costs a QuantizeLinear once if a reader is on the source's side and its producer is not, and a
// DequantizeLinear the other way around. Between a layer on codes and the Conv or Gemm that reads it no cut is allowed,
// nor behind a MaxPool or another node that the engine moves pairs across: it quantizes the float weight of a layer
// between two pairs, with one scale for all channels.
//
// * Decides: a layer stays float where the table of kernel times (src/place/engines/web/kernel_times.cpp) says that the
//   file is faster so, by more than 5 %. Layers are judged together: those of a region share the conversions at its
//   border. A product with a scale at run time is judged alone. A Conv or Gemm in float never reads a layer on codes.
//   Open extents count as 1 in front and as 16 elsewhere.
// * Why: an INT8 depthwise Conv takes 1.5 to 5.5 times as long as the float one, a MaxPool on codes 8 to 13 times. An
//   average pooling takes 3 to 4 times as long, a Conv of few channels 1.2 to 6 times. Convs and products of 64
//   channels and more take .4 to .75 of the float time, Convs of one to four pixels .15 to .4.
//   The file for ONNX Runtime's native engine was 1.15 times (MobileNetV2) to 1.8 times
//   (MobileNetV3-S) slower than float there.
// * Change it: `--policy small-layers=quantize` turns the rule off; `--include NODE`.
// * Source: 178 kernels timed in ONNX Runtime Web 1.30 (Node, WebAssembly with SIMD, one thread) on a Xeon with AMX:
//   [bench/web](../../bench/web/README.md).
// * Networks: models/imagenet_mobilenetv2, exports/mobilenetv3_small, models/imagenet_squeezenet1.1,
//   models/cifar10_efficientnet_b0.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/web/kernel_times.h"
#include "place/engines/web/min_cut.h"
#include "place/engines/web/rules.h"

namespace detent::rules::web {
namespace {

constexpr double kMargin = 1.05;  // of INT8 times, for what the table does not know

int64_t whole(double nanoseconds) {
  return std::llround(std::clamp(nanoseconds, 0.0, static_cast<double>(MinCut::kUncuttable)));
}

bool is_product(OpKind kind) { return kind == OpKind::MatMul || kind == OpKind::Gemm; }

/// The nodes of a draft that may run on codes, and the cheapest choice among them.
class CheapestCodes {
 public:
  explicit CheapestCodes(const PlacementDraft& draft) : draft_(draft), facts_(draft.facts()), kernels_(draft.facts()) {}

  void find(LayersKeptOut& kept) {
    for (const Node& node : facts_.graph().nodes()) add_node(node);
    for (const Value& value : facts_.graph().values())
      if (!value.is_constant) add_value(value);
    const std::vector<bool> floats = cut_.sink_side();
    for (const auto& [node, at] : places_)
      if (floats[at] && facts_.is_weighted(node) && !draft_.is_forced(node))
        kept.emplace(node, reason_of(times_.at(node).floats, times_.at(node).codes));
    for (const auto& [node, times] : dynamic_)
      if (times.dynamic * kMargin > times.floats && times.floats > 0)
        kept.emplace(node, reason_of(times.floats, times.dynamic));
  }

 private:
  static std::string reason_of(double floats, double codes) {
    constexpr double kMicroseconds = 1e-3;
    return fmt::format(
        "the file is faster in WebAssembly with it in float: {:.0f} us, in INT8 {:.0f} us and conversions",
        floats * kMicroseconds, codes * kMicroseconds);
  }

  /// Returns the value behind the bias and the activation that the kernel of a node computes, too.
  [[nodiscard]] MaybeValue written_by(const Node& node) const {
    MaybeValue own = node.output(0);
    if (const auto bias = draft_.added_bias(node.id)) own = facts_.node(bias->node).output(0);
    const MaybeValue last = absorbed_output(facts_, draft_, own, Absorbs::ReluAndClip);
    const bool absorbs = last != own && !draft_.has_pair(own);
    return absorbs ? last : own;
  }

  /// True for a node without weights that runs on codes where pairs stand on both sides, or whose elements only move.
  [[nodiscard]] bool follows_pairs(const Node& node) const {
    if (draft_.is_out(node.id) || !node.output(0)) return false;
    const auto& slots = facts_.data_slots(node.id);
    const OpKind kind = facts_.kind(node.id);
    if (slots.empty() || facts_.is_weighted(node.id)) return false;
    if (commutes(facts_, draft_, node.id) && facts_.is_float(facts_.data_input(node.id))) return true;
    if (!has_integer_kernel(kind)) return false;
    const auto reads_codes = [&](int slot) {
      return draft_.is_pair(node.id, slot) || facts_.is_constant(node.input(slot));
    };
    return std::ranges::all_of(slots, reads_codes) && (kind == OpKind::MatMul || draft_.has_pair(written_by(node)));
  }

  void add_node(const Node& node) {
    const bool weighted = facts_.is_weighted(node.id) && draft_.is_int8(node.id);
    if (weighted && draft_.is_out(node.id)) {
      dynamic_.emplace(node.id, kernels_.times(node));
      return;
    }
    if (!node.output(0) || (!weighted && !follows_pairs(node))) return;
    const size_t at = cut_.add_node();
    const KernelTimes times = kernels_.times(node);
    cut_.add_pipe(MinCut::kSource, at, draft_.is_forced(node.id) ? MinCut::kUncuttable : whole(times.floats));
    cut_.add_pipe(at, MinCut::kSink, draft_.is_forced(node.id) ? 0 : whole(times.codes * kMargin));
    places_.emplace(node.id, at);
    times_.emplace(node.id, times);
    writers_.emplace(*written_by(node), node.id);
  }

  /// Returns the place of a node, or the sink for one that computes in float.
  [[nodiscard]] size_t place_of(NodeId node) const {
    const auto found = places_.find(node);
    return found == places_.end() ? MinCut::kSink : found->second;
  }

  void add_value(const Value& value) {
    const auto writer = writers_.find(value.id);
    const size_t from = writer == writers_.end() ? MinCut::kSink : place_of(writer->second);
    std::vector<size_t> readers;
    for (const Use& use : value.uses) readers.push_back(use.slot < 0 ? MinCut::kSink : place_of(use.node));
    if (value.is_output) readers.push_back(MinCut::kSink);
    const bool all_float = std::ranges::all_of(readers, [](size_t place) { return place == MinCut::kSink; });
    if (all_float && from == MinCut::kSink) return;
    join_pools(value, from, readers);
    join_layers(value, from);
    if (!all_float) {  // on codes with a float value in front
      const size_t quantizer = cut_.add_node();
      for (const size_t reader : readers)
        if (reader != MinCut::kSink) cut_.add_pipe(reader, quantizer, MinCut::kUncuttable);
      cut_.add_pipe(quantizer, from, whole(kernels_.quantizing(value.id)));
    }
    const bool writes_floats = from == MinCut::kSink || is_product(facts_.kind(writer->second));
    if (writes_floats) return;  // a product writes what its readers want
    const size_t dequantizer = cut_.add_node();
    cut_.add_pipe(from, dequantizer, whole(kernels_.dequantizing(value.id)));
    for (const size_t reader : readers) cut_.add_pipe(dequantizer, reader, MinCut::kUncuttable);
  }

  /// The engine moves pairs across a MaxPool and joins those around an average pooling: between nodes on codes neither
  /// runs in float. A Concat with one input on codes runs on codes (O5).
  void join_pools(const Value& value, size_t from, const std::vector<size_t>& readers) {
    const auto pools = [&](NodeId node) {
      const OpKind kind = facts_.kind(node);
      return kind == OpKind::MaxPool || kind == OpKind::AveragePool;
    };
    if (const auto writer = writers_.find(value.id); writer != writers_.end() && pools(writer->second))
      for (const size_t reader : readers)
        if (reader != MinCut::kSink) cut_.add_pipe(reader, from, MinCut::kUncuttable);
    if (from == MinCut::kSink) return;
    for (const Use& use : value.uses)
      if (use.slot >= 0 && (pools(use.node) || facts_.kind(use.node) == OpKind::Concat) &&
          place_of(use.node) != MinCut::kSink)
        cut_.add_pipe(from, place_of(use.node), MinCut::kUncuttable);
  }

  /// A Conv or Gemm that stays float must read floats (O1), behind nodes that the engine moves pairs across, too.
  void join_layers(const Value& value, size_t from) {
    if (from == MinCut::kSink) return;
    std::vector<ValueId> behind{value.id};
    for (size_t i = 0; i < behind.size(); ++i) {
      for (const Use& use : facts_.value(behind[i]).uses) {
        if (use.slot < 0) continue;
        const MaybeValue moved = facts_.node(use.node).output(0);
        if (facts_.lets_pairs_move(use.node) && moved) {
          if (use.slot == 0) behind.push_back(*moved);
        } else if (facts_.is_weighted(use.node) && facts_.kind(use.node) != OpKind::MatMul &&
                   place_of(use.node) != MinCut::kSink) {
          cut_.add_pipe(from, place_of(use.node), MinCut::kUncuttable);
        }
      }
    }
  }

  const PlacementDraft& draft_;
  const GraphFacts& facts_;
  WebKernels kernels_;
  MinCut cut_;
  std::map<NodeId, size_t> places_;
  std::map<NodeId, KernelTimes> times_, dynamic_;
  std::map<ValueId, NodeId> writers_;
};

void keep_faster_kernels(const PlacementDraft& draft, LayersKeptOut& kept) {
  const PlacementRequest& options = draft.options();
  if (options.small_layers == PlacementOptions::SmallLayers::Quantize || options.type != CodeType::Int8) return;
  CheapestCodes(draft).find(kept);
}

}  // namespace

constinit const Rule kFasterKernels{.name = {"W1", "faster kernel"}, .review = keep_faster_kernels};

}  // namespace detent::rules::web
