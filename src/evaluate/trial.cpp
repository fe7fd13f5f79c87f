#include "evaluate/trial.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "core/stopwatch.h"
#include "detections/detection_error.h"
#include "detent/base/progress.h"
#include "evaluate/batch_errors.h"
#include "evaluate/match_rows.h"
#include "evaluate/paired_detections.h"
#include "evaluate/prepared_model.h"
#include "exec/buffer_pool.h"
#include "exec/runnable_part.h"
#include "run/model_inputs.h"
#include "run/own_steps.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Runs the float model and variants on one batch and passes on their outputs one after the other.
using RunModels = std::function<void(const JudgedBatch& batch, BufferPool& pool, const ModelsSideBySide::Take& take)>;

/// Reads the samples of a batch from another source.
std::vector<Tensor> read_again(const DataSource& source, const JudgedBatch& batch) {
  std::vector<Sample> samples;
  for (size_t n = 0; n < batch.size; ++n) samples.push_back(source.read(batch.index + std::min(n, batch.real - 1)));
  return stack_samples(std::move(samples));
}

/// Removes the elements that are not wanted.
template <class T>
void keep_where(std::vector<T>& all, const std::vector<bool>& wanted) {
  size_t i = 0;
  std::erase_if(all, [&](const T&) { return !wanted[i++]; });
}

/// True for `count` of the numbers below `size`, all of them where that is not less.
bool is_evenly_chosen(size_t i, size_t size, size_t count) {
  return count >= size || (count > 0 && (i * count + size - 1) / size * size / count == i);
}

/// Returns the steps that a request cuts its samples into.
std::optional<size_t> steps_of(const EvaluationRequest& request) {
  return request.request ? request.request->steps : std::nullopt;
}

/// The passes over the samples of one request.
class Trial {
 public:
  Trial(const EvaluationRequest& request, size_t variants)
      : request_(request), task_(request.judge && request.judge->given() ? request.judge : nullptr),
        forms_{find_axes(request), find_forms(task_, request.reference, request.source, request.settings)},
        pools_(worker_count(request.settings)), variants_(variants),
        tallies_(request.names, variants, request.by_batch, steps_of(request).value_or(0)) {}

  /// Runs the float model and `count` variants from `first` on over all samples.
  void run(size_t first, size_t count, const RunModels& models) {
    const auto run = [&](size_t slot, std::vector<Sample>&& samples, size_t real) {
      const std::vector<size_t> shown = shown_of(std::span(samples).first(real));
      JudgedBatch batch = stack_batch(std::move(samples), real, forms_, task_);
      batch.shown = shown;
      return run_batch(models, 1 + count, std::move(batch), pools_[slot]);
    };
    const auto add = [&](BatchTallies&& batch) {
      for (size_t m = 0; m < batch.outputs.size(); ++m)
        if (m > 0 || first == 0)
          request_.command->append(m > 0 ? first + m : 0, batch.outputs[m], batch.real, forms_.axes);
      request_.settings.reporter->advance_to(finished_ += batch.real);
      tallies_.add(std::move(batch), first);
    };
    const bool one_pass = count == variants_ && !request_.command;
    skipped_ = run_over<BatchTallies>(
                   {.source = request_.source, .settings = request_.settings, .may_be_cut = one_pass}, run, add)
                   .skipped;
  }

  [[nodiscard]] Evaluation take() {
    Evaluation found = tallies_.take(task_ != nullptr);
    found.skipped = skipped_;
    for (size_t i = 0; i < found.outputs.size(); ++i)
      if (const OutputReading* reading = find_reading(forms_.outputs.readings, found.outputs[i]))
        found.meanings.push_back(
            describe_output(*reading, found.errors.empty() ? RowFacts{} : found.errors.front()[i].rows));
    return found;
  }

