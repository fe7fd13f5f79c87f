#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "explain/engine_json.h"

namespace detent {

namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kMark = "D RKNN: [";
/// The tables of the log, in their order.
constexpr std::array<std::string_view, 3> kTables{kCompilerTable, "Feature Tensor Information Table",
                                                  "Const Tensor Information Table"};
enum class Table { Layers, Features, Constants, None };

/// Types in the compiler's words, and in those of the other engines.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTypes{{{"INT8", "INT8"},
                                                                               {"UINT8", "UINT8"},
                                                                               {"FLOAT16", "FP16"},
                                                                               {"FLOAT", "FP32"},
                                                                               {"FLOAT32", "FP32"},
                                                                               {"INT16", "INT"},
                                                                               {"INT32", "INT"},
                                                                               {"INT64", "INT"},
                                                                               {"BOOL", "BOOL"}}};

/// Returns the type in the words of other engines; "" for a word that is no type.
std::string type_of(std::string_view word) {
  const auto row = std::ranges::find(kTypes, word, [](const auto& type) { return type.first; });
  return std::string(row == kTypes.end() ? "" : row->second);
}

Words words_of(std::string_view text) {
  Words words;
  for (size_t at = text.find_first_not_of(' '); at != std::string_view::npos; at = text.find_first_not_of(' ', at)) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Returns the text from `first` to the end of `last`, which stand in one line.
std::string between(std::string_view first, std::string_view last) {
  return {first.data(), static_cast<size_t>(last.data() + last.size() - first.data())};
}

std::optional<double> number_of(std::string_view word) {
  unsigned long long number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return static_cast<double>(number);
}

/// Returns the last number of "13269/147456/147456", cycles of memory, of the NPU and of the layer.
std::optional<double> cycles_of(std::string_view word) {
  if (std::ranges::count(word, '/') != 2 || word.find_first_not_of("0123456789/") != std::string_view::npos)
    return std::nullopt;
  return number_of(word.substr(word.rfind('/') + 1));
}

/// An engine while its log is read: layers by the number of their row.
struct Reading {
  BuiltEngine engine{"rknn", {}, {}};
  std::map<std::string, size_t, std::less<>> layer_of;
};

/// Reads "4 ConvRelu INT8 NPU (1,16,64,64),(32,16,3,3) (1,32,64,64) 8518/36864/36864 68 Conv:/d.1/Conv".
void add_layer(const Words& words, Reading& reading) {
  constexpr size_t kUnit = 3;
  constexpr double kCyclesOfMillisecond = 1e6;  // at 1 GHz
  const auto cycles = std::ranges::find_if(words, [](std::string_view word) { return cycles_of(word).has_value(); });
  if (words.size() <= kUnit || words.end() - cycles < 3 || type_of(words[2]).empty()) return;
  std::string name = between(*(cycles + 2), words.back());
  name.erase(0, name.find(':') + 1);                   // "Conv:" in front of the node
  name.resize(std::min(name.find('#'), name.size()));  // "#2_ConvAdd" behind it
  if (words[1] == "InputOperator" || words[1] == "OutputOperator") {
    reading.engine.bindings.push_back(std::move(name));
    return;
  }
  EngineLayer layer{.name = std::move(name),
                    .type = std::string(words[1]),
                    .unit = std::string(words[kUnit]),
                    .weights = type_of(words[2]),
                    .outputs = {{"", type_of(words[2])}}};
  if (layer.unit == "NPU") layer.ms = *cycles_of(*cycles) / kCyclesOfMillisecond;
  // A row names one type: of a change the one that it reads. The NPU has INT8 and FP16.
  if (layer.type == "exDataConvert") layer.outputs.front().format = layer.weights == "INT8" ? "FP16" : "INT8";
  reading.layer_of.emplace(words[0], reading.engine.layers.size());
  reading.engine.layers.push_back(std::move(layer));
}

/// Reads "4 ConvRelu /MaxPool_output_0 INT8 NC1HWC2 (1,16,64,64) ...": a tensor that a layer reads.
void add_input(const Words& words, Reading& reading) {
  constexpr size_t kName = 2;
  if (words.size() <= kName + 1) return;
  const auto layer = reading.layer_of.find(words[0]);
  const auto type = std::find_if(words.begin() + kName + 1, words.end(),
                                 [](std::string_view word) { return !type_of(word).empty(); });
  if (layer == reading.layer_of.end() || type == words.end()) return;
  reading.engine.layers[layer->second].inputs.push_back({between(words[kName], *(type - 1)), type_of(*type)});
}

}  // namespace

BuiltEngine read_compiler_table(std::string_view log) {
  Reading reading;
  Table table = Table::None;
  for (size_t at = 0; at < log.size();) {
    const size_t end = std::min(log.find_first_of("\r\n", at), log.size());
    std::string_view line = log.substr(at, end - at);
    at = end + 1;
    const size_t mark = line.find(kMark), time_end = line.find(']', mark);
    if (mark == std::string_view::npos || time_end == std::string_view::npos) continue;
    line.remove_prefix(time_end + 1);
    const auto title = std::ranges::find_if(
        kTables, [&line](std::string_view name) { return line.find(name) != std::string_view::npos; });
    if (title != kTables.end()) {
      table = static_cast<Table>(title - kTables.begin());
      if (table == Table::Layers) reading = {};  // of several builds the last one counts
    } else if (table == Table::Layers) {
      add_layer(words_of(line), reading);
    } else if (table == Table::Features) {
      add_input(words_of(line), reading);
    }
  }
  return reading.engine;
}

}  // namespace detent
