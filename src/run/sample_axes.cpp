#include "run/sample_axes.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/index.h"
#include "detent/base/error.h"
#include "exec/executor.h"
#include "run/for_each_index.h"
#include "run/model_inputs.h"
#include "run/workers.h"

namespace detent {

namespace {

constexpr size_t kElementsLookedAt = 4096;  // of a value: a wrong axis contradicts at least half of those that change
constexpr size_t kSamplesLookedAt = 32;     // in search of one that differs
constexpr size_t kMostReplaced = 8;

/// Returns one place in each of kElementsLookedAt parts of a value; they follow no stride.
std::vector<size_t> places_in(size_t count) {
  const size_t parts = std::min(count, kElementsLookedAt);
  std::vector<size_t> places(parts);
  for (size_t p = 0; p < parts; ++p) {
    const size_t first = p * count / parts, end = (p + 1) * count / parts;
    places[p] = first + (p * 0x9e3779b97f4a7c15U >> 32) % (end - first);
  }
  return places;
}

/// Some elements of a value from one run.
struct SeenValue {
  DataType type = DataType::Undefined;
  Shape shape;
  std::vector<std::byte> elements;
};

struct ElementsObserver final : Observer {
  ValueMap<SeenValue> seen;

  explicit ElementsObserver(size_t values) : seen(values) {}
  void observe(ValueId value, const Tensor& tensor) override {
    if (tensor.empty_handle() || tensor.is_sequence() || tensor.type() == DataType::String) return;
    const Tensor plain = to_plain(tensor);
    SeenValue& kept = seen[value];
    kept = {plain.type(), plain.shape(), {}};
    const size_t size = byte_size(plain.type());
    const std::vector<size_t> places = places_in(as_index(plain.element_count()));
    kept.elements.resize(places.size() * size);
    const auto* from = static_cast<const std::byte*>(plain.raw());
    for (size_t p = 0; p < places.size(); ++p) std::memcpy(&kept.elements[p * size], from + places[p] * size, size);
  }
};

/// Places of elements that changed with one sample.
struct Change {
  size_t sample = 0;
  std::vector<size_t> places;
};

enum class Verdict { Found, Mixed, Doubtful };

bool belong_to_their_samples(std::span<const Change> changes, const SampleCut& cut) {
  return std::ranges::all_of(changes, [&](const Change& change) {
    return std::ranges::all_of(change.places,
                               [&](size_t place) { return place / cut.inner % cut.samples == change.sample; });
  });
}

/// Finds the axis that all changes fit.
Verdict fit_changes(const Shape& shape, size_t samples, std::span<const Change> changes, SampleAxis& found) {
  size_t fitting = 0;
  for (size_t axis = 0; axis < shape.rank(); ++axis) {
    const int64_t each = shape[axis] / as_extent(samples);
    if (shape[axis] % as_extent(samples) != 0) continue;
    for (int64_t inner = each; inner > 0; --inner) {
      if (each % inner != 0) continue;
      const SampleAxis one{SampleAxis::Kind::Counts, axis, inner == each ? 0 : inner};
      const auto cut = one.cut(shape, samples);
      if (!cut || !belong_to_their_samples(changes, *cut)) continue;
      if (fitting++ == 0) found = one;
    }
  }
  return fitting == 1 ? Verdict::Found : fitting == 0 ? Verdict::Mixed : Verdict::Doubtful;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.byte_count()) == 0;
}

/// Returns the elements in reverse: numbers that the input takes, at other places.
Tensor reversed(const Tensor& tensor) {
  Tensor result = to_plain(tensor).clone();
  const size_t size = byte_size(tensor.type()), count = as_index(tensor.element_count());
  auto* bytes = static_cast<std::byte*>(result.mutable_raw());
  for (size_t i = 0; i < count / 2; ++i)
    std::swap_ranges(bytes + i * size, bytes + (i + 1) * size, bytes + (count - 1 - i) * size);
  return result;
}

/// Samples of a source, and for each one that differs from it in every input that can differ.
class Substitutes {
 public:
  /// Reads the first batch. Errors  those of reading; InvalidData when no sample can be read.
  explicit Substitutes(const DataSource& source) : source_(source) {
    while (read_.size() < source.batch() && read_more()) continue;
    if (read_.empty()) throw Error(ErrorCode::InvalidData, "no sample of the data could be read");
    for (size_t i = 0; i < source.batch(); ++i) batch_.push_back(read_[i % read_.size()]);
  }
  /// Returns the first batch; too few samples repeat.
  [[nodiscard]] const std::vector<Sample>& batch() const { return batch_; }

