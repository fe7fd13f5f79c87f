#include "detent/data_source.h"

#include <algorithm>
#include <filesystem>

#include "core/text.h"
#include "datasets/array_source.h"
#include "datasets/batch_layout.h"
#include "datasets/data_source_list.h"
#include "datasets/preprocess.h"
#include "datasets/selection.h"
#include "detent/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

/// "[INPUT=]SRC" taken apart; no input named -> npos.
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

/// Input names and paths may both hold '=': the longest input name that fits wins, then a path that exists.
NamedSource take_apart(const std::string& option, const std::string& text, std::span<const InputSpec> inputs) {
  NamedSource result{NamedSource::kAny, text};
  size_t longest = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = inputs[i].name;
    if (name.size() < longest || !text.starts_with(name + "=")) continue;
    longest = name.size();
    result = {i, text.substr(name.size() + 1)};
  }
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
  std::error_code error;
  if (!fs::exists(src, error)) throw Error(ErrorCode::InvalidData, src + ": there is no such file or folder");
  throw Error(ErrorCode::InvalidData, src + ": not a kind of data that can be read",
              "possible are: " + join(data_source_list(), "; ", &DataSourceEntry::form));
}

/// Several sources side by side: sample i takes each source's sample i.
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

/// What a caller of the library reads himself; a sample must have a tensor for each input.
class SharedSource final : public DataSource {
 public:
  SharedSource(std::shared_ptr<const DataSource> source, size_t inputs) : source_(std::move(source)), inputs_(inputs) {}

  size_t size() const override { return source_->size(); }
  std::string sample_name(size_t i) const override { return source_->sample_name(i); }
  size_t batch() const override { return source_->batch(); }
  Sample read(size_t i) const override {
    Sample sample = source_->read(i);
    if (sample.inputs.size() != inputs_)
      throw Error(ErrorCode::InvalidData, sample_name(i) + " holds " + std::to_string(sample.inputs.size()) +
                                              " tensors, the model has " + std::to_string(inputs_) + " inputs");
    return sample;
  }

 private:
  std::shared_ptr<const DataSource> source_;
  size_t inputs_;
};

/// Which inputs each SRC feeds: the named one, or all that nobody named.
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
    if (shares[i].size() > 1 && entry.feeds == DataSourceEntry::Feeds::OneInput)
      throw Error(ErrorCode::Usage, sources[i].src + " feeds one input, but the model has " + list_inputs(inputs),
                  "write " + options.option + " INPUT=SRC for each input");
    std::vector<FeedInput> wanted;
    for (const size_t input : shares[i]) wanted.push_back(feeds[input]);
    parts.push_back({entry.open({sources[i].src, wanted, options.preprocess}), shares[i]});
  }
  check_counts(parts, sources);
  if (parts.size() == 1) return std::move(parts.front().source);  // its inputs are in the model's order already
  return std::make_unique<JoinedSource>(std::move(parts), inputs.size());
}

}  // namespace

std::unique_ptr<DataSource> open_data(const DataOptions& options, std::span<const InputSpec> inputs) {
  if (inputs.empty())
    throw Error(ErrorCode::InvalidOption, "the model has no inputs, so " + options.option + " has nothing to feed");
  if (!options.given())
    throw Error(ErrorCode::Usage, "no " + options.option + " was given; the model's inputs are " + list_inputs(inputs));
  if (options.own) {
    auto own = std::make_unique<SharedSource>(options.own, inputs.size());
    return select_samples(with_batch_layout(std::move(own), inputs), options);
  }
  if (!options.arrays.empty())
    return select_samples(with_batch_layout(open_arrays(options.arrays, feed_inputs(inputs)), inputs), options);
  if (!options.preprocess.empty()) static_cast<void>(parse_preprocess(options.preprocess));
  return select_samples(with_batch_layout(open_all(options, inputs), inputs), options);
}

bool holds_images(const DataOptions& options, std::span<const InputSpec> inputs) {
  return std::ranges::any_of(options.sources, [&](const std::string& text) {
    const std::string src = take_apart(options.option, text, inputs).src;
    const DataSourceEntry& entry = entry_for(src);
    return entry.holds_images && entry.holds_images(src);
  });
}

}  // namespace detent
