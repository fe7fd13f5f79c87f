#include "evaluate/judged_batches.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "core/memory_limit.h"
#include "core/stop.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "evaluate/batch_errors.h"
#include "evaluate/prepared_model.h"
#include "exec/buffer_pool.h"
#include "run/for_each_index.h"
#include "run/run_over.h"
#include "run/sample_subset.h"
#include "run/samples_together.h"
#include "run/workers.h"

namespace detent {

namespace {

size_t bytes_of(const JudgedBatch& batch) {
  size_t bytes = 0;
  for (const Tensor& tensor : batch.inputs) bytes += tensor.byte_count();
  for (const Tensor& tensor : batch.expected) bytes += tensor.byte_count();
  for (const Truth& truth : batch.truths)
    bytes += truth.next.size() * sizeof(int64_t) + (truth.mask ? truth.mask->classes.size() : 0);
  return bytes;
}

/// Adds a variant to the tallies of each sample of a joined batch, or of a batch as a whole.
void add_variant(const JudgedBatch& batch, const std::vector<std::string>& names, std::vector<Tensor> outputs,
                 std::vector<BatchTallies>& entries, bool joined) {
  if (!joined) {
    BatchTallies& entry = entries.front();
    entry.models.push_back(tally_of(batch, names, outputs, nullptr, entry.comparable));
    return;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].type() == batch.expected[i].type() && outputs[i].shape() == batch.expected[i].shape()) continue;
    entries.front().comparable[i] = false;
    outputs[i] = batch.expected[i];  // it may not have a row for each sample
  }
  for (size_t row = 0; row < batch.real; ++row) {
    JudgedBatch one{.real = 1, .expected = row_of(batch.expected, row), .image = batch.image, .forms = batch.forms};
    if (!batch.content.empty()) one.content = {batch.content[row]};
    entries[row].models.push_back(tally_of(one, names, row_of(outputs, row), nullptr, entries[row].comparable));
  }
}

/// Runs these variants on every batch.
void run_pass(std::span<const Model> variants, const JudgedBatches& batches, const RunSettings& settings, size_t& done,
              std::vector<std::vector<BatchTallies>>& found) {
  const size_t threads = worker_count(settings);
  // Threads without a batch run other variants, or where there are none, help in the kernels.
  const size_t beside = std::max<size_t>(1, threads / std::max<size_t>(1, batches.size()));
  const int team = variants.size() == 1 ? static_cast<int>(beside) : 1;
  std::vector<std::unique_ptr<const PreparedModel>> models(variants.size());
  for_each_index(variants.size(), threads, [&](size_t v) {
    models[v] = std::make_unique<const PreparedModel>(variants[v], batches.names(), team, settings.products);
  });
  const auto run = [&](size_t b, const JudgedBatch& batch, BufferPool& pool) {
    const auto add = [&](std::vector<Tensor> outputs) {
      add_variant(batch, batches.names(), std::move(outputs), found[b], batches.together() > 1);
    };
    if (beside == 1 || models.size() == 1) {
      for (const auto& model : models) {
        stop_if_interrupted();
        add(batch.counted(model->run(batch.inputs, pool)));
      }
      return;
    }
    std::vector<std::vector<Tensor>> outputs(models.size());
    for_each_index(models.size(), beside, [&](size_t v) {
      stop_if_interrupted();
      BufferPool own;
      outputs[v] = batch.counted(models[v]->run(batch.inputs, own));
    });
    for (std::vector<Tensor>& one : outputs) add(std::move(one));
  };
  batches.for_each(0, batches.size(), settings, run,
                   [&](size_t b) { settings.reporter->advance_to(done += batches.samples_of(b).size()); });
}

/// Makes empty tallies: one for each sample of joined batches, else one for each batch.
std::vector<std::vector<BatchTallies>> empty_entries(const JudgedBatches& batches) {
  std::vector<std::vector<BatchTallies>> entries(batches.size());
  for (size_t b = 0; b < batches.size(); ++b) {
    const size_t samples = batches.samples_of(b).size(), each = batches.together() > 1 ? 1 : samples;
    entries[b].assign(
        samples / each,
        {.real = each, .models = std::vector<Tally>(1), .comparable = std::vector<bool>(batches.names().size(), true)});
  }
  return entries;
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
  // The source may be a part of another one, by which its samples are numbered.
  const auto numbered = numbered_anew(std::make_unique<WrappedSource>(source));
  together_ = known ? *known : samples_together(reference.graph(), model_->wanted(), source);
  // Files are often sorted by class, so joined samples are taken in the order of their name hashes.
  const SampleSubset mixed(*numbered, together_ > 1 ? samples_by_hash(source, source.size()) : std::vector<size_t>());
  const SamplesTogether together(together_ > 1 ? static_cast<const DataSource&>(mixed) : *numbered, together_);
  forms_ = {model_->sample_axes(together, settings), find_forms(task_, reference, source, settings)};
  std::vector<BufferPool> pools(worker_count(settings));
  const auto run_one = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    Result result;
    for (size_t i = 0; i < real; ++i) result.found.samples.push_back(batch[i].index);
    result.found.size = batch.size();
    JudgedBatch judged = run(std::move(batch), real, pools[slot]);
    result.found.name = judged.sample_names.front();
    std::vector<bool> comparable(names_.size(), true);
    if (task_) result.found.float_score = tally_of(judged, names_, judged.expected, task_, comparable).task;
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
  JudgedBatch batch = stack_batch(std::move(samples), real, forms_, task_);
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
      throw error.in("sample '" + batch->sample_names.front() + "'");
    }
    const std::scoped_lock lock(mutex);
    done(from + i);
  });
}

Evaluation evaluate_on_batches(size_t count, const std::function<Model(size_t)>& make, const JudgedBatches& batches,
                               const RunSettings& settings, std::string_view task, size_t weight_bytes) {
  const size_t at_once =
      std::max<size_t>(1, weight_bytes / std::max<size_t>(1, kPreparedShare * batches.reference_bytes()));
  std::vector<std::vector<BatchTallies>> found = empty_entries(batches);
  size_t done = 0;
  settings.reporter->begin(task, batches.samples_in(batches.size()) * ((count + at_once - 1) / at_once));
  for (size_t first = 0; first < count; first += at_once) {
    std::vector<Model> variants;
    for (size_t v = first; v < std::min(count, first + at_once); ++v) variants.push_back(make(v));
    run_pass(variants, batches, settings, done, found);
  }
  settings.reporter->end();

  // Entries by the place of their first sample in the source.
  std::vector<std::pair<size_t, BatchTallies*>> order;
  for (size_t b = 0; b < batches.size(); ++b)
    for (size_t e = 0; e < found[b].size(); ++e) order.emplace_back(batches.samples_of(b)[e], &found[b][e]);
  std::ranges::sort(order);
  Tallies tallies(batches.names(), count, true);
  for (const auto& [sample, entry] : order) {
    entry->name = batches.sample_name(sample);
    tallies.add(std::move(*entry), 0);
  }
  return tallies.take(false);
}

}  // namespace detent
