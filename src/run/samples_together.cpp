#include "run/samples_together.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "core/index.h"
#include "detent/base/error.h"
#include "exec/executor.h"
#include "exec/find_shapes.h"
#include "ops/traits.h"
#include "run/model_inputs.h"
#include "run/workers.h"

namespace detent {

namespace {

std::atomic<int> apart_count{0};

constexpr double kPositions = 64;
constexpr double kMost = 8;

/// Does what may_mix_samples() does, for a node.
bool may_mix(const Node& node) {
  return node.op_type == "DynamicQuantizeLinear" || node.op_type == "DynamicQuantizeLSTM" ||
         std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
           return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.value);
         });
}

/// True when every input counts samples on axis 0, which is open, and leaves no other size open.
bool takes_any_number(const Graph& graph, const Sample& sample) {
  if (may_mix_samples(graph)) return false;
  const auto in_front = [](int axis) { return axis == 0; };
  if (!std::ranges::all_of(sample.batch_axes, in_front)) return false;
  return !graph.inputs().empty() && std::ranges::all_of(graph.inputs(), [&](ValueId input) {
    const auto& shape = graph.value(input).declared_shape;
    return shape && !shape->empty() && shape->front() < 0 &&
           std::ranges::all_of(shape->begin() + 1, shape->end(), [](int64_t extent) { return extent > 0; });
  });
}

/// Returns the positions of a sample that an average weight is read for. No layer with a weight -> kPositions.
double positions_of(const Graph& graph, std::span<const Tensor> inputs) {
  const ValueShapes shapes = find_shapes(graph, inputs);
  double products = 0, weights = 0;
  for (const Node& node : graph.nodes()) {
    const OpKind kind = traits_of(graph, node).kind;
    const bool conv = kind == OpKind::Conv || kind == OpKind::ConvTranspose;
    if ((!conv && kind != OpKind::Gemm && kind != OpKind::MatMul) || node.inputs.size() < 2) continue;
    const Tensor* weight = graph.constant(node.inputs[1]);
    const Shape* shape = find_shape(shapes, node.output(0));
    if (!weight || !shape || shape->rank() < 2) continue;
    const int64_t channels = (*shape)[conv ? 1 : shape->rank() - 1];
    const auto elements = static_cast<double>(weight->element_count());
    products += elements * static_cast<double>(shape->element_count()) / static_cast<double>(channels);
    weights += elements;
  }
  return weights > 0 ? products / weights : kPositions;
}

/// Returns a number that says which bytes these are.
uint64_t digest_of(std::span<const std::byte> bytes) {
  constexpr size_t kLanes = 8;  // side by side: a product takes longer than reading its number
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15U;
  std::array<uint64_t, kLanes> lanes{1, 2, 3, 4, 5, 6, 7, 8};
  const auto mix = [&](size_t lane, uint64_t word) { lanes[lane] = std::rotl((lanes[lane] ^ word) * kOdd, 29); };
  for (; bytes.size() >= sizeof(lanes); bytes = bytes.subspan(sizeof(lanes))) {
    std::array<uint64_t, kLanes> words{};
    std::memcpy(words.data(), bytes.data(), sizeof(words));
    for (size_t lane = 0; lane < kLanes; ++lane) mix(lane, words[lane]);
  }
  for (const std::byte byte : bytes) mix(0, static_cast<uint64_t>(byte));
  for (size_t lane = 1; lane < kLanes; ++lane) mix(0, lanes[lane]);
  return lanes[0];
}

/// Sees what each of so many samples in front of every value holds.
class RowsObserver final : public Observer {
 public:
  explicit RowsObserver(size_t rows) : rows_(rows), digests_(rows) {}
  void observe(ValueId value, const Tensor& tensor) override {
    const bool has_rows = !tensor.empty_handle() && !tensor.is_sequence() && tensor.type() != DataType::String &&
                          tensor.shape().rank() > 0 && tensor.shape()[0] == as_extent(rows_);
    if (!has_rows) {
      known_ = false;
      return;
    }
    uint64_t form =
        index_of(value) * 64 + static_cast<uint64_t>(tensor.type()) * 2 + (tensor.layout() == Layout::Plain);
    for (size_t axis = 1; axis < tensor.shape().rank(); ++axis)
      form = form * 0x100000001b3U + static_cast<uint64_t>(tensor.shape()[axis]);
    const size_t row = tensor.byte_count() / rows_;  // axis 0 is the outermost in every layout
    for (size_t i = 0; i < rows_; ++i)
      digests_[i].push_back(form ^ digest_of({static_cast<const std::byte*>(tensor.raw()) + i * row, row}));
  }
  /// Returns the digests of each sample; empty where a value is not cut by samples.
  [[nodiscard]] std::vector<std::vector<uint64_t>> take() {
    return known_ ? std::move(digests_) : std::vector<std::vector<uint64_t>>();
  }

