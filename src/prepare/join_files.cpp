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
const Value& end_of(const std::vector<NamedModel>& models, const std::string& name, bool output) {
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
  refuse_feed("\"feeds\": " + file->model.path().string() + " has no " + word + " '" +
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
  if (!output.declared_shape || !input.declared_shape) return;
  const auto &from = *output.declared_shape, &to = *input.declared_shape;
  const bool fits = std::ranges::equal(from, to, [](int64_t a, int64_t b) { return a < 0 || b < 0 || a == b; });
  if (!fits) refuse_feed(what + "their shapes are " + shape_text(from) + " and " + shape_text(to));
}

void check_feeds(const std::vector<NamedModel>& models, const std::vector<FileFeed>& feeds) {
  for (const FileFeed& feed : feeds) {
    const Value &output = end_of(models, feed.first, true), &input = end_of(models, feed.second, false);
    check_feed_types(feed, output, input);
  }
}

}  // namespace

Model join_files(std::vector<NamedModel> models, const std::vector<FileFeed>& feeds,
                 const std::filesystem::path& path) {
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
    check_feeds(models, feeds);
    return join_models(std::move(models), feeds, path);
  } catch (const Error& error) {
    throw error.code() == ErrorCode::InvalidOption ? error.in(path.string()) : error;
  }
}

}  // namespace detent
