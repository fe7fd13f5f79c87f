#include "detent/base/data_source.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/files/reach.h"
#include "core/index.h"
#include "core/text.h"
#include "datasets/audio/audio_preprocess.h"
#include "datasets/base/array_fit.h"
#include "datasets/data_source_list.h"
#include "datasets/images/preprocess.h"
#include "datasets/synthetic.h"
#include "detent/base/error.h"
#include "detent/base/input_files.h"

namespace detent {

namespace {

/// Selected samples of a source.
class SelectedSource final : public DataSource {
 public:
  SelectedSource(std::unique_ptr<DataSource> source, std::vector<size_t> chosen)
      : source_(std::move(source)), chosen_(std::move(chosen)) {}

  size_t size() const override { return chosen_.size(); }
  std::string sample_name(size_t i) const override { return source_->sample_name(chosen_[i]); }
  Sample read(size_t i) const override {
    Sample sample = source_->read(chosen_[i]);
    sample.index = i;
    return sample;
  }
  size_t batch() const override { return source_->batch(); }

 private:
  std::unique_ptr<DataSource> source_;
  std::vector<size_t> chosen_;
};

/// Applies shuffle, limit and shard, in this order; sample.index becomes the position after them.
///
/// Shuffle: Fisher-Yates over SplitMix64(seed), the same order on every machine. Shard I/N keeps every N-th group of
/// `source->batch()` consecutive samples from the I-th on, including an incomplete last group.
/// Errors  Usage for a shard that is not 1 <= I <= N; InvalidData when no sample is left.
std::unique_ptr<DataSource> select_samples(std::unique_ptr<DataSource> source, const DataOptions& options) {
  const std::string shard = std::to_string(options.shard_index) + "/" + std::to_string(options.shard_count);
  if (options.shard_index < 1 || options.shard_index > options.shard_count)
    throw Error(ErrorCode::Usage, "--shard " + shard + " is invalid: give I/N with I from 1 to N");
  if (options.limit == size_t{0}) throw Error(ErrorCode::Usage, "--limit 0 leaves no samples");
  if (!options.shuffle && !options.limit && options.shard_count == 1) return source;
  std::vector<size_t> order(source->size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (options.shuffle) {
    RandomBits bits(*options.shuffle);
    for (size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[bits.below(left)]);
  }
  if (options.limit && *options.limit < order.size()) {
    const size_t all = order.size(), kept = *options.limit;
    for (size_t i = 0; options.spread && i < kept; ++i) order[i] = order[i * all / kept];
    order.resize(kept);
  }
  std::vector<size_t> chosen;
  for (size_t i = 0; i < order.size(); ++i)
    if (i / source->batch() % options.shard_count == options.shard_index - 1) chosen.push_back(order[i]);
  if (chosen.empty())
    throw Error(ErrorCode::InvalidData,
                "--shard " + shard + " of " + std::to_string(order.size()) + " samples is empty");
  return std::make_unique<SelectedSource>(std::move(source), std::move(chosen));
}

/// A source whose samples have batch axes; it may be a caller's own source.
class BatchedSource final : public DataSource {
 public:
  BatchedSource(std::shared_ptr<const DataSource> source, std::vector<int> axes, size_t batch)
      : source_(std::move(source)), axes_(std::move(axes)), batch_(batch) {}

  size_t size() const override { return source_->size(); }
  std::string sample_name(size_t i) const override { return source_->sample_name(i); }
  Sample read(size_t i) const override {
    Sample sample = source_->read(i);
    if (sample.inputs.size() != axes_.size())
      throw Error(ErrorCode::InvalidData, sample_name(i) + " holds " + std::to_string(sample.inputs.size()) +
                                              " tensors, the model has " + std::to_string(axes_.size()) + " inputs");
    sample.batch_axes = axes_;
    return sample;
  }
  size_t batch() const override { return batch_; }

 private:
  std::shared_ptr<const DataSource> source_;
  std::vector<int> axes_;
  size_t batch_;
};

/// Returns the first extent that all inputs fix; 1 when they differ, -1 when all are open.
int64_t common_first_extent(std::span<const InputSpec> inputs) {
  int64_t common = -1;
  for (const InputSpec& input : inputs) {
    if (input.shape.empty() || input.shape[0] < 1) continue;
    if (common > 0 && common != input.shape[0]) return 1;
    common = input.shape[0];
  }
  return common;
}

/// Returns the inputs with their batch axes; without one in the spec, axis 0 when its extent is open, 1, or the same in
/// all inputs.
std::vector<FeedInput> feed_inputs(std::span<const InputSpec> inputs) {
  const int64_t common = common_first_extent(inputs);
  std::vector<FeedInput> result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<int64_t>& shape = inputs[i].shape;
    const bool leads = !shape.empty() && (shape[0] < 0 || shape[0] == 1 || shape[0] == common);
    result.push_back({inputs[i], i, inputs[i].batch_axis.value_or(leads ? 0 : kNoBatchAxis)});
  }
  return result;
}

/// Adds batch axes and the batch size to a source.
std::unique_ptr<DataSource> with_batch_layout(std::shared_ptr<const DataSource> source,
                                              std::span<const InputSpec> inputs) {
  std::vector<int> axes;
  for (const FeedInput& input : feed_inputs(inputs)) axes.push_back(input.batch_axis);
  return std::make_unique<BatchedSource>(std::move(source), std::move(axes), group_size(inputs));
}

/// Samples of arrays in memory, one per input, named "sample 1" and so on.
/// Errors  InvalidData for another number of arrays than inputs, an array that does not fit its input or holds no
/// samples, and arrays with different numbers of samples.
class ArraySource final : public DataSource {
 public:
  ArraySource(std::span<const Tensor> arrays, std::span<const FeedInput> inputs)
      : arrays_(arrays.begin(), arrays.end()), inputs_(inputs.begin(), inputs.end()) {
    if (arrays_.size() != inputs_.size())
      throw Error(ErrorCode::InvalidData, std::to_string(arrays_.size()) + " arrays were given, the model has " +
                                              std::to_string(inputs_.size()) + " inputs");
    for (size_t i = 0; i < arrays_.size(); ++i) {
      fits_.push_back(fit_array(arrays_[i].shape(), inputs_[i]));
      if (fits_[i].samples == 0)
        throw Error(ErrorCode::InvalidData, "the array for the input '" + inputs_[i].spec.name + "' holds no samples");
      if (fits_[i].samples != fits_[0].samples)
        throw Error(ErrorCode::InvalidData, "the array for the input '" + inputs_[i].spec.name + "' holds " +
                                                std::to_string(fits_[i].samples) + " samples, that for '" +
                                                inputs_[0].spec.name + "' " + std::to_string(fits_[0].samples));
    }
  }