  /// Returns sample k of the batch with other inputs, each from the first sample where it differs.
  /// reverse  an input that is the same in all samples has its elements in reverse.
  [[nodiscard]] Sample instead_of(size_t k, bool reverse) {
    Sample sample = batch_[k];
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      Tensor& input = sample.inputs[i];
      const bool counts = sample.batch_axes.empty() || sample.batch_axes[i] != kNoBatchAxis;
      if (!counts || input.empty_handle()) continue;
      if (const Tensor* other = other_than(input, i))
        input = *other;
      else if (reverse)
        input = reversed(input);
    }
    return sample;
  }

 private:
  bool read_more() {
    for (; next_ < source_.size(); ++next_) {
      try {
        read_.push_back(source_.read(next_));
        ++next_;
        return true;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidData) throw;
      }
    }
    return false;
  }

  [[nodiscard]] const Tensor* other_than(const Tensor& input, size_t i) {
    const size_t most = source_.batch() + kSamplesLookedAt;
    for (size_t s = 0; s < read_.size() || (s < most && read_more()); ++s) {
      const Tensor& other = read_[s].inputs[i];
      if (!other.empty_handle() && other.shape() == input.shape() && !same_bytes(other, input)) return &other;
    }
    return nullptr;
  }

  const DataSource& source_;
  std::vector<Sample> read_, batch_;
  size_t next_ = 0;
};

/// Returns true for values that depend on the content of the samples; shapes are not content.
ValueMap<bool> depends_on_samples(const Graph& graph, const Sample& sample) {
  ValueMap<bool> depends(graph.values().size(), false);
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    depends[graph.inputs()[i]] = sample.batch_axes.empty() || sample.batch_axes[i] != kNoBatchAxis;
  const auto is_reached = [&](ValueId value) { return depends[value]; };
  for (const Node& node : graph.nodes()) {
    if (node.op_type == "Shape" || node.op_type == "Size") continue;
    if (!std::ranges::any_of(present(node.inputs), is_reached) &&
        !std::ranges::any_of(graph.captured_by(node), is_reached))
      continue;
    for (const ValueId output : present(node.outputs)) depends[output] = true;
  }
  return depends;
}

/// Runs of a batch with other samples in some places, compared.
class Evidence {
 public:
  /// Runs the batches. Errors  those of reading and running.
  Evidence(const Schedule& schedule, Substitutes& samples, const RunSettings& settings, bool reverse)
      : schedule_(schedule), samples_(samples), threads_(worker_count(settings)), reverse_(reverse),
        depends_(depends_on_samples(schedule.graph(), samples.batch().front())), changes_(depends_.size()),
        comparable_(depends_.size(), true) {
    const size_t batch = samples_.batch().size();
    replace({0, batch - 1}, true);
    for (size_t k = 1; k + 1 < std::min(batch, kMostReplaced) && in_doubt(); ++k) replace({k}, false);
  }

  [[nodiscard]] SampleAxes axes() const {
    ValueMap<SampleAxis> found(changes_.size());
    for (const Value& value : schedule_.graph().values()) static_cast<void>(judge(value.id, found[value.id]));
    return SampleAxes(std::move(found));
  }

 private:
  /// Runs the batch with samples replaced at `places`. base  also runs the batch as it is.
  void replace(const std::vector<size_t>& places, bool base) {
    std::vector<std::vector<Sample>> batches;
    if (base) batches.push_back(samples_.batch());
    for (const size_t place : places) {
      batches.push_back(samples_.batch());
      batches.back()[place] = samples_.instead_of(place, reverse_);
    }
    std::vector<ElementsObserver> seen(batches.size(), ElementsObserver(changes_.size()));
    for_each_index(batches.size(), threads_,
                   [&](size_t i) { Executor(schedule_).run(stack_samples(std::move(batches[i])), seen[i]); });
    if (base) base_ = std::move(seen.front().seen);
    for (size_t i = 0; i < places.size(); ++i) compare(places[i], seen[i + (base ? 1 : 0)].seen);
  }

