#include "evaluate/task_metric.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/text.h"
#include "datasets/base/csv.h"
#include "datasets/token_list.h"
#include "detent/base/error.h"
#include "evaluate/class_output.h"
#include "run/greedy_decoder.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

constexpr uint16_t kUnlabelled = 255;

constexpr size_t kListed = 5;  // files in a message

std::map<std::string, int64_t> read_label_map(const std::filesystem::path& path) {
  std::map<std::string, int64_t> labels;
  for (const FileLabel& entry : read_labels(path)) {
    const auto [known, added] = labels.emplace(comparable_file(entry.file), entry.label);
    if (!added && known->second != entry.label)
      throw Error(ErrorCode::InvalidData, path.string() + ": " + entry.file + " has two labels, " +
                                              std::to_string(known->second) + " and " + std::to_string(entry.label));
  }
  return labels;
}

using Known = std::function<bool(const std::string& sample)>;

/// Returns the samples that `known` rejects.
std::vector<std::string> unknown_samples(const DataSource& samples, const Known& known) {
  std::vector<std::string> missing;
  for (size_t i = 0; i < samples.size(); ++i)
    if (const std::string name = samples.sample_name(i); !known(name)) missing.push_back(name);
  return missing;
}

/// Throws InvalidData listing the samples that `known` rejects.
void require_all(const DataSource& samples, const std::string& what, const std::string& hint, const Known& known) {
  const std::vector<std::string> missing = unknown_samples(samples, known);
  if (missing.empty()) return;
  throw Error(ErrorCode::InvalidData,
              std::to_string(missing.size()) + " of " + std::to_string(samples.size()) + " samples have no " + what +
                  ": " + listed(missing, kListed),
              hint);
}

/// Warns where most samples have no labels, and so no objects.
/// Errors  InvalidData where none has.
void warn_of_unlabelled(const DataSource& samples, const std::string& folder, Reporter& reporter, const Known& known) {
  const std::vector<std::string> missing = unknown_samples(samples, known);
  const std::string hint = "a file labels the image of the same name: a.txt labels a.jpg";
  if (missing.size() == samples.size())
    throw Error(ErrorCode::InvalidData, folder + ": no file has the name of a sample: " + listed(missing, kListed),
                hint);
  if (2 * missing.size() > samples.size())
    reporter.warn(folder + ": " + std::to_string(missing.size()) + " of " + std::to_string(samples.size()) +
                  " samples have no labels and count as images without objects: " + listed(missing, kListed));
}

/// Refuses samples of which none has anything to score: the metric would have no value.
/// truth  names the file or the option
void require_some(const DataSource& samples, const std::string& truth, const std::string& what, const std::string& hint,
                  const std::function<bool(size_t)>& has_some) {
  for (size_t i = 0; i < samples.size(); ++i)
    if (has_some(i)) return;
  throw Error(ErrorCode::InvalidData,
              truth + ": nothing to score, " + what + " of the " + plural(samples.size(), "sample"), hint);
}

template <class Value>
void warn_of_strays(const std::map<std::string, Value>& labels, const std::filesystem::path& path,
                    const std::string& what, const DataSource& samples, Reporter& reporter) {
  std::map<std::string, Value> strays = labels;
  for (size_t i = 0; i < samples.size(); ++i) strays.erase(comparable_file(samples.sample_name(i)));
  if (strays.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, label] : strays) names.push_back(name);
  reporter.warn(path.string() + ": " + std::to_string(names.size()) + " " + what +
                " belong to no sample of the evaluation: " + listed(names, kListed));
}

/// The outputs that a task is judged by: with their samples in front, and as the model gave them.
struct JudgedOutputs {
  std::span<const std::string> names;
  std::span<const Tensor> in_front, given;

  /// Names the outputs whose sample axis is not known; empty without any.
  [[nodiscard]] std::string lost() const {
    std::string found;
    for (size_t i = 0; i < given.size(); ++i)
      if (in_front[i].empty_handle() && !given[i].empty_handle())
        found += (found.empty() ? "'" : ", '") + names[i] + "'";
    return found.empty() ? found : "; the axis of the samples is not known in " + found;
  }
};