  size_t size() const override { return fits_.front().samples; }
  std::string sample_name(size_t i) const override { return "sample " + std::to_string(i + 1); }
  Sample read(size_t i) const override {
    Sample sample{i, sample_name(i), {}};
    for (size_t k = 0; k < arrays_.size(); ++k) {
      ArraySample one = cut_sample(arrays_[k], fits_[k], i, inputs_[k]);
      sample.inputs.push_back(std::move(one.values));
      sample.next.push_back(one.next);
    }
    return sample;
  }

 private:
  std::vector<Tensor> arrays_;
  std::vector<FeedInput> inputs_;
  std::vector<ArrayFit> fits_;
};

namespace fs = std::filesystem;

/// The parts of "[INPUT=]SRC"; kAny without an input name.
struct NamedSource {
  static constexpr size_t kAny = static_cast<size_t>(-1);
  size_t input = kAny;
  std::string src;
};

std::string list_inputs(std::span<const InputSpec> inputs) {
  std::string text;
  for (const InputSpec& input : inputs)
    text += (text.empty() ? "'" : ", '") + input.name + "' (" + describe_shape(input) + ")";
  return text;
}

/// Splits an option. Input names and paths may both hold '=': the longest input name that fits wins, then a path that
/// exists.
NamedSource take_apart(const std::string& option, const std::string& text, std::span<const InputSpec> inputs) {
  NamedSource result{NamedSource::kAny, text};
  size_t longest = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = inputs[i].name;
    if (name.size() < longest || !text.starts_with(name + "=")) continue;
    longest = name.size();
    result = {i, text.substr(name.size() + 1)};
  }
  if (result.src.empty()) throw Error(ErrorCode::Usage, option + " " + text + ": the path is empty");
  const size_t equals = text.find('=');
  std::error_code error;
  if (result.input != NamedSource::kAny || equals == std::string::npos || fs::exists(text, error)) return result;
  const std::string before = text.substr(0, equals);
  if (before.starts_with("random:") || before.starts_with("text:") || fs::exists(fs::path(before).parent_path(), error))
    return result;
  throw Error(ErrorCode::InvalidOption,
              option + " " + text + ": the model has no input '" + before + "'; its inputs are " + list_inputs(inputs));
}

const DataSourceEntry& entry_for(const std::string& src) {
  for (const DataSourceEntry& entry : data_source_list())
    if (entry.accepts(src)) return entry;
  if (const std::string why = no_reach(src); !why.empty()) throw Error(ErrorCode::InvalidData, src + ": " + why);
  throw Error(ErrorCode::InvalidData, src + ": not a kind of data that can be read",
              "possible are: " + join(data_source_list(), "; ", &DataSourceEntry::form));
}

/// Several sources, one for each part of the inputs: sample i consists of each source's sample i.
class JoinedSource final : public DataSource {
 public:
  struct Part {
    std::unique_ptr<DataSource> source;
    std::vector<size_t> inputs;  // model inputs that it feeds, in the order of its tensors
  };
  JoinedSource(std::vector<Part> parts, size_t inputs) : parts_(std::move(parts)), inputs_(inputs) {}