 private:
  /// Returns the places of the samples whose detections are kept.
  [[nodiscard]] std::vector<size_t> shown_of(std::span<const Sample> samples) const {
    std::vector<size_t> shown;
    for (size_t n = 0; forms_.outputs.detections && n < samples.size(); ++n)
      if (is_evenly_chosen(samples[n].index, request_.source.size(), request_.shown_samples)) shown.push_back(n);
    return shown;
  }

  static std::vector<SampleAxis> find_axes(const EvaluationRequest& request) {
    const Graph& graph = request.reference.graph();
    const std::vector<ValueId> wanted = values_named(graph, request.names);
    return find_sample_axes(graph, wanted, request.source, request.settings).of(wanted);
  }

  [[nodiscard]] BatchTallies run_batch(const RunModels& run, size_t models, JudgedBatch batch, BufferPool& pool) const {
    BatchTallies found{batch.sample_names.front(),
                       batch.index,
                       batch.real,
                       std::vector<Tally>(models),
                       std::vector<bool>(request_.names.size(), true),
                       std::vector<double>(models)};
    if (request_.command) found.outputs.resize(models);
    Stopwatch stopwatch;
    const auto take = [&](std::optional<size_t> variant, std::vector<Tensor>&& outputs) {
      const size_t m = variant ? 1 + *variant : 0;
      found.seconds[m] = stopwatch.seconds();
      if (request_.command) found.outputs[m] = outputs;
      std::vector<Tensor> counted = batch.counted(std::move(outputs));
      found.models[m] = tally_of(batch, request_.names, counted, task_, found.comparable);
      if (!variant) batch.expected = std::move(counted);
      stopwatch = Stopwatch();  // comparing does not count
    };
    run(batch, pool, take);
    return found;
  }

  const EvaluationRequest& request_;
  const TaskMetric* task_;
  ValueForms forms_;
  std::vector<BufferPool> pools_;
  size_t variants_;
  Tallies tallies_;
  size_t finished_ = 0, skipped_ = 0;
};

}  // namespace

OutputForms find_forms(const TaskMetric* task, const Model& reference, const DataSource& source,
                       const RunSettings& settings) {
  OutputForms forms = recognize_outputs(reference, source, settings, task ? task->recognized() : std::nullopt);
  if (task) apply_task(forms.readings, task->source());
  return forms;
}

std::vector<Tensor> JudgedBatch::counted(std::vector<Tensor> outputs) const {
  return real_part(std::move(outputs), size, real, axes);
}

JudgedBatch stack_batch(std::vector<Sample>&& samples, size_t real, const ValueForms& forms, const TaskMetric* task) {
  JudgedBatch batch{.index = samples.front().index, .size = samples.size(), .real = real};
  const auto counted = std::span(samples).first(real);
  for (const Sample& sample : counted) batch.sample_names.push_back(sample.name);
  if (task) batch.truths = task->truths_of(counted);
  batch.content = content_of(counted);
  batch.axes = forms.axes;
  batch.forms = forms.outputs;
  batch.inputs = stack_samples(std::move(samples));
  batch.image = input_size(batch.inputs);
  return batch;
}

Tally& Tally::operator+=(const Tally& other) {
  errors.resize(std::max(errors.size(), other.errors.size()));
  for (size_t i = 0; i < other.errors.size(); ++i) errors[i] += other.errors[i];
  task += other.task;
  shown.insert(shown.end(), other.shown.begin(), other.shown.end());
  return *this;
}

std::optional<PairedDetections> pair_detections_in(const JudgedBatch& batch, const DetectionLayout& layout,
                                                   std::span<const std::string> names, std::span<const Tensor> expected,
                                                   std::span<const Tensor> outputs, float above) {
  return PairedDetections::of(layout, names, with_samples_in_front(expected, batch.real, batch.axes),
                              with_samples_in_front(outputs, batch.real, batch.axes), batch.real, batch.image, above);
}

