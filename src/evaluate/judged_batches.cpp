#include "evaluate/judged_batches.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/memory_limit.h"
#include "detent/base/error.h"
#include "exec/buffer_pool.h"
#include "run/for_each_index.h"
#include "run/run_over.h"
#include "run/sample_subset.h"
#include "run/samples_together.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Samples know where they stand in the source, whatever that is a part of.
class Numbered final : public DataSource {
 public:
  explicit Numbered(const DataSource& source) : source_(source) {}
  [[nodiscard]] size_t size() const override { return source_.size(); }
  [[nodiscard]] std::string sample_name(size_t i) const override { return source_.sample_name(i); }
  [[nodiscard]] Sample read(size_t i) const override {
    Sample sample = source_.read(i);
    sample.index = i;
    return sample;
  }
  [[nodiscard]] size_t batch() const override { return source_.batch(); }

 private:
  const DataSource& source_;
};

size_t bytes_of(const JudgedBatch& batch) {
  size_t bytes = 0;
  for (const Tensor& tensor : batch.inputs) bytes += tensor.byte_count();
  for (const Tensor& tensor : batch.expected) bytes += tensor.byte_count();
  for (const Truth& truth : batch.truths)
    bytes += truth.next.size() * sizeof(int64_t) + (truth.mask ? truth.mask->classes.size() : 0);
  return bytes;
}

}  // namespace

JudgedBatches::JudgedBatches(const Model& reference, std::vector<std::string> names, const DataSource& source,
                             const RunSettings& settings, const TaskMetric* task, size_t bytes,
                             std::optional<size_t> known)
    : source_(source), reference_bytes_(reference.byte_size()), names_(std::move(names)),
      task_(task && task->given() ? task : nullptr),
      model_(std::make_unique<const PreparedModel>(reference, names_, team_size(settings, source))) {
  struct Result {
    Found found;
    std::shared_ptr<const JudgedBatch> batch;
  };
  const Numbered numbered(source);
  together_ = known ? *known : samples_together(reference.graph(), model_->wanted(), source);
  // Files are often sorted by class: samples that are joined come from everywhere.
  const SampleSubset mixed(numbered, together_ > 1 ? samples_by_hash(source, source.size()) : std::vector<size_t>());
  const SamplesTogether together(together_ > 1 ? static_cast<const DataSource&>(mixed) : numbered, together_);
  axes_ = model_->sample_axes(together, settings);
  std::vector<BufferPool> pools(worker_count(settings));
  const auto run_one = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    Result result;
    for (size_t i = 0; i < real; ++i) result.found.samples.push_back(batch[i].index);
    result.found.size = batch.size();
    JudgedBatch judged = run(std::move(batch), real, pools[slot]);
    result.found.name = judged.name;
    if (task_) result.found.float_score = task_->score(judged.truths, names_, judged.expected, judged.axes);
    result.batch = std::make_shared<const JudgedBatch>(std::move(judged));
    return result;
  };
  size_t held = 0;
  const auto keep = [&](Result&& result) {
    const size_t more = bytes_of(*result.batch);
    const bool fits = held + more <= bytes && memory_has_room(bytes);
    if (fits) held += more, result.found.kept = std::move(result.batch);
    result.found.position = found_.size();
    found_.push_back(std::move(result.found));
  };
  static_cast<void>(
      run_over<Result>({.source = together, .settings = settings, .task = "running the float model"}, run_one, keep));
  const auto order = [](const Found& batch) {
    return std::tuple(hash_of_name(batch.name), batch.name, batch.position);
  };
  std::ranges::sort(found_, {}, order);
  for (Found& batch : found_) float_tally_.push_back({{}, std::move(batch.float_score)});
  if (std::ranges::all_of(found_, [](const Found& batch) { return batch.kept != nullptr; })) model_.reset();
}

JudgedBatch JudgedBatches::run(std::vector<Sample>&& samples, size_t real, BufferPool& pool) const {
  JudgedBatch batch = stack_batch(std::move(samples), real, axes_, task_);
  batch.expected = batch.counted(model_->run(batch.inputs, pool));
  return batch;
}

size_t JudgedBatches::samples_in(size_t batches) const {
  return std::accumulate(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(batches), size_t{0},
                         [](size_t sum, const Found& batch) { return sum + batch.samples.size(); });
}

std::vector<size_t> JudgedBatches::in_source_order(size_t batches) const {
  std::vector<size_t> order(batches);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t b) { return found_[b].position; });
  return order;
}

std::shared_ptr<const JudgedBatch> JudgedBatches::get(size_t b, BufferPool& pool) const {
  const Found& found = found_[b];
  if (found.kept) return found.kept;
  std::vector<Sample> samples;
  for (const size_t i : found.samples) samples.push_back(source_.read(i));
  while (samples.size() < found.size) samples.push_back(Sample(samples.back()));
  return std::make_shared<const JudgedBatch>(run(std::move(samples), found.samples.size(), pool));
}

void JudgedBatches::for_each(size_t from, size_t until, const RunSettings& settings, const Work& work,
                             const std::function<void(size_t b)>& done) const {
  const size_t threads = worker_count(settings);
  WorkerSlots slots(threads);
  std::vector<BufferPool> pools(threads);
  std::mutex mutex;
  for_each_index(until - from, threads, [&](size_t i) {
    const WorkerSlots::Held slot(slots);
    BufferPool& pool = pools[*slot];
    const auto batch = get(from + i, pool);
    try {
      work(from + i, *batch, pool);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Interrupted) throw;
      throw error.in("sample '" + batch->name + "'");
    }
    const std::scoped_lock lock(mutex);
    done(from + i);
  });
}

}  // namespace detent
