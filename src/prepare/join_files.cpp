#include "prepare/join_files.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "core/nearest_names.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "prepare/raise_opset.h"

namespace detent {

namespace {

[[noreturn]] void refuse_feed(const std::string& what, const std::string& hint = {}) {
  throw Error(ErrorCode::InvalidOption, what, hint);
}

/// Returns the input or output that "FILE:VALUE" names.
const Value& end_of(const std::vector<NamedModel>& models, const std::string& name, bool output,
                    const std::string& where = "\"feeds\"") {
  const auto file = std::ranges::find(models, file_of_name(name),
                                      [](const NamedModel& model) { return std::string_view(model.name); });
  const Graph& graph = file->model.graph();
  const std::string word = output ? "output" : "input";
  std::vector<std::string> known;
  for (const ValueId id : output ? graph.outputs() : graph.inputs()) {
    const Value& value = graph.value(id);
    known.push_back(file->name + ":" + value.name);
    if (known.back() == name) return value;
  }
  refuse_feed(where + ": " + file->model.path().string() + " has no " + word + " '" +
                  name.substr(file->name.size() + 1) + "'; its " + word + "s are '" + join(known, "', '") + "'",
              did_you_mean(name, known));
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return shape.empty() ? "a scalar"
                       : join(shape, "x", [](int64_t extent) { return extent < 0 ? "?" : std::to_string(extent); });
}

/// Compares what the models declare of both ends.
void check_feed_types(const FileFeed& feed, const Value& output, const Value& input) {
  const std::string what = "\"feeds\": '" + feed.first + "' cannot feed '" + feed.second + "': ";
  if (output.declared_type && input.declared_type && *output.declared_type != *input.declared_type)
    refuse_feed(what + "their types are " + std::string(name_of(*output.declared_type)) + " and " +
                std::string(name_of(*input.declared_type)));
  if (output.declared_type == DataType::Sequence || output.is_optional || input.is_optional)
    refuse_feed(what + "only tensors go from file to file");
}

bool fit(const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  return std::ranges::equal(from, to, [](int64_t a, int64_t b) { return a < 0 || b < 0 || a == b; });
}

/// Compares whole values.
void check_feed_shapes(const FileFeed& feed, const Value& output, const Value& input) {
  if (!output.declared_shape || !input.declared_shape || fit(*output.declared_shape, *input.declared_shape)) return;
  refuse_feed("\"feeds\": '" + feed.first + "' cannot feed '" + feed.second + "': their shapes are " +
              shape_text(*output.declared_shape) + " and " + shape_text(*input.declared_shape));
}

/// Returns whether the input of a feed reads a frame with the axis that counts them.
bool keeps_axis(const FrameRules& frames, const FileFeed& feed, const Value& output, const Value& input) {
  const std::string what = "\"decode\": '" + feed.second + "' cannot read frames of '" + feed.first + "': ";
  if (!output.declared_shape || !input.declared_shape)
    refuse_feed(what + "the rank of one is not declared", "export both with their shapes; extents may be open");
  std::vector<int64_t> frame = *output.declared_shape;
  if (frames.axis >= frame.size())
    refuse_feed(what + "it has no axis " + std::to_string(frames.axis) + " (" + shape_text(frame) + ")",
                "\"axis\" of \"decode\" counts from 0");
  frame[frames.axis] = 1;
  const bool keep = fit(frame, *input.declared_shape);
  if (!keep) frame.erase(frame.begin() + static_cast<std::ptrdiff_t>(frames.axis));
  if (!keep && !fit(frame, *input.declared_shape))
    refuse_feed(what + "a frame along axis " + std::to_string(frames.axis) + " of " +
                    shape_text(*output.declared_shape) + " is not " + shape_text(*input.declared_shape),
                "\"axis\" of \"decode\" names the axis that counts frames");
  return keep;
}

/// Checks all feeds; returns the one that is read frame by frame.
std::optional<FrameFeed> check_feeds(const std::vector<NamedModel>& models, const std::vector<FileFeed>& feeds,
                                     const std::optional<FrameRules>& frames) {
  std::optional<FrameFeed> framed;
  for (const FileFeed& feed : feeds) {
    const Value &output = end_of(models, feed.first, true), &input = end_of(models, feed.second, false);
    check_feed_types(feed, output, input);
    if (!frames || frames->output != feed.first) {
      check_feed_shapes(feed, output, input);
      continue;
    }
    const bool keep = keeps_axis(*frames, feed, output, input);
    if (framed && framed->keep != keep)
      refuse_feed("\"decode\": '" + feed.first + "' feeds inputs of two ranks", "one of them reads a frame");
    framed = FrameFeed{feed.first, frames->axis, frames->lengths, keep};
  }
  if (framed && framed->lengths) {
    const Value& lengths = end_of(models, *framed->lengths, true, "\"lengths\" of \"decode\"");
    if (lengths.declared_type && *lengths.declared_type != DataType::Int64 && *lengths.declared_type != DataType::Int32)
      refuse_feed("\"lengths\" of \"decode\": '" + *framed->lengths + "' is " +
                  std::string(name_of(*lengths.declared_type)) + "; a number of frames is int64 or int32");
  }
  return framed;
}

}  // namespace

Model join_files(std::vector<NamedModel> models, const std::vector<FileFeed>& feeds, const std::filesystem::path& path,
                 const std::optional<FrameRules>& frames) {
  int64_t newest = 0;
  for (const NamedModel& one : models) newest = std::max(newest, one.model.graph().opset());
  for (NamedModel& one : models) {
    try {
      raise_opset(one.model, newest);
    } catch (const Error& error) {
      throw error.in(one.model.path().string() + ", beside a file of opset " + std::to_string(newest));
    }
  }
  try {
    const std::optional<FrameFeed> framed = check_feeds(models, feeds, frames);
    return join_models(std::move(models), feeds, path, framed);
  } catch (const Error& error) {
    throw error.code() == ErrorCode::InvalidOption ? error.in(path.string()) : error;
  }
}

}  // namespace detent