Tally tally_of(const JudgedBatch& batch, const std::vector<std::string>& names, const std::vector<Tensor>& outputs,
               const TaskMetric* task, std::vector<bool>& comparable) {
  Tally tally;
  const bool is_reference = batch.expected.empty();
  std::optional<PairedDetections> pairs;
  if (batch.forms.detections && (task || !is_reference))
    pairs = pair_detections_in(batch, *batch.forms.detections, names, is_reference ? outputs : batch.expected, outputs,
                               task ? kLeastScore : kComparedFrom);
  if (task) tally.task = task->score(batch.truths, names, outputs, batch.axes, pairs ? &*pairs : nullptr);
  if (is_reference) return tally;
  const std::vector<bool> before = comparable;
  std::vector<const OutputReading*> readings;
  for (const std::string& name : names) readings.push_back(find_reading(batch.forms.readings, name));
  tally.errors = errors_of(batch.expected, match_rows(batch.forms.rows, names, batch.expected, outputs), batch.content,
                           batch.axes, comparable, readings);
  if (!pairs) return tally;
  for (size_t i = 0; i < names.size(); ++i)  // numbers of rows may differ
    if (batch.forms.detections->holds(names[i])) comparable[i] = before[i];
  pairs->replace_errors(tally.errors, *batch.forms.detections, names);
  for (const size_t n : batch.shown)
    tally.shown.push_back(ShownDetections::of(batch.sample_names[n], pairs->expected[n], pairs->found[n]));
  return tally;
}

Error nothing_compared() {
  return {ErrorCode::InvalidOption,
          "no output can be compared: each is integer, or changes its shape between variants"};
}

Tallies::Tallies(std::vector<std::string> outputs, size_t variants, bool by_batch, size_t steps)
    : comparable_(outputs.size(), true), by_batch_(by_batch), steps_(steps) {
  sums_.errors.assign(variants, std::vector<ErrorSums>(outputs.size()));
  sums_.by_batch.resize(by_batch ? variants : 0);
  sums_.shown.resize(variants);
  sums_.task.resize(1 + variants);
  sums_.task_by_batch.resize(1 + variants);
  sums_.seconds.resize(1 + variants);
  sums_.outputs = std::move(outputs);
}

void Tallies::keep(std::vector<ErrorSums>&& errors, TaskSums&& task, size_t place, bool goes_on) {
  if (!goes_on) {
    sums_.task_by_batch[place].push_back(std::move(task));
    if (place > 0) sums_.by_batch[place - 1].push_back(std::move(errors));
    return;
  }
  sums_.task_by_batch[place].back() += task;
  for (size_t i = 0; i < errors.size(); ++i) sums_.by_batch[place - 1].back()[i] += errors[i];
}

void Tallies::add(BatchTallies&& batch, size_t first) {
  const std::pair sample(first, steps_ > 0 ? batch.index / steps_ : batch.index);
  const bool goes_on = steps_ > 0 && last_ == sample;
  last_ = sample;
  for (size_t i = 0; i < comparable_.size(); ++i) comparable_[i] = comparable_[i] && batch.comparable[i];
  for (size_t m = first == 0 ? 0 : 1; m < batch.models.size(); ++m) {
    const size_t place = m == 0 ? 0 : first + m;
    auto& [errors, task, shown] = batch.models[m];
    if (!batch.seconds.empty()) sums_.seconds[place] += batch.seconds[m];
    sums_.task[place] += task;
    for (size_t i = 0; i < errors.size(); ++i) sums_.errors[place - 1][i] += errors[i];
    if (m > 0) std::ranges::move(shown, std::back_inserter(sums_.shown[place - 1]));
    if (by_batch_) keep(std::move(errors), std::move(task), place, goes_on);
  }
  if (first > 0 || goes_on) return;
  sums_.samples += batch.real;
  if (by_batch_) sums_.batch_names.push_back(steps_ > 0 ? sample_of_step(batch.name) : std::move(batch.name));
}

Evaluation Tallies::take(bool judged) {
  keep_where(sums_.outputs, comparable_);
  for (std::vector<ErrorSums>& outputs : sums_.errors) keep_where(outputs, comparable_);
  for (auto& batches : sums_.by_batch)
    for (std::vector<ErrorSums>& outputs : batches) keep_where(outputs, comparable_);
  if (!judged) sums_.task.clear(), sums_.task_by_batch.clear();
  return std::move(sums_);
}