  size_t size() const override { return parts_.front().source->size(); }
  std::string sample_name(size_t i) const override { return parts_.front().source->sample_name(i); }
  Sample read(size_t i) const override {
    Sample joined{i, sample_name(i), std::vector<Tensor>(inputs_)};
    for (const Part& part : parts_) {
      Sample sample = part.source->read(i);
      if (joined.image_size[0] == 0) joined.image_size = sample.image_size;
      joined.next.resize(inputs_);
      for (size_t k = 0; k < part.inputs.size(); ++k) joined.inputs[part.inputs[k]] = std::move(sample.inputs[k]);
      for (size_t k = 0; k < sample.next.size(); ++k) joined.next[part.inputs[k]] = sample.next[k];
    }
    return joined;
  }

 private:
  std::vector<Part> parts_;
  size_t inputs_;
};

/// Returns the inputs that each SRC feeds: the named one, or all inputs that no SRC names.
std::vector<std::vector<size_t>> distribute(const std::string& option, const std::vector<NamedSource>& sources,
                                            std::span<const InputSpec> inputs) {
  std::vector<bool> fed(inputs.size(), false);
  size_t unnamed = 0;
  for (const NamedSource& source : sources) {
    if (source.input == NamedSource::kAny) {
      ++unnamed;
    } else {
      if (fed[source.input])
        throw Error(ErrorCode::Usage, option + " is given twice for the input '" + inputs[source.input].name + "'");
      fed[source.input] = true;
    }
  }
  std::vector<size_t> rest;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!fed[i]) rest.push_back(i);
  if (unnamed > 1 || (unnamed == 1 && rest.empty()))
    throw Error(
        ErrorCode::Usage,
        option + " is given " + std::to_string(sources.size()) + " times; the inputs are " + list_inputs(inputs),
        "write " + option + " INPUT=SRC for each input");
  if (unnamed == 0 && !rest.empty())
    throw Error(ErrorCode::Usage, "there is no " + option + " for the input '" + inputs[rest.front()].name + "'",
                "add " + option + " " + inputs[rest.front()].name + "=SRC");
  std::vector<std::vector<size_t>> result;
  for (const NamedSource& source : sources)
    result.push_back(source.input == NamedSource::kAny ? rest : std::vector<size_t>{source.input});
  return result;
}

void check_counts(const std::vector<JoinedSource::Part>& parts, const std::vector<NamedSource>& sources) {
  for (size_t i = 1; i < parts.size(); ++i)
    if (parts[i].source->size() != parts[0].source->size())
      throw Error(ErrorCode::InvalidData,
                  sources[i].src + " holds " + std::to_string(parts[i].source->size()) + " samples, " + sources[0].src +
                      " holds " + std::to_string(parts[0].source->size()) + " samples; inputs pair one by one");
}