Error no_class_output(const std::string& option, const std::string& form, const JudgedOutputs& outputs) {
  std::string found;
  for (size_t i = 0; i < outputs.names.size(); ++i)
    found += (i ? ", '" : "'") + outputs.names[i] + "' (" + std::string(name_of(outputs.given[i].type())) + " " +
             outputs.given[i].shape().to_string() + ")";
  return {ErrorCode::InvalidOption,
          option + ": no output holds " + form + "; the outputs are " + found + outputs.lost(),
          "judge by --metric-command"};
}

/// Returns the first output that `read` accepts, with its index. Errors  no_class_output().
template <class Read>
std::pair<size_t, ClassOutput> find_output(Read&& read, int64_t samples, const std::string& option,
                                           const std::string& form, const JudgedOutputs& outputs) {
  for (size_t i = 0; i < outputs.in_front.size(); ++i) {
    const Tensor& output = outputs.in_front[i];
    if (output.empty_handle() || output.is_sequence()) continue;
    if (auto classes = read(output, samples)) return {i, std::move(*classes)};
  }
  throw no_class_output(option, form, outputs);
}

void check_class(int64_t given, const ClassOutput& output, const std::string& what, const std::string& name) {
  if (given >= 0 && (output.classes() == 0 || given < output.classes())) return;
  throw Error(ErrorCode::InvalidData, what + " is " + std::to_string(given) + ", but output '" + name +
                                          "' knows the classes 0 to " + std::to_string(output.classes() - 1));
}

void count(std::vector<uint64_t>& counts, int64_t index) {
  const auto i = static_cast<size_t>(index);
  if (counts.size() <= i) counts.resize(i + 1);
  ++counts[i];
}

void score_mask(const Truth& truth, int64_t sample, const ClassOutput& output, const std::string& name,
                TaskSums& sums) {
  const ClassMask& mask = *truth.mask;
  const std::string what = "sample '" + truth.sample + "': ";
  if (mask.height != output.height() || mask.width != output.width())
    throw Error(ErrorCode::InvalidData,
                what + "the mask is " + std::to_string(mask.height) + "x" + std::to_string(mask.width) + ", output '" +
                    name + "' is " + std::to_string(output.height()) + "x" + std::to_string(output.width()),
                "masks must be as large as the output, one pixel for each position");
  for (size_t i = 0; i < mask.classes.size(); ++i) {
    const int64_t given = mask.classes[i];
    if (given == kUnlabelled && output.classes() != 2 && output.classes() <= kUnlabelled) continue;
    check_class(given, output, what + "a pixel of the mask", name);
    const int64_t found = output.class_at(sample, static_cast<int64_t>(i));
    count(sums.unions, given);
    if (found == given)
      count(sums.intersection, given);
    else if (found >= 0)
      count(sums.unions, found);
  }
}

void add_counts(std::vector<uint64_t>& counts, const std::vector<uint64_t>& others) {
  if (counts.size() < others.size()) counts.resize(others.size());
  for (size_t i = 0; i < others.size(); ++i) counts[i] += others[i];
}

}  // namespace

MetricSource truth_source(const EvaluationOptions& options) {
  for (const MetricSource source :
       {MetricSource::Labels, MetricSource::Masks, MetricSource::Tokens, MetricSource::Transcripts})
    if (gives(options, source)) return source;
  return MetricSource::Outputs;
}

TaskSums& TaskSums::operator+=(const TaskSums& other) {
  labelled += other.labelled;
  first += other.first;
  among_five += other.among_five;
  has_five = has_five || other.has_five;
  add_counts(intersection, other.intersection);
  add_counts(unions, other.unions);
  tokens += other.tokens;
  detections += other.detections;
  texts += other.texts;
  return *this;
}

TaskSums& TaskSums::operator-=(const TaskSums& other) {
  labelled -= other.labelled;
  first -= other.first;
  among_five -= other.among_five;
  for (size_t i = 0; i < other.intersection.size(); ++i) intersection[i] -= other.intersection[i];
  for (size_t i = 0; i < other.unions.size(); ++i) unions[i] -= other.unions[i];
  tokens.nats -= other.tokens.nats;
  tokens.tokens -= other.tokens.tokens;
  tokens.first -= other.tokens.first;
  texts -= other.texts;
  return *this;
}

