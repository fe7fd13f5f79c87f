#include "datasets/state/pipeline_file.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/nearest_names.h"
#include "datasets/base/json_object.h"
#include "datasets/state/decode_rules.h"
#include "datasets/state/state_document.h"
#include "detent/base/error.h"

namespace detent {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Returns the path beside the pipeline's file if something is there, else as the current folder has it.
std::string found_path(const fs::path& folder, const std::string& path) {
  std::error_code none;
  return fs::path(path).is_relative() && fs::exists(folder / path, none) ? (folder / path).string() : path;
}

class PipelineReader {
 public:
  PipelineReader(const Json& document, const fs::path& file)
      : document_(document), folder_(file.parent_path()),
        has_decode_(document.is_object() && document.contains("decode")) {
    result_.path = file;
  }

  PipelineFile run() {
    check_keys(document_, {"models", "feeds", "data", "loop", "decode"}, "");
    read_models();
    read_feeds();
    const Json data = object_in(document_, "data", R"({"enc:audio": "clips"})");
    for (const auto& [input, source] : data.items()) {
      static_cast<void>(file_in(input, "\"data\""));
      if (fed_.contains(input))
        refuse_state("\"data\" names '" + input + "', which '" + fed_.at(input) + "' feeds", "one of the two");
      result_.sources.push_back(input + "=" + found_path(folder_, text_of(source, "the source of '" + input + "'")));
    }
    if (document_.contains("loop"))
      read_loop(object_in(document_, "loop", R"({"model": "dec", "steps": 32, "state": {}})"));
    if (has_decode_) read_decode(object_in(document_, "decode", R"({"kind": "attention", "end": 2})"));
    return std::move(result_);
  }

 private:
  void read_models() {
    const Json models = object_in(document_, "models", R"({"enc": "encoder.onnx", "dec": "decoder.onnx"})");
    for (const auto& [name, entry] : models.items()) {
      if (name.empty() || name.find(':') != std::string::npos)
        refuse_state("\"models\": '" + name + "' is no name: it is written in front of a colon");
      const fs::path path = found_path(folder_, text_of(entry, "the file of '" + name + "'"));
      for (const PipelineFile::File& other : result_.files)
        if (std::error_code none; path == other.path || fs::equivalent(path, other.path, none))
          refuse_state("'" + other.name + "' and '" + name + "' are one file, " + path.string(),
                       "a file stands for one place in the pipeline: copy it");
      result_.files.push_back({name, path});
      names_.push_back(name);
    }
    if (result_.files.size() < (has_decode_ ? 1 : 2))
      refuse_state("\"models\" names " + std::string(result_.files.empty() ? "no file" : "one file") +
                   "; a pipeline has two or more: {\"enc\": \"encoder.onnx\", \"dec\": \"decoder.onnx\"}");
  }

  void read_feeds() {
    const Json feeds = object_in(document_, "feeds", R"({"enc:memory": "dec:memory"})");
    if (feeds.empty() && result_.files.size() > 1)
      refuse_state("\"feeds\" names no output: {\"enc:memory\": \"dec:memory\"}");
    for (const auto& [output, entry] : feeds.items()) {
      const std::string what = "the input that '" + output + "' feeds";
      if (!entry.is_array()) add_feed(output, text_of(entry, what));
      for (size_t i = 0; entry.is_array() && i < entry.size(); ++i) add_feed(output, text_of(entry[i], what));
    }
  }

  void add_feed(const std::string& output, const std::string& input) {
    if (file_in(output, "\"feeds\"") == file_in(input, "\"feeds\""))
      refuse_state("'" + output + "' and '" + input + "' are of one file",
                   "what goes from one step to the next belongs to \"state\" of \"loop\"");
    if (const auto [other, is_new] = fed_.emplace(input, output); !is_new)
      refuse_state("the input '" + input + "' is fed twice, by '" + other->second + "' and '" + output + "'");
    result_.feeds.emplace_back(output, input);
  }