std::unique_ptr<DataSource> open_all(const DataOptions& options, std::span<const InputSpec> inputs) {
  std::vector<NamedSource> sources;
  for (const std::string& text : options.sources) sources.push_back(take_apart(options.option, text, inputs));
  const auto shares = distribute(options.option, sources, inputs);
  const std::vector<FeedInput> feeds = feed_inputs(inputs);
  std::vector<JoinedSource::Part> parts;
  for (size_t i = 0; i < sources.size(); ++i) {
    const DataSourceEntry& entry = entry_for(sources[i].src);
    const bool audio =
        entry.holds && entry.holds(sources[i].src) == Preprocessed::Audio;  // feeds masks and lengths too
    if (shares[i].size() > 1 && entry.feeds == DataSourceEntry::Feeds::OneInput && !audio)
      throw Error(ErrorCode::Usage, sources[i].src + " feeds one input, but the model has " + list_inputs(inputs),
                  "write " + options.option + " INPUT=SRC for each input");
    std::vector<FeedInput> wanted;
    for (const size_t input : shares[i]) wanted.push_back(feeds[input]);
    parts.push_back({entry.open({sources[i].src, wanted, options.preprocess, options.padding_masks}), shares[i]});
  }
  check_counts(parts, sources);
  if (parts.size() == 1) return std::move(parts.front().source);  // its inputs are in the model's order already
  return std::make_unique<JoinedSource>(std::move(parts), inputs.size());
}

}  // namespace

size_t group_size(std::span<const InputSpec> inputs) {
  std::optional<int64_t> fixed;
  for (const FeedInput& input : feed_inputs(inputs)) {
    if (input.batch_axis == kNoBatchAxis) continue;
    const int64_t extent = input.spec.shape[as_index(input.batch_axis)];
    if (extent < 1) continue;
    if (fixed && *fixed != extent) return 1;
    fixed = extent;
  }
  return as_index(fixed.value_or(1));
}

std::unique_ptr<DataSource> open_data(const DataOptions& options, std::span<const InputSpec> inputs) {
  if (inputs.empty())
    throw Error(ErrorCode::InvalidOption, "the model has no inputs, so " + options.option + " has nothing to feed");
  if (!options.given())
    throw Error(ErrorCode::Usage, "no " + options.option + " was given; the model's inputs are " + list_inputs(inputs));
  if (options.own) return select_samples(with_batch_layout(options.own, inputs), options);
  if (!options.arrays.empty())
    return select_samples(with_batch_layout(std::make_unique<ArraySource>(options.arrays, feed_inputs(inputs)), inputs),
                          options);
  if (is_audio_preprocess(options.preprocess))
    static_cast<void>(parse_audio_preprocess(options.preprocess));
  else if (!options.preprocess.empty())
    static_cast<void>(parse_preprocess(options.preprocess));
  return select_samples(with_batch_layout(open_all(options, inputs), inputs), options);
}

namespace {

bool holds(Preprocessed what, const DataOptions& options, std::span<const InputSpec> inputs) {
  return std::ranges::any_of(options.sources, [&](const std::string& text) {
    const std::string src = take_apart(options.option, text, inputs).src;
    const DataSourceEntry& entry = entry_for(src);
    return entry.holds && entry.holds(src) == what;
  });
}

}  // namespace

bool holds_images(const DataOptions& options, std::span<const InputSpec> inputs) {
  return holds(Preprocessed::Images, options, inputs);
}

bool holds_audio(const DataOptions& options, std::span<const InputSpec> inputs) {
  return holds(Preprocessed::Audio, options, inputs);
}

std::vector<fs::path> files_of_data(const std::string& source) {
  std::vector<fs::path> files;
  const auto add = [&files](const std::string& src) {
    files.emplace_back(src);
    for (const DataSourceEntry& entry : data_source_list())
      if (entry.names && entry.accepts(src)) std::ranges::move(entry.names(src), std::back_inserter(files));
  };
  const auto try_to_add = [&add](const std::string& src) {
    try {
      add(src);
    } catch (const Error&) {  // opening it reports what is wrong
    }
  };
  try_to_add(source);  // the name of an input and SRC may both hold '='
  for (size_t at = source.find('='); at != std::string::npos; at = source.find('=', at + 1))
    try_to_add(source.substr(at + 1));
  return files;
}

}  // namespace detent