namespace {

/// Returns variants one by one, as they stand or made for the caller.
using VariantAt = std::function<std::shared_ptr<const Model>(size_t)>;

/// The variants of one pass.
struct PassedVariants {
  std::vector<std::shared_ptr<const Model>> models;
  std::vector<std::unique_ptr<const PreparedModel>> prepared;
  std::vector<std::unique_ptr<DataSource>> own;  ///< their steps; empty: samples are whole

  PassedVariants(const VariantAt& variant, size_t first, size_t count, const EvaluationRequest& request, int team) {
    const RunSettings& settings = request.settings;
    for (size_t v = first; v < first + count; ++v) {
      models.push_back(variant(v));
      prepared.push_back(std::make_unique<const PreparedModel>(*models.back(), request.names, team, settings.products));
      if (steps_of(request)) own.push_back(own_steps(*models.back(), *request.request, request.source, settings));
    }
  }

  [[nodiscard]] std::vector<Tensor> run(size_t v, const JudgedBatch& batch, BufferPool& pool) const {
    return own.empty() ? prepared[v]->run(batch.inputs, pool) : prepared[v]->run(read_again(*own[v], batch), pool);
  }
};

Evaluation evaluate(size_t count, const VariantAt& variant, const EvaluationRequest& request) {
  constexpr size_t kCopiesOfSteps = 2;  // the model that writes the states, and that one's packed weights
  const int team = team_size(request.settings, request.source);
  const size_t copies = kPreparedShare + (steps_of(request) ? kCopiesOfSteps : 0);
  const size_t at_once =
      std::max<size_t>(1, request.weight_bytes / std::max<size_t>(1, copies * request.reference.byte_size()));
  const PreparedModel original(request.reference, request.names, team);
  Trial trial(request, count);
  Reporter& reporter = *request.settings.reporter;
  reporter.begin(request.task, request.source.size() * ((count + at_once - 1) / at_once));
  for (size_t first = 0; first < count; first += at_once) {
    const PassedVariants passed(variant, first, std::min(at_once, count - first), request, team);
    trial.run(first, passed.models.size(),
              [&](const JudgedBatch& batch, BufferPool& pool, const ModelsSideBySide::Take& take) {
                take(std::nullopt, original.run(batch.inputs, pool));
                for (size_t v = 0; v < passed.models.size(); ++v) take(v, passed.run(v, batch, pool));
              });
  }
  reporter.end();
  Evaluation found = trial.take();
  if (!found.task.empty() && request.judge->judges_tokens() && found.task.front().tokens.tokens == 0)
    throw Error(ErrorCode::InvalidData, "--next-token: no token of the data has a next token that is not padding",
                "give sequences of two tokens or more, or windows of a longer one");
  return found;
}

}  // namespace

Evaluation evaluate_models(std::span<const Model> variants, const EvaluationRequest& request) {
  const auto standing = [&](size_t v) { return std::shared_ptr<const Model>(std::shared_ptr<void>(), &variants[v]); };
  return evaluate(variants.size(), standing, request);
}

Evaluation evaluate_models(size_t count, const std::function<Model(size_t)>& make, const EvaluationRequest& request) {
  const auto made = [&](size_t v) { return std::make_shared<const Model>(make(v)); };
  return evaluate(count, made, request);
}

Evaluation evaluate_side_by_side(ModelsSideBySide& variants, const EvaluationRequest& request) {
  Trial trial(request, variants.size());
  variants.prepare(request.names, team_size(request.settings, request.source));
  request.settings.reporter->begin(request.task, request.source.size());
  trial.run(0, variants.size(), [&](const JudgedBatch& batch, BufferPool& pool, const ModelsSideBySide::Take& take) {
    variants.run(batch.inputs, pool, take);
  });
  request.settings.reporter->end();
  return trial.take();
}

}  // namespace detent
