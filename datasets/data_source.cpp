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
#include "datasets/base/array_fit.h"
#include "datasets/base/made_sources.h"
#include "datasets/data_source_list.h"
#include "datasets/sample_request.h"
#include "datasets/synthetic.h"
#include "detent/base/error.h"
#include "detent/base/input_files.h"

namespace detent {

namespace {

/// A source whose samples have batch axes; it may be a caller's own source.
class BatchedSource final : public WrappedSource {
 public:
  BatchedSource(std::shared_ptr<const DataSource> source, std::vector<int> axes, size_t batch)
      : WrappedSource(std::move(source)), axes_(std::move(axes)), batch_(batch) {}
  Sample read(size_t i) const override {
    Sample sample = WrappedSource::read(i);
    if (sample.inputs.size() != axes_.size())
      throw Error(ErrorCode::InvalidData, sample_name(i) + " holds " + std::to_string(sample.inputs.size()) +
                                              " tensors, the model has " + std::to_string(axes_.size()) + " inputs");
    sample.batch_axes = axes_;
    return sample;
  }
  size_t batch() const override { return batch_; }

 private:
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

/// Opens arrays in memory, one per input.
/// Errors  InvalidData for another number of arrays than inputs, an array that does not fit its input or holds no
/// samples, and arrays with different numbers of samples.
std::unique_ptr<DataSource> open_arrays(const std::vector<Tensor>& arrays, const std::vector<FeedInput>& inputs) {
  if (arrays.size() != inputs.size())
    throw Error(ErrorCode::InvalidData, std::to_string(arrays.size()) + " arrays were given, the model has " +
                                            std::to_string(inputs.size()) + " inputs");
  std::vector<ArrayFit> fits;
  for (size_t i = 0; i < arrays.size(); ++i) {
    fits.push_back(fit_array(arrays[i].shape(), inputs[i]));
    if (fits[i].samples == 0)
      throw Error(ErrorCode::InvalidData, "the array for the input '" + inputs[i].spec.name + "' holds no samples");
    if (fits[i].samples != fits[0].samples)
      throw Error(ErrorCode::InvalidData, "the array for the input '" + inputs[i].spec.name + "' holds " +
                                              std::to_string(fits[i].samples) + " samples, that for '" +
                                              inputs[0].spec.name + "' " + std::to_string(fits[0].samples));
  }
  return std::make_unique<ReadSource>(fits.front().samples, number_name, [=](size_t i) {
    Sample sample;
    for (size_t k = 0; k < arrays.size(); ++k) add_array(sample, cut_sample(arrays[k], fits[k], i, inputs[k]));
    return sample;
  });
}

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
  if (const auto input = input_of_source(text, inputs)) result = {*input, text.substr(inputs[*input].name.size() + 1)};
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

/// Returns the hint how a file of texts is given.
std::string text_hint(const std::string& option, const std::string& src) {
  return "a text is given as " + option + " text:" + src + ",vocab=FILE, with the model's tokenizer.json as FILE";
}

const DataSourceEntry& entry_for(const std::string& option, const std::string& src) {
  for (const DataSourceEntry& entry : data_source_list())
    if (entry.accepts(src)) return entry;
  if (const std::string why = no_reach(src); !why.empty()) throw Error(ErrorCode::InvalidData, src + ": " + why);
  if (fs::path(src).extension() == ".jsonl")
    throw Error(ErrorCode::InvalidData, src + ": not a kind of data that can be read", text_hint(option, src));
  throw Error(ErrorCode::InvalidData, src + ": not a kind of data that can be read",
              "possible are: " + join(data_source_list(), "; ", &DataSourceEntry::form));
}

/// A source for a part of the inputs.
struct Part {
  std::shared_ptr<const DataSource> source;
  std::vector<size_t> inputs;  // model inputs that it feeds, in the order of its tensors
};

/// Joins sources: sample i consists of each source's sample i.
std::unique_ptr<DataSource> joined_source(const std::vector<Part>& parts, size_t inputs) {
  const auto name = [first = parts.front().source](size_t i) { return first->sample_name(i); };
  return std::make_unique<ReadSource>(parts.front().source->size(), name, [parts, inputs](size_t i) {
    Sample joined{.inputs = std::vector<Tensor>(inputs), .next = std::vector<std::optional<int64_t>>(inputs)};
    for (const Part& part : parts) {
      Sample sample = part.source->read(i);
      if (joined.image_size[0] == 0) joined.image_size = sample.image_size;
      if (joined.seconds == 0) joined.seconds = sample.seconds;
      for (size_t k = 0; k < part.inputs.size(); ++k) joined.inputs[part.inputs[k]] = std::move(sample.inputs[k]);
      for (size_t k = 0; k < sample.next.size(); ++k) joined.next[part.inputs[k]] = sample.next[k];
    }
    return joined;
  });
}

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

void check_counts(const std::vector<Part>& parts, const std::vector<NamedSource>& sources) {
  for (size_t i = 1; i < parts.size(); ++i)
    if (parts[i].source->size() != parts[0].source->size())
      throw Error(ErrorCode::InvalidData,
                  sources[i].src + " holds " + std::to_string(parts[i].source->size()) + " samples, " + sources[0].src +
                      " holds " + std::to_string(parts[0].source->size()) + " samples; inputs pair one by one");
}

std::vector<NamedSource> named_sources(const SampleRequest& request, std::span<const InputSpec> inputs) {
  std::vector<NamedSource> sources;
  for (const std::string& text : request.sources) sources.push_back(take_apart(request.option, text, inputs));
  return sources;
}

Preprocessed kind_held(const DataSourceEntry& entry, const std::string& src) {
  return entry.holds ? entry.holds(src) : Preprocessed::Nothing;
}

/// Refuses a source of one input for a model of several.
[[noreturn]] void refuse_one_input(const SampleRequest& request, const std::string& src,
                                   std::span<const InputSpec> inputs) {
  std::error_code error;
  if (fs::is_directory(src, error) && fs::is_empty(src, error))
    throw Error(ErrorCode::InvalidData, src + ": the folder is empty");
  const bool text =
      fs::path(src).extension() == ".txt" && std::ranges::any_of(inputs, [](const InputSpec& input) {
        return (input.type == DataType::Int64 || input.type == DataType::Int32) && input.shape.size() == 2;
      });
  throw Error(ErrorCode::Usage, src + " feeds one input, but the model has " + list_inputs(inputs),
              "write " + request.option + " INPUT=SRC for each input" +
                  (text ? "; " + text_hint(request.option, src) : std::string()));
}

std::shared_ptr<const DataSource> open_named_sources(const SampleRequest& request, std::span<const InputSpec> inputs) {
  const std::vector<NamedSource> sources = named_sources(request, inputs);
  const auto shares = distribute(request.option, sources, inputs);
  const std::vector<FeedInput> feeds = feed_inputs(inputs);
  std::vector<Part> parts;
  for (size_t i = 0; i < sources.size(); ++i) {
    const DataSourceEntry& entry = entry_for(request.option, sources[i].src);
    const bool audio = kind_held(entry, sources[i].src) == Preprocessed::Audio;  // feeds masks and lengths too
    if (shares[i].size() > 1 && entry.feeds == DataSourceEntry::Feeds::OneInput && !audio)
      refuse_one_input(request, sources[i].src, inputs);
    std::vector<FeedInput> wanted;
    for (const size_t input : shares[i]) wanted.push_back(feeds[input]);
    parts.push_back({entry.open({sources[i].src, wanted, request.preprocess, request.masks}), shares[i]});
  }
  check_counts(parts, sources);
  if (parts.size() == 1) return parts.front().source;  // its inputs are in the model's order already
  return joined_source(parts, inputs.size());
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

std::optional<size_t> input_of_source(const std::string& text, std::span<const InputSpec> inputs) {
  std::optional<size_t> found;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (text.starts_with(inputs[i].name + "=") && (!found || inputs[i].name.size() >= inputs[*found].name.size()))
      found = i;
  return found;
}

std::unique_ptr<DataSource> open_sources(const SampleRequest& request, std::span<const InputSpec> inputs) {
  if (inputs.empty())
    throw Error(ErrorCode::InvalidOption, "the model has no inputs, so " + request.option + " has nothing to feed");
  if (!request.given())
    throw Error(ErrorCode::Usage, "no " + request.option + " was given; the model's inputs are " + list_inputs(inputs));
  const std::vector<FeedInput> feeds = feed_inputs(inputs);
  std::shared_ptr<const DataSource> source = request.own;
  if (!source && !request.arrays.empty()) source = open_arrays(request.arrays, feeds);
  if (!source) source = open_named_sources(request, inputs);
  std::vector<int> axes;
  for (const FeedInput& input : feeds) axes.push_back(input.batch_axis);
  return std::make_unique<BatchedSource>(std::move(source), std::move(axes), group_size(inputs));
}

std::unique_ptr<DataSource> select_samples(std::unique_ptr<DataSource> source, const SampleRequest& request) {
  std::vector<size_t> order(source->size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (request.shuffle) {
    RandomBits bits(*request.shuffle);
    for (size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[bits.below(left)]);
  }
  if (request.limit && *request.limit < order.size()) {
    const size_t all = order.size(), kept = *request.limit;
    for (size_t i = 0; request.spread && i < kept; ++i) order[i] = order[i * all / kept];
    order.resize(kept);
  }
  std::vector<size_t> chosen;
  for (size_t i = 0; i < order.size(); ++i)
    if (i / source->batch() % request.shard_count == request.shard_index - 1) chosen.push_back(order[i]);
  if (chosen.empty() && !(request.may_be_empty && request.shard_count > 1))
    throw Error(ErrorCode::InvalidData, "--shard " + std::to_string(request.shard_index) + "/" +
                                            std::to_string(request.shard_count) + " of " +
                                            std::to_string(order.size()) + " samples is empty");
  return numbered_anew(std::make_unique<SampleSubset>(std::move(source), std::move(chosen)));
}

std::unique_ptr<DataSource> open_data(const DataOptions& options, std::span<const InputSpec> inputs) {
  const SampleRequest request = parse_samples(options);
  auto source = open_sources(request, inputs);
  return request.selects() ? select_samples(std::move(source), request) : std::move(source);
}

bool holds_preprocessed(const SampleRequest& request, std::span<const InputSpec> inputs) {
  return std::ranges::any_of(named_sources(request, inputs), [&](const NamedSource& source) {
    return kind_held(entry_for(request.option, source.src), source.src) != Preprocessed::Nothing;
  });
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
