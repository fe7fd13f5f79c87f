#include "evaluate/certainty.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "detections/decode.h"
#include "evaluate/batch_errors.h"
#include "evaluate/detection_judge.h"
#include "evaluate/prepared_model.h"
#include "evaluate/trial.h"
#include "exec/runnable_part.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

constexpr size_t kBoxesCounted = 20;
constexpr int64_t kRowsCounted = 256, kNumbersCounted = 1'000'000;
constexpr float kSeen = 0.25F;     // the score from which ultralytics shows a box
constexpr double kMostBoxes = 80;  // a picture
constexpr double kSharpness = 2;   // standard deviation of the logits of a row
constexpr int64_t kMostClasses = 20000, kFewestClasses = 2;
constexpr double kLeastTold = 0.02, kUnsure = 0.6;  // of two classes: nats, and the share of the most entropy

/// The answers for one sample.
struct Shown {
  std::vector<std::vector<double>> rows = {};  ///< distributions over the classes
  double top = 0;                              ///< mean score of the highest boxes
  size_t boxes = 0;                            ///< that would be shown
};

/// The answers for a batch.
struct BatchShown {
  std::vector<Shown> samples;
  std::vector<Tensor> first;         ///< each output of the first sample
  std::vector<bool> equal, finite;   ///< by output: the same for all samples of the batch; all numbers finite
  std::vector<bool> larger_picture;  ///< by output: Certainty::larger_pictures
};

/// Returns the distribution that the logits of a row give at the common sharpness; probabilities are taken as logits by
/// their logarithms.
std::vector<double> distribution_of(std::vector<double> row) {
  constexpr double kLeast = 1e-7;
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  const bool probabilities = *std::ranges::min_element(row) >= 0 && std::abs(sum - 1) < 0.01;
  if (probabilities)
    for (double& number : row) number = std::log(std::max(number, kLeast));
  const auto count = static_cast<double>(row.size());
  const double mean = std::accumulate(row.begin(), row.end(), 0.0) / count;
  double squares = 0;
  for (const double number : row) squares += (number - mean) * (number - mean);
  const double sharpened = squares > 0 ? kSharpness / std::sqrt(squares / count) : 0;
  const double scale = row.size() == 2 ? 1 : sharpened;
  const double most = *std::ranges::max_element(row);
  double total = 0;
  for (double& number : row) total += number = std::exp(scale * (number - most));
  for (double& number : row) number /= total;
  return row;
}

/// Returns the distributions of a sample's rows, evenly: at most kRowsCounted, and fewer of very many classes.
std::vector<std::vector<double>> rows_of(const Tensor& output, size_t axis, int64_t sample) {
  const Shape& shape = output.shape();
  const int64_t classes = shape[axis];
  int64_t inner = 1, outer = 1;
  for (size_t i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  for (size_t i = 1; i < axis; ++i) outer *= shape[i];
  const float* const first = output.data<float>().data() + sample * outer * classes * inner;
  const int64_t rows = outer * inner, counted = std::clamp(kNumbersCounted / classes, int64_t{1}, kRowsCounted);
  const int64_t step = std::max<int64_t>(1, (rows + counted - 1) / counted);
  std::vector<std::vector<double>> found;
  for (int64_t r = 0; r < rows; r += step) {
    const float* const row = first + (r / inner) * classes * inner + r % inner;
    std::vector<double> numbers;
    for (int64_t c = 0; c < classes; ++c) numbers.push_back(row[c * inner]);
    if (std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); }))
      found.push_back(distribution_of(std::move(numbers)));
  }
  return found;
}

/// The output that is read, and how.
struct Reading {
  Certainty::Of of = Certainty::Of::Nothing;
  size_t place = 0, axis = 1;  ///< of the output, and of its classes
  std::optional<DetectionLayout> layout = {};
};

Reading reading_of(const OutputForms& forms, const std::vector<std::string>& names) {
  if (forms.detections) return {Certainty::Of::Detections, 0, 1, forms.detections};
  for (size_t i = 0; i < names.size(); ++i) {
    const OutputReading* const reading = find_reading(forms.readings, names[i]);
    if (reading && reading->axis && is_of_classes(reading->meaning.kind))
      return {Certainty::Of::Classes, i, static_cast<size_t>(*reading->axis)};
  }
  return {};
}

bool reads_classes(const Reading& reading, const Tensor& output, size_t samples) {
  return reading.of == Certainty::Of::Classes && output.type() == DataType::Float32 && reading.axis > 0 &&
         reading.axis < output.shape().rank() && output.shape()[0] >= static_cast<int64_t>(samples) &&
         output.shape()[reading.axis] >= kFewestClasses && output.shape()[reading.axis] <= kMostClasses;
}