  void compare(size_t sample, const ValueMap<SeenValue>& seen) {
    for (const Value& one : schedule_.graph().values()) {
      const ValueId value = one.id;
      const SeenValue &before = base_[value], &after = seen[value];
      comparable_[value] = comparable_[value] && before.type == after.type && before.shape == after.shape;
      if (!comparable_[value] || before.elements == after.elements) continue;
      Change change{sample, {}};
      const size_t size = byte_size(before.type);
      const std::vector<size_t> places = places_in(as_index(before.shape.element_count()));
      for (size_t p = 0; p < places.size(); ++p)
        if (std::memcmp(&before.elements[p * size], &after.elements[p * size], size) != 0)
          change.places.push_back(places[p]);
      changes_[value].push_back(std::move(change));
    }
  }

  Verdict judge(ValueId value, SampleAxis& found) const {
    if (!depends_[value]) {
      found = {SampleAxis::Kind::Independent, 0, 0};
      return Verdict::Found;
    }
    const Verdict verdict = !comparable_[value] ? Verdict::Mixed
                            : changes_[value].empty()
                                ? Verdict::Doubtful
                                : fit_changes(base_[value].shape, samples_.batch().size(), changes_[value], found);
    if (verdict != Verdict::Found) found = {SampleAxis::Kind::Unknown, 0, 0};
    return verdict;
  }

  [[nodiscard]] bool in_doubt() const {
    SampleAxis ignored;
    return std::ranges::any_of(schedule_.graph().values(), [&](const Value& value) {
      return base_[value.id].type != DataType::Undefined && judge(value.id, ignored) == Verdict::Doubtful;
    });
  }

  const Schedule& schedule_;
  Substitutes& samples_;
  size_t threads_;
  bool reverse_;
  ValueMap<bool> depends_;
  ValueMap<SeenValue> base_;
  ValueMap<std::vector<Change>> changes_;
  ValueMap<bool> comparable_;  // of one type and shape in every run
};

/// True where some input fixes the extent of its batch.
bool fixes_batch(const Graph& graph, const Sample& sample) {
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const int axis = sample.batch_axes.empty() ? 0 : sample.batch_axes[i];
    const auto& shape = graph.value(graph.inputs()[i]).declared_shape;
    if (axis != kNoBatchAxis && shape && as_index(axis) < shape->size() && (*shape)[as_index(axis)] > 0) return true;
  }
  return false;
}

/// Finds the axes; nullopt where the samples do not run. reverse  reverses inputs that are the same in all samples,
/// which not every model runs with.
std::optional<SampleAxes> axes_from(const Schedule& schedule, const DataSource& source, const RunSettings& settings,
                                    bool reverse) {
  try {
    Substitutes samples(source);
    if (!fixes_batch(schedule.graph(), samples.batch().front())) return SampleAxes();
    return Evidence(schedule, samples, settings, reverse).axes();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Interrupted) throw;
    return std::nullopt;
  }
}

}  // namespace

std::vector<SampleAxis> SampleAxes::of(std::span<const ValueId> values) const {
  std::vector<SampleAxis> axes;
  for (const ValueId value : values)
    if (!by_value_.empty()) axes.push_back(of(value));
  return axes;
}

SampleAxes find_sample_axes(const Schedule& schedule, const DataSource& source, const RunSettings& settings) {
  if (source.batch() <= 1) return {};
  if (auto axes = axes_from(schedule, source, settings, true)) return *std::move(axes);
  if (auto axes = axes_from(schedule, source, settings, false)) return *std::move(axes);
  return SampleAxes(ValueMap<SampleAxis>(schedule.graph().values().size(), {SampleAxis::Kind::Unknown, 0, 0}));
}

SampleAxes find_sample_axes(const Graph& graph, std::span<const ValueId> values, const DataSource& source,
                            const RunSettings& settings) {
  if (source.batch() <= 1) return {};
  return find_sample_axes(Schedule(graph, values, {.team = team_size(settings, source)}), source, settings);
}

}  // namespace detent