std::map<std::string, double> TaskSums::metrics() const {
  std::map<std::string, double> found;
  if (labelled > 0) found[metrics::kTop1.name] = static_cast<double>(first) / static_cast<double>(labelled);
  if (labelled > 0 && has_five)
    found[metrics::kTop5.name] = static_cast<double>(among_five) / static_cast<double>(labelled);
  detections.add_metrics(found);
  double sum = 0;
  size_t classes = 0;
  for (size_t c = 0; c < unions.size(); ++c) {
    if (unions[c] == 0) continue;
    ++classes;
    if (c < intersection.size()) sum += static_cast<double>(intersection[c]) / static_cast<double>(unions[c]);
  }
  if (classes > 0) found[metrics::kMiou.name] = sum / static_cast<double>(classes);
  if (tokens.tokens > 0) {
    found[metrics::kNats.name] = tokens.nats / static_cast<double>(tokens.tokens);
    found[metrics::kPerplexity.name] = std::exp(found[metrics::kNats.name]);
    found[metrics::kNextToken.name] = static_cast<double>(tokens.first) / static_cast<double>(tokens.tokens);
  }
  if (texts.words > 0) {
    found[metrics::kWer.name] = static_cast<double>(texts.wrong_words) / static_cast<double>(texts.words);
    found[metrics::kCer.name] = static_cast<double>(texts.wrong_characters) / static_cast<double>(texts.characters);
  }
  return found;
}

TaskMetric::TaskMetric(const EvaluationOptions& options, const SampleRequest& request, const DataSource& samples,
                       Reporter& reporter, const Graph* graph, std::optional<DetectionLayout> recognized)
    : recognized_(std::move(recognized)), masks_(options.masks) {
  if (recognized_) detections_.emplace(options, request.preprocess.images, recognized_->classes);
  if (options.next_token) ids_ = find_token_ids(input_specs(*graph, request.batch_axes));
  if (gives(options, MetricSource::Objects)) {
    if (!detections_)
      throw Error(
          ErrorCode::InvalidOption, "the model is no known detector to compare with the boxes of --labels",
          "name the form of its outputs: --detections " + join(kDetectionForms, ", ", &DetectionFormName::name));
    const auto known = [&](const std::string& name) { return detections_->knows(name); };
    if (detections_->needs_every_sample())
      require_all(samples, "image in " + options.labels.string(), "samples and images are matched by their file names",
                  known);
    else
      warn_of_unlabelled(samples, options.labels.string(), reporter, known);
    require_some(samples, options.labels.string(), "no object is labelled in any",
                 "regions of a crowd (iscrowd) and images without objects give no mAP",
                 [&](size_t i) { return detections_->has_objects(samples.sample_name(i)); });
  } else if (!options.labels.empty()) {
    labels_ = read_label_map(options.labels);
    require_all(samples, "label in " + options.labels.string(), "files in it are relative to " + request.option,
                [&](const std::string& name) { return labels_.contains(comparable_file(name)); });
    if (!request.limit && request.shard_count == 1)
      warn_of_strays(labels_, options.labels, "labels", samples, reporter);
  }
  if (!masks_.empty()) {
    require_all(samples, "mask in " + masks_.string(), "masks have the names of the images",
                [&](const std::string& name) { return find_mask(masks_, name).has_value(); });
    require_some(samples, masks_.string(), "every pixel is 255, which is unlabelled, in the masks",
                 "pixels are class numbers from 0 on", [&](size_t i) {
                   const ClassMask mask = read_mask(find_mask(masks_, samples.sample_name(i)).value());
                   return std::ranges::any_of(mask.classes, [](uint16_t pixel) { return pixel != kUnlabelled; });
                 });
  }
  if (ids_)
    require_some(samples, "--next-token", "no token follows another in any", "sequences of two tokens or more",
                 [&](size_t i) {
                   try {
                     const std::vector<int64_t> next = next_tokens(samples.read(i), *ids_);
                     return std::ranges::any_of(next, [](int64_t token) { return token != kNoToken; });
                   } catch (const Error& error) {
                     if (error.code() != ErrorCode::InvalidData) throw;
                     return false;  // the pass reports it, or skips it
                   }
                 });
  if (options.transcripts.empty()) return;
  if (decodes(request))
    throw Error(ErrorCode::Usage,
                "--transcripts of a pipeline with \"decode\" goes with quantize, compare and sensitivity",
                "single steps are judged here: leave --transcripts away");
  if (options.vocabulary.empty())
    throw Error(ErrorCode::Usage, "--transcripts and --vocab need each other",
                "--vocab FILE names the token of each class of the logits");
  vocabulary_ = CtcVocabulary(read_token_list(options.vocabulary), options.vocabulary.string());
  transcripts_ = read_transcript_map(options.transcripts);
  require_all(samples, "transcript in " + options.transcripts.string(), "files in it are relative to " + request.option,
              [&](const std::string& name) { return transcripts_.contains(comparable_file(name)); });
  require_some(samples, options.transcripts.string(), "there is no word in the transcripts",
               "column 'text' holds what is said in the file", [&](size_t i) {
                 return text_errors(transcripts_.at(comparable_file(samples.sample_name(i))), {}).words > 0;
               });
  if (!request.limit && request.shard_count == 1)
    warn_of_strays(transcripts_, options.transcripts, "transcripts", samples, reporter);
}