/// Adds what boxes a sample shows.
void add_boxes(const DetectionReader& reader, int64_t sample, InputSize size, Shown& shown) {
  for (const Detection& one : reader.read(sample, size, kLeastScore)) {
    if (!is_finite(one)) continue;
    shown.boxes += one.score >= kSeen ? 1 : 0;
    shown.rows.push_back({one.score});
  }
  std::ranges::sort(shown.rows, std::greater());
  shown.rows.resize(std::min(shown.rows.size(), kBoxesCounted));
  for (const auto& row : shown.rows) shown.top += row.front() / static_cast<double>(kBoxesCounted);
  shown.rows.clear();
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.byte_count() == b.byte_count() && std::memcmp(a.raw(), b.raw(), a.byte_count()) == 0;
}

bool all_finite(const Tensor& tensor) {
  if (tensor.type() != DataType::Float32) return true;
  return std::ranges::all_of(tensor.data<float>(), [](float number) { return std::isfinite(number); });
}

/// The mean and the deviation of a tensor's numbers, and the share that pixels of 8 bits may have.
struct PixelFacts {
  double mean = 0, deviation = 0, share = 0;

  explicit PixelFacts(std::span<const float> numbers) {
    constexpr float kBeyond = 32;  // networks do not cut what they paint
    double sum = 0, squares = 0, inside = 0;
    for (const float x : numbers) {
      sum += x, squares += static_cast<double>(x) * x;
      inside += x >= -kBeyond && x <= 255 + kBeyond ? 1 : 0;
    }
    const auto count = static_cast<double>(std::max<size_t>(1, numbers.size()));
    mean = sum / count, share = inside / count;
    deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  }
};

/// True where an output has the form of the pictures that the model reads, in numbers of pixels, and those are smaller.
bool is_larger_picture(std::span<const Tensor> inputs, const Tensor& output) {
  constexpr double kTimes = 32, kLeastMean = 16, kMostMean = 240, kLeastDeviation = 8, kMostPixels = 0.9;
  if (inputs.size() != 1 || inputs[0].type() != DataType::Float32 || inputs[0].shape().rank() != 4) return false;
  if (output.empty_handle() || output.type() != DataType::Float32 || output.shape() != inputs[0].shape()) return false;
  const Tensor plain = to_plain(output), input = to_plain(inputs[0]);
  const PixelFacts made(plain.data<float>()), read(input.data<float>());
  return made.share >= kMostPixels && made.mean >= kLeastMean && made.mean <= kMostMean &&
         made.deviation >= kLeastDeviation && made.deviation > kTimes * read.deviation;
}

/// Adds the first sample of an output, and whether the others are the same and all are finite.
void add_facts(const Tensor& output, size_t samples, BatchShown& shown) {
  const bool splits = !output.empty_handle() && samples > 1;
  const std::vector<Tensor> one{output};
  shown.first.push_back(splits ? row_of(one, 0).front() : output);
  bool equal = !output.empty_handle() && output.element_count() > 0;
  for (size_t n = 1; splits && n < samples; ++n)
    equal = equal && same_bytes(shown.first.back(), row_of(one, n).front());
  shown.equal.push_back(equal);
  shown.finite.push_back(output.empty_handle() || all_finite(output));
}

/// Gathers what batches show, in their order.
class Gatherer {
 public:
  explicit Gatherer(std::vector<std::string> names) : names_(std::move(names)) {}

  void add(BatchShown&& batch) {
    for (Shown& one : batch.samples) shown_.push_back(std::move(one));
    if (equal_.empty()) {
      equal_ = batch.equal, finite_ = batch.finite, first_ = batch.first;
      larger_picture_ = batch.larger_picture;
    }
    for (size_t i = 0; i < names_.size(); ++i) {
      equal_[i] = equal_[i] && batch.equal[i] && same_bytes(first_[i], batch.first[i]);
      finite_[i] = finite_[i] && batch.finite[i];
      larger_picture_[i] = larger_picture_[i] && batch.larger_picture[i];
    }
  }

  Certainty take(const Reading& reading) {
    Certainty result;
    for (size_t i = 0; i < equal_.size(); ++i) {
      if (equal_[i] && shown_.size() > 1) result.dull.push_back(names_[i]);
      if (!finite_[i]) result.broken.push_back(names_[i]);
      if (larger_picture_[i]) result.larger_pictures.push_back(names_[i]);
    }
    if (reading.of == Certainty::Of::Nothing || shown_.empty()) return result;
    result.output = names_[reading.place];
    if (reading.of == Certainty::Of::Detections) {
      result.of = reading.of;
      double boxes = 0;
      for (const Shown& one : shown_) boxes += static_cast<double>(one.boxes);
      const bool plausible = boxes <= kMostBoxes * static_cast<double>(shown_.size());
      for (const Shown& one : shown_) result.by_sample.push_back(plausible ? one.top : 0);
    } else if (has_same_classes()) {
      result.of = reading.of;
      result.by_sample = divergences();
      result.two_classes = shown_.front().rows.front().size() == 2;
      result.at_chance = result.two_classes && shown_.size() > 1 && result.mean() < kLeastTold &&
                         mean_entropy() > kUnsure * std::log(2.0);
    }
    return result;
  }

