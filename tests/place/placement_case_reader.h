#pragma once

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "place/placement_case.h"

namespace detent::test {

inline std::runtime_error misread(const std::filesystem::path& file, int line, const std::string& what) {
  return std::runtime_error(file.string() + ":" + std::to_string(line) + ": " + what);
}

/// Expands `float[2,3] w = {...}` to `float[2,3] w = {0.5,0.5,...}`, and `{0.1...}` to that number in every place.
inline std::string fill_tensors(const std::string& text) {
  static const std::regex pattern(R"((\w+)\[([0-9,]*)\](\s*\w+\s*=\s*)\{([-0-9.e]*?)\.\.\.\})");
  std::string filled;
  auto rest = text.cbegin();
  std::smatch match;
  while (std::regex_search(rest, text.cend(), match, pattern)) {
    int64_t count = 1;
    std::istringstream extents(match[2].str());
    for (std::string extent; std::getline(extents, extent, ',');) count *= std::stoll(extent);
    std::string numbers;
    const std::string number = match[4].length() ? match[4].str() : match[1].str().starts_with("int") ? "1" : "0.5";
    for (int64_t i = 0; i < count; ++i) numbers += (i ? "," : "") + number;
    filled.append(rest, match[0].first);
    filled += match[1].str() + "[" + match[2].str() + "]" + match[3].str() + "{" + numbers + "}";
    rest = match[0].second;
  }
  return filled.append(rest, text.cend());
}

using OptionSetter = std::function<void(PlacementRequest&)>;

inline const std::map<std::string, OptionSetter>& option_words() {
  using O = PlacementRequest;
  static const std::map<std::string, OptionSetter> words{
      {"--type fp8", [](O& o) { o.type = CodeType::Fp8; }},
      {"--policy concat=inputs", [](O& o) { o.concat = O::Concat::Inputs; }},
      {"--policy concat=independent", [](O& o) { o.concat = O::Concat::Independent; }},
      {"--policy deconv-activation=fuse", [](O& o) { o.deconv_activation = O::DeconvActivation::Fuse; }},
      {"--policy deconv-activation=split", [](O& o) { o.deconv_activation = O::DeconvActivation::Split; }},
      {"--policy act-add=main", [](O& o) { o.act_add = O::ActAdd::Main; }},
      {"--policy se-mul=float", [](O& o) { o.se_mul = O::SeMul::Float; }},
      {"--policy maxpool=both", [](O& o) { o.maxpool = O::MaxPool::Both; }},
      {"--policy small-layers=quantize", [](O& o) { o.small_layers = O::SmallLayers::Quantize; }},
      {"--format scales=fp32", [](O& o) { o.scales = O::Scales::Fp32; }},
      {"--policy attention=auto", [](O& o) { o.attention = O::Attention::Auto; }},
      {"--policy attention=float", [](O& o) { o.attention = O::Attention::Float; }},
      {"--policy attention=fp8", [](O& o) { o.attention = O::Attention::Fp8; }},
      {"--policy attention=int8", [](O& o) { o.attention = O::Attention::Int8; }},
      {"--activation uint16", [](O& o) { o.type = CodeType::A16W8; }},
      {"--activation int16", [](O& o) { o.type = CodeType::A16W8, o.int16_activations = true; }},
      {"--activation int8", [](O& o) { o.int8_activations = true; }},
      {"--activation dynamic", [](O& o) { o.dynamic_products = true; }},
      {"--activation auto", [](O& o) { o.ruined_products_dynamic = true; }},
      {"--policy embeddings=float", [](O& o) { o.embeddings = O::Embeddings::Float; }},
      {"--policy embeddings=int8", [](O& o) { o.embeddings = O::Embeddings::Int8; }},
      {"--policy float-weights=int8", [](O& o) { o.float_weights = O::FloatWeights::Int8; }},
      {"--data given", [](O& o) { o.ranges_known = true; }},
      {"--policy residual=quantize", [](O& o) { o.residual = O::Residual::Quantize; }},
      {"--policy quantize-outputs=on", [](O& o) { o.quantize_outputs = true; }},
      {"--policy residual=float", [](O& o) { o.residual = O::Residual::Float; }},
  };
  return words;
}

/// Parses "tensorrt --policy concat=inputs --exclude ^Conv_0$"; throws std::runtime_error at unknown words.
inline void read_expect_words(const std::string& text, Expectation& expectation) {
  std::istringstream words(text);
  words >> expectation.target;
  for (std::string option, value; words >> option;) {
    PlacementRequest& options = expectation.options;
    words >> value;
    const std::string key = option == "--policy" ? value.substr(0, value.find('=')) : "";
    const std::string behind = value.substr(std::min(value.find('=') + 1, value.size()));
    if (option == "--include")
      options.include.push_back(value);
    else if (option == "--exclude")
      options.exclude.push_back(value);
    else if (key == "include-op")
      options.include_op.push_back(behind);
    else if (key == "exclude-op")
      options.exclude_op.push_back(behind);
    else if (option == "--ruined")
      expectation.measured.ruined[value] = "ruined";
    else if (option == "--costly")
      expectation.measured.costly[value] = "costly";
    else if (option == "--fixed")
      expectation.measured.fixed[value] = "it keeps more";
    else if (option == "--unreached")
      expectation.measured.unreached[value] = "Plugin 'p' cannot run here";
    else if (option == "--wide")
      expectation.measured.wide[value] = "costly";
    else if (option == "--feed")
      options.feeds.emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
    else if (option == "--bits16")
      options.wide_values.push_back(value);
    else if (const auto found = option_words().find(option + " " + value); found != option_words().end())
      found->second(options);
    else
      throw std::runtime_error("unknown option '" + option + " " + value + "'");
  }
}

inline void read_placement_file(const std::filesystem::path& file, std::vector<PlacementCase>& cases) {
  std::ifstream stream(file);
  int number = 0;
  bool in_model = false;
  for (std::string text; std::getline(stream, text);) {
    ++number;
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string::npos || text[first] == '#') continue;
    std::istringstream words(text);
    std::string word, rest;
    words >> word;
    std::getline(words >> std::ws, rest);
    if (word == "case") {
      cases.push_back({file, number, file.stem().string() + "_" + rest, "", {}});
      in_model = false;
    } else if (cases.empty() || cases.back().file != file) {
      throw misread(file, number, "expected `case NAME` first");
    } else if (word == "model") {
      in_model = true;
    } else if (word == "expect") {
      in_model = false;
      cases.back().expectations.push_back({number, "", {}, {}});
      try {
        read_expect_words(rest, cases.back().expectations.back());
      } catch (const std::runtime_error& error) {
        throw misread(file, number, error.what());
      }
    } else if (in_model) {
      cases.back().model += text + "\n";
    } else if (cases.back().expectations.empty()) {
      throw misread(file, number, "expected `model` or `expect TARGET`");
    } else {
      cases.back().expectations.back().lines.push_back({number, text.substr(first)});
    }
  }
}

inline std::vector<PlacementCase> read_placement_cases(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<PlacementCase> cases;
  for (const auto& file : files) read_placement_file(file, cases);
  for (PlacementCase& one : cases) one.model = fill_tensors(one.model);
  return cases;
}

}  // namespace detent::test