 private:
  size_t rows_;
  std::vector<std::vector<uint64_t>> digests_;
  bool known_ = true;
};

/// True when the wanted values have the same bits with these samples in one batch as one by one.
bool same_in_one_batch(const Schedule& schedule, std::vector<Sample>&& samples) {
  std::vector<std::vector<uint64_t>> alone;
  Executor executor(schedule);
  for (const Sample& sample : samples) {
    RowsObserver rows(1);
    executor.run(sample.inputs, rows);
    const auto seen = rows.take();
    if (seen.empty()) return false;
    alone.push_back(seen.front());
  }
  RowsObserver rows(samples.size());
  executor.run(stack_samples(std::move(samples)), rows);
  return rows.take() == alone;
}

/// Returns how many samples give a weight kPositions, where the model takes any number; else 1.
size_t worthwhile(const Graph& graph, const Sample& first) {
  if (!takes_any_number(graph, first)) return 1;
  const double positions = positions_of(graph, first.inputs);
  return static_cast<size_t>(std::clamp(std::ceil(kPositions / positions), 1.0, kMost));
}

/// Does what samples_together() does, for a source of at least `least` samples for each one in a batch.
/// are_same  says whether the values of these samples have the same bits in one batch.
size_t samples_together_if(const Graph& graph, const DataSource& source, size_t least,
                           const std::function<bool(std::vector<Sample>&&)>& are_same) {
  if (apart_count > 0 || source.batch() != 1 || source.size() < 2 * least) return 1;
  try {
    std::vector<Sample> samples{source.read(0)};
    const size_t together = worthwhile(graph, samples.front());
    if (together == 1 || source.size() < least * together) return 1;
    while (samples.size() < together) samples.push_back(source.read(samples.size()));
    return are_same(std::move(samples)) ? together : 1;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Interrupted) throw;
    return 1;  // the pass over all samples reports the error
  }
}

}  // namespace

SamplesApart::SamplesApart(bool apart) : apart_(apart) {
  if (apart_) ++apart_count;
}

SamplesApart::~SamplesApart() {
  if (apart_) --apart_count;
}

bool may_mix_samples(const Graph& graph) { return apart_count > 0 || std::ranges::any_of(graph.nodes(), may_mix); }

bool are_cut_by_sample(std::span<const ValueId> values, const ValueShapes& one, const ValueShapes& joined,
                       size_t together) {
  return std::ranges::all_of(values, [&](ValueId value) {
    const auto single = one.find(value), all = joined.find(value);
    if (single == one.end() || all == joined.end()) return false;
    if (single->second.rank() == 0 || single->second.rank() != all->second.rank()) return false;
    for (size_t axis = 1; axis < single->second.rank(); ++axis)
      if (single->second[axis] != all->second[axis]) return false;
    return single->second[0] == 1 && all->second[0] == as_extent(together);
  });
}

size_t samples_together(const Graph& graph, std::span<const ValueId> wanted, const DataSource& source) {
  if (source.size() < 2 * static_cast<size_t>(kMost)) return 1;
  return samples_together_if(graph, source, 1, [&](std::vector<Sample>&& samples) {
    return same_in_one_batch(Schedule(graph, wanted), std::move(samples));
  });
}

size_t samples_together(const Schedule& schedule, const DataSource& source, size_t threads) {
  // The first samples run twice more. The last batches leave threads idle for as long as a batch takes.
  const size_t least = std::max<size_t>(16, 4 * threads);
  return samples_together_if(schedule.graph(), source, least, [&](std::vector<Sample>&& samples) {
    return same_in_one_batch(schedule, std::move(samples));
  });
}

}  // namespace detent