 private:
  /// True where every sample has rows, all of the same classes.
  [[nodiscard]] bool has_same_classes() const {
    return std::ranges::all_of(shown_, [&](const Shown& one) {
      return !one.rows.empty() && std::ranges::all_of(one.rows, [&](const std::vector<double>& row) {
        return row.size() == shown_.front().rows.front().size();
      });
    });
  }

  [[nodiscard]] double mean_entropy() const {
    double sum = 0, rows = 0;
    for (const Shown& one : shown_)
      for (const auto& row : one.rows) {
        for (const double share : row)
          if (share > 0) sum -= share * std::log(share);
        ++rows;
      }
    return sum / rows;
  }

  [[nodiscard]] std::vector<double> divergences() const {
    std::vector<double> mean(shown_.front().rows.front().size());
    double rows = 0;
    for (const Shown& one : shown_)
      for (const auto& row : one.rows) {
        for (size_t c = 0; c < mean.size(); ++c) mean[c] += row[c];
        ++rows;
      }
    std::vector<double> found;
    for (const Shown& one : shown_) {
      double sum = 0;
      for (const auto& row : one.rows)
        for (size_t c = 0; c < row.size(); ++c)
          if (row[c] > 0) sum += row[c] * std::log(row[c] * rows / mean[c]);
      found.push_back(sum / static_cast<double>(one.rows.size()));
    }
    return found;
  }

  std::vector<std::string> names_;
  std::vector<Shown> shown_;
  std::vector<Tensor> first_;
  std::vector<bool> equal_, finite_, larger_picture_;
};

}  // namespace

double Certainty::mean() const {
  if (by_sample.empty()) return 0;
  return std::accumulate(by_sample.begin(), by_sample.end(), 0.0) / static_cast<double>(by_sample.size());
}

Certainty measure_certainty(const Model& model, const DataSource& source, const RunSettings& settings) {
  if (source.size() == 0) return {};
  std::vector<std::string> names;
  const RunnablePart runnable(model.graph());
  for (const ValueId id : model.graph().outputs())
    if (runnable.can_run(id)) names.push_back(model.graph().value(id).name);
  if (names.empty()) return {};
  const PreparedModel prepared(model, names, team_size(settings, source));
  const ValueForms forms{prepared.sample_axes(source, settings), recognize_outputs(model, source, settings)};
  const Reading reading = reading_of(forms.outputs, names);
  std::vector<BufferPool> pools(worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& samples, size_t real) {
    const JudgedBatch batch = stack_batch(std::move(samples), real, forms, nullptr);
    const std::vector<Tensor> outputs =
        with_samples_in_front(batch.counted(prepared.run(batch.inputs, pools[slot])), batch.real, batch.axes);
    BatchShown shown{std::vector<Shown>(batch.real), {}, {}, {}, {}};
    std::optional<DetectionReader> reader;
    if (reading.layout) reader = DetectionReader::of(*reading.layout, names, outputs, static_cast<int64_t>(batch.real));
    for (size_t n = 0; n < batch.real; ++n) {
      const auto sample = static_cast<int64_t>(n);
      if (reader) add_boxes(*reader, sample, batch.image, shown.samples[n]);
      if (const Tensor& output = outputs[reading.place]; reads_classes(reading, output, batch.real))
        shown.samples[n].rows = rows_of(output, reading.axis, sample);
    }
    for (const Tensor& output : outputs) {
      add_facts(output, batch.real, shown);
      shown.larger_picture.push_back(is_larger_picture(batch.inputs, output));
    }
    return shown;
  };
  Gatherer gatherer(names);
  run_over<BatchShown>({.source = source, .settings = settings, .may_be_cut = false}, run,
                       [&](BatchShown&& batch) { gatherer.add(std::move(batch)); });
  return gatherer.take(reading);
}

CertaintyGain compare_certainty(const Certainty& given, const Certainty& other) {
  const size_t count = given.by_sample.size();
  if (given.of != other.of || other.by_sample.size() != count || count == 0) return {};
  CertaintyGain gain{.gain = other.mean() - given.mean()};
  gain.share = gain.gain / std::max(given.mean(), 1e-3);
  constexpr size_t kFewest = 4;
  if (count < kFewest) return gain;
  double squares = 0;
  for (size_t i = 0; i < count; ++i) {
    const double apart = other.by_sample[i] - given.by_sample[i] - gain.gain;
    squares += apart * apart;
  }
  const double error = std::sqrt(squares / static_cast<double>(count - 1) / static_cast<double>(count));
  constexpr double kExact = 1e-9;
  gain.errors = gain.gain / std::max(error, kExact);
  return gain;
}

}  // namespace detent