void TaskMetric::learn_classes(const Model& reference, const DataSource& samples, const RunSettings& settings) {
  if (detections_) detections_->learn_classes(reference, recognized_.value(), samples, settings);
}

std::vector<Truth> TaskMetric::truths_of(std::span<const Sample> samples) const {
  std::vector<Truth> truths;
  for (const Sample& sample : samples) {
    const std::string& name = sample.name;
    Truth truth{.sample = name};
    if (detections_) truth.detections = detections_->truth_of(sample);
    if (!labels_.empty()) truth.label = labels_.at(comparable_file(name));
    if (!masks_.empty()) truth.mask = read_mask(find_mask(masks_, name).value());
    if (ids_) truth.next = next_tokens(sample, *ids_);
    if (vocabulary_) truth.transcript = transcripts_.at(comparable_file(name));
    truths.push_back(std::move(truth));
  }
  return truths;
}

TaskSums TaskMetric::score(std::span<const Truth> truths, std::span<const std::string> names,
                           std::span<const Tensor> given, OutputAxes axes, const PairedDetections* detections) const {
  TaskSums sums;
  const auto samples = std::ssize(truths);
  const std::vector<Tensor> in_front = with_samples_in_front(given, truths.size(), axes);
  const JudgedOutputs outputs{names, in_front, given};
  if (detections_) {
    if (!detections)
      throw no_class_output("--detections",
                            "detections (" + join(kDetectionForms, ", ", &DetectionFormName::outputs) + ")", outputs);
    std::vector<DetectionTruth> known;
    for (const Truth& truth : truths) known.push_back(truth.detections);
    sums.detections = detections_->score(known, *detections);
  }
  if (!labels_.empty()) {
    const auto [i, output] =
        find_output(ClassOutput::of_samples, samples, "--labels", "one score per class for a sample", outputs);
    sums.has_five = output.classes() > 5;
    for (int64_t n = 0; n < samples; ++n) {
      const Truth& truth = truths[static_cast<size_t>(n)];
      check_class(*truth.label, output, "the label of sample '" + truth.sample + "'", names[i]);
      const int64_t rank = output.rank_of(*truth.label, n);
      ++sums.labelled;
      sums.first += rank == 0;
      sums.among_five += rank < 5;
    }
  }
  if (!masks_.empty()) {
    const auto [i, output] =
        find_output(ClassOutput::of_pixels, samples, "--masks", "one score per class for a pixel", outputs);
    for (int64_t n = 0; n < samples; ++n) score_mask(truths[static_cast<size_t>(n)], n, output, names[i], sums);
  }
  if (ids_) {
    std::vector<std::vector<int64_t>> next;
    for (const Truth& truth : truths) next.push_back(truth.next);
    sums.tokens = score_next_tokens(next, names, in_front);
  }
  if (vocabulary_) {
    const std::vector<std::string> texts = vocabulary_->read(samples, names, in_front);
    for (size_t n = 0; n < texts.size(); ++n) sums.texts += text_errors(*truths[n].transcript, texts[n]);
  }
  return sums;
}

}  // namespace detent
