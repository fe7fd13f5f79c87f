#include "datasets/text/token_frame.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "datasets/text/token_model.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

/// Reads ["[SEP]", 102].
std::vector<int32_t> id_of_pair(const Json& json) { return {read_token_id(json.at(1))}; }

}  // namespace

TokenFrame::TokenFrame() : single_{{.text = 0}}, pair_{{.text = 0}, {.text = 1, .type = 1}} {}

TokenFrame TokenFrame::read(const nlohmann::json& json) {
  TokenFrame frame;
  if (!json.is_null()) frame.take(json);
  return frame;
}

TokenFrame::Parts TokenFrame::read_template(const nlohmann::json& json, const nlohmann::json& tokens) {
  Parts parts;
  for (const Json& item : json) {
    const bool is_text = item.contains("Sequence");
    const Json& content = item.at(is_text ? "Sequence" : "SpecialToken");
    const auto name = content.at("id").get<std::string>();
    if (is_text && name != "A" && name != "B")
      throw Error(ErrorCode::InvalidData, "the template of a post-processor names the text '" + name + "'");
    Part part{.text = is_text ? (name == "A" ? 0 : 1) : -1, .type = read_token_id(content.at("type_id"))};
    if (!is_text)
      for (const Json& id : tokens.at(name).at("ids")) part.ids.push_back(read_token_id(id));
    parts.push_back(std::move(part));
  }
  return parts;
}

void TokenFrame::take(const nlohmann::json& json) {
  const std::string kind = json.at("type").get<std::string>();
  if (kind == "Sequence") {
    for (const Json& one : json.at("processors")) take(one);
  } else if (kind == "TemplateProcessing") {
    single_ = read_template(json.at("single"), json.at("special_tokens"));
    pair_ = read_template(json.at("pair"), json.at("special_tokens"));
    const auto count = [](const Parts& parts, int text) { return std::ranges::count(parts, text, &Part::text); };
    if (count(single_, 0) != 1 || count(single_, 1) != 0 || count(pair_, 0) != 1 || count(pair_, 1) != 1)
      throw Error(ErrorCode::InvalidData, "the template of a post-processor does not hold each text once");
  } else if (kind == "BertProcessing" || kind == "RobertaProcessing") {
    const Part begin{.ids = id_of_pair(json.at("cls"))}, end{.ids = id_of_pair(json.at("sep"))};
    const bool types = kind == "BertProcessing";
    single_ = {begin, {.text = 0}, end};
    pair_ = single_;
    if (!types) pair_.push_back(end);
    pair_.push_back({.text = 1, .type = types ? 1 : 0});
    pair_.push_back({.ids = end.ids, .type = types ? 1 : 0});
  } else if (kind != "ByteLevel") {  // it changes where tokens lie in the text, not their ids
    throw Error(ErrorCode::InvalidData, "the post-processor '" + kind + "' is not known");
  }
}

size_t TokenFrame::added(bool pair) const {
  size_t count = 0;
  for (const Part& part : pair ? pair_ : single_) count += part.ids.size();
  return count;
}

size_t TokenFrame::added_behind() const {
  size_t count = 0;
  for (const Part& part : single_) count = part.text >= 0 ? 0 : count + part.ids.size();
  return count;
}

TokenRow TokenFrame::laid_out(const Parts& parts, std::span<const int32_t> first, std::span<const int32_t> second) {
  TokenRow row;
  for (const Part& part : parts) {
    const std::span<const int32_t> ids = part.text < 0    ? std::span<const int32_t>(part.ids)
                                         : part.text == 0 ? first
                                                          : second;
    row.ids.insert(row.ids.end(), ids.begin(), ids.end());
    row.types.insert(row.types.end(), ids.size(), part.type);
  }
  return row;
}

TokenRow TokenFrame::around(std::span<const int32_t> first) const { return laid_out(single_, first, {}); }

TokenRow TokenFrame::around(std::span<const int32_t> first, std::span<const int32_t> second) const {
  return laid_out(pair_, first, second);
}

}  // namespace detent
