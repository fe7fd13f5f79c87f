#include "options/option.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/nearest_names.h"
#include "core/parse.h"
#include "core/text.h"
#include "detent/base/error.h"

namespace detent {

Option row(const std::string& name, Member into, std::string help, OptionTraits traits) {
  const size_t blank = std::min(name.find(' '), name.size());
  const size_t type = std::min(blank + 1, name.size());
  return {name.substr(0, blank), std::move(into), name.substr(type), std::move(help), std::move(traits)};
}

OptionList under(const std::string& group, OptionList list) {
  for (Option& option : list.options) option.traits.group = group;
  return list;
}

OptionList keys_of(const std::string& option, OptionList list) {
  for (Option& key : list.options)
    if (key.traits.key_of.empty()) key.traits.key_of = option;
  return list;
}

void refuse_word(const std::string& option, const std::string& given, const std::vector<std::string>& words) {
  throw Error(ErrorCode::Usage, option + ": '" + given + "' is not one of " + join(words), did_you_mean(given, words));
}

void take_word(const Option& option, const std::string& given) {
  const Choice& choice = std::get<Choice>(option.into);
  if (std::ranges::find(choice.words, given) == choice.words.end())
    refuse_word(option.long_name(), given, choice.words);
  choice.take(given);
}

void check_number(const Option& option, const std::string& given, bool whole) {
  const bool bounded = std::isfinite(option.traits.least) || std::isfinite(option.traits.most);
  const auto number = parse_number<double>(given);
  const auto integer = parse_number<int64_t>(given);
  if (!bounded || (number && std::isfinite(*number) && *number >= option.traits.least &&
                   *number <= option.traits.most && (!whole || integer)))
    return;
  throw Error(ErrorCode::Usage,
              fmt::format("{}: '{}' is not a {}number from {:g} {}", option.long_name(), given, whole ? "whole " : "",
                          option.traits.least,
                          std::isfinite(option.traits.most) ? fmt::format("to {:g}", option.traits.most) : "on"));
}

std::vector<std::string> values_of(const Option& option) {
  const auto texts = [](const auto& member) -> std::vector<std::string> {
    using Type = std::decay_t<decltype(member)>;
    std::vector<std::string> values;
    if constexpr (std::is_same_v<Type, Choice>) {
      values = {member.get()};
    } else if constexpr (std::is_same_v<Type, bool*>) {
      if (*member) values = {"on"};
    } else if constexpr (std::is_same_v<Type, DataOptions*>) {
      values = member->sources;
    } else if constexpr (std::is_same_v<Type, std::vector<std::string>*>) {
      values = *member;
    } else if constexpr (std::is_same_v<Type, std::vector<std::filesystem::path>*>) {
      values.assign(member->begin(), member->end());
    } else if constexpr (std::is_same_v<Type, std::string*> || std::is_same_v<Type, std::filesystem::path*>) {
      values.emplace_back(*member);
    } else if constexpr (std::is_same_v<Type, size_t*> || std::is_same_v<Type, double*>) {
      values = {fmt::format("{}", *member)};
    } else if constexpr (!std::is_same_v<Type, Parsed>) {
      if (*member) values = {fmt::format("{}", **member)};
    }
    std::erase(values, "");
    return values;
  };
  return std::visit(texts, option.into);
}

std::vector<std::pair<std::string, std::string>> changed(const OptionList& list, const OptionList& usual) {
  std::vector<std::pair<std::string, std::string>> found;
  for (size_t i = 0; i < list.options.size(); ++i) {
    const std::vector<std::string> values = values_of(list.options[i]);
    if (values == values_of(usual.options[i])) continue;
    for (const std::string& value : values) found.emplace_back(list.options[i].long_name().substr(2), value);
  }
  return found;
}

std::string typed_changes(const OptionList& list, const OptionList& usual) {
  std::string typed;
  for (size_t i = 0; i < list.options.size(); ++i) {
    const Option& option = list.options[i];
    const std::vector<std::string> values = values_of(option);
    if (values == values_of(usual.options[i])) continue;
    const std::string name = option.long_name();
    for (const std::string& value : values)
      if (option.only_key())
        typed += " " + option.traits.key_of + " " + shell_quoted(name.substr(2) + "=" + value);
      else
        typed += " " + name + (std::holds_alternative<bool*>(option.into) ? "" : " " + shell_quoted(value));
  }
  return typed;
}

}  // namespace detent
