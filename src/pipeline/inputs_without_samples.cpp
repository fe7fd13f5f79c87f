#include <cstring>
#include <new>

#include "detent/base/error.h"
#include "detent/run.h"
#include "exec/executor.h"
#include "prepare/read_model_to_run.h"
#include "run/open_samples.h"

namespace detent {

namespace {

constexpr int64_t kRepeats = 32;
constexpr size_t kMostBytes = 64'000'000;

/// Repeats inputs along an open first axis of extent 1, and returns their names.
std::vector<std::string> repeat(const Graph& graph, std::vector<Tensor>& inputs) {
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    const auto& declared = value.declared_shape;
    const Tensor input = inputs[i];
    const bool one = declared && !declared->empty() && declared->front() < 0 && !input.empty_handle() &&
                     !input.is_sequence() && input.type() != DataType::String && input.shape().rank() > 0 &&
                     input.shape()[0] == 1;
    if (!one || input.byte_count() > kMostBytes / kRepeats) continue;
    Shape shape = input.shape();
    shape[0] = kRepeats;
    inputs[i] = Tensor(input.type(), shape);
    auto* to = static_cast<std::byte*>(inputs[i].mutable_raw());
    for (int64_t k = 0; k < kRepeats; ++k)
      std::memcpy(to + static_cast<size_t>(k) * input.byte_count(), input.raw(), input.byte_count());
    names.push_back(value.name);
  }
  return names;
}

bool runs(const Graph& graph, const std::vector<Tensor>& inputs) {
  try {
    static_cast<void>(run_once(graph, inputs, graph.outputs()));
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Interrupted) throw;
    return false;
  }
}

}  // namespace

std::vector<std::string> inputs_without_samples(const std::filesystem::path& path, const DataOptions& data) {
  if (!data.given()) return {};
  try {
    Expansion expansion;
    const Model model = read_any_model(path, expansion);
    const auto samples = open_samples(parse_samples(data), model);
    std::vector<Tensor> inputs = read_shown_inputs(*samples, data.steps, {});
    if (runs(model.graph(), inputs)) return {};
    std::vector<std::string> names = repeat(model.graph(), inputs);
    if (!names.empty() && runs(model.graph(), inputs)) return names;
  } catch (const Error& error) {  // another fault, which the command tells
    if (error.code() == ErrorCode::Interrupted) throw;
  } catch (const std::bad_alloc&) {  // more of it does not fit: nothing is known
  }
  return {};
}

}  // namespace detent