  void read_loop(const Json& loop) {
    check_keys(loop, {"model", "steps", "state"}, "\"loop\": ");
    for (const char* key : {"model", "steps", "state"})
      if (!loop.contains(key)) refuse_state("\"loop\" has no \"" + std::string(key) + "\"");
    result_.looped = text_of(loop["model"], "\"model\" of \"loop\"");
    check_name(result_.looped, "\"loop\"");
    result_.steps = static_cast<size_t>(number_of(loop["steps"], "\"steps\" of \"loop\"", 1));
    if (!loop["state"].is_object()) refuse_state("\"state\" of \"loop\" is an object such as --state takes");
    result_.state = state_of(loop["state"], [this](const std::string& name) { return with_file(name); });
    for (const auto& [output, input] : result_.state->feeds) refuse_fed(input);
    for (const StateFile::Token& token : result_.state->tokens) refuse_fed(token.input);
    for (const auto& [input, cut] : result_.state->cuts) refuse_fed(input);
  }

  void read_decode(const Json& decode) {
    DecodeEntry entry = decode_of(decode, [&](const std::string& path) { return found_path(folder_, path); });
    if (entry.frames) check_frames(*entry.frames);
    if (is_loop(entry.rules.kind)) {
      if (!result_.state || result_.state->tokens.size() != 1)
        refuse_state("\"decode\" needs a \"loop\" that feeds one token back, \"argmax(logits)\": \"ids\"");
      result_.state->decode = entry.rules;
    }
    result_.decode = std::move(entry.rules);
    result_.frames = std::move(entry.frames);
  }

  void check_frames(const FrameRules& frames) const {
    static_cast<void>(file_in(frames.output, "\"frames\" of \"decode\""));
    if (frames.lengths) static_cast<void>(file_in(*frames.lengths, "\"lengths\" of \"decode\""));
    if (std::ranges::none_of(result_.feeds, [&](const auto& feed) { return feed.first == frames.output; }))
      refuse_state("\"frames\" of \"decode\" names '" + frames.output + "', which feeds no file",
                   "\"feeds\": {\"" + frames.output + "\": \"FILE:INPUT\"}, the input that reads a frame");
  }

  void refuse_fed(const std::string& input) const {
    if (fed_.contains(input))
      refuse_state("\"loop\": the input '" + input + "' is fed by '" + fed_.at(input) + "' already");
  }

  /// Puts the loop's file in front of a name, unless it begins with one.
  [[nodiscard]] std::string with_file(const std::string& name) const {
    const bool is_whole =
        std::ranges::any_of(names_, [&](const std::string& file) { return name.starts_with(file + ":"); });
    return is_whole ? name : result_.looped + ":" + name;
  }

  /// Returns the file in front of "FILE:VALUE".
  [[nodiscard]] std::string file_in(const std::string& name, const std::string& where) const {
    const size_t colon = name.find(':');
    if (colon == std::string::npos || colon + 1 == name.size())
      refuse_state(where + ": '" + name + "' is not FILE:VALUE, such as " + names_.front() + ":" +
                   (name.empty() || colon != std::string::npos ? "x" : name));
    check_name(name.substr(0, colon), where);
    return name.substr(0, colon);
  }

  void check_name(const std::string& file, const std::string& where) const {
    if (std::ranges::find(names_, file) != names_.end()) return;
    std::string known;
    for (const std::string& name : names_) known += (known.empty() ? "'" : ", '") + name + "'";
    refuse_state(where + " names the file '" + file + "'; \"models\" has " + known, did_you_mean(file, names_));
  }

  const Json& document_;
  fs::path folder_;
  bool has_decode_;
  PipelineFile result_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> fed_;  // input: its output
};

}  // namespace

bool is_pipeline_file(const fs::path& path) { return path.extension() == ".json"; }

PipelineFile read_pipeline_file(const fs::path& file) {
  const Json document = read_json_object(
      file,
      R"(an object is expected: {"models": {"enc": "encoder.onnx", "dec": "decoder.onnx"}, "feeds": {"enc:memory": "dec:memory"}})");
  try {
    return PipelineReader(document, file).run();
  } catch (const Error& error) {
    throw error.in(file.string());
  }
}

}  // namespace detent
