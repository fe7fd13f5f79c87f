#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "detent/base/data_source.h"

namespace detent {

/// A value that is one of some words.
struct Choice {
  std::vector<std::string> words;                     ///< in alphabetical order, as help lists them
  std::function<std::string()> get;                   ///< the present value's word; "" where it is none of them
  std::function<void(const std::string& word)> take;  ///< sets the value; `word` is one of `words`
};

/// A text that is read when it is given.
/// Errors  Usage from `take`.
struct Parsed {
  std::function<void(const std::string&)> take;
  bool repeats = false;
};

/// The member of an options struct that an option fills.
using Member = std::variant<bool*, std::string*, std::filesystem::path*, size_t*, std::optional<size_t>*, double*,
                            std::optional<double>*, std::vector<std::string>*, std::vector<std::filesystem::path>*,
                            DataOptions*, Choice, Parsed>;

/// The use that a command makes of the files that an option names.
enum class FileUse {
  None,
  Reads,
  ReadsModel,   ///< a model, or a folder of models
  Writes,       ///< the command's output, which the command checks itself
  WritesReport  ///< a report beside it
};

/// The properties that few options have.
struct OptionTraits {
  std::string group = {};  ///< heading in help; empty: the general one
  FileUse file = FileUse::None;
  bool required = false;
  bool commas = false;             ///< a list is separated by commas; otherwise the option is repeated
  bool command_line_only = false;  ///< decides what is printed
  std::string python = {};         ///< "name: type" in Python where they do not follow from `name` and `into`
  std::string default_text = {};   ///< in help instead of the member's value
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  /// Refuses a value.
  /// Errors  Usage that begins with `name`.
  void (*check)(const std::string& name, const std::string& value) = nullptr;
};

/// An option or an argument of a command.
struct Option {
  std::string name;  ///< "--limit"; "-o,--output"; of an argument "MODEL"
  Member into;
  std::string type;  ///< the word for its value in help: "N"; empty: the words of a Choice
  std::string help;
  OptionTraits traits = {};

  [[nodiscard]] bool positional() const { return !name.starts_with("-"); }
  /// "--output" of "-o,--output"; an argument's name as it is.
  [[nodiscard]] std::string long_name() const { return name.substr(name.find(',') + 1); }
};

/// The options of a command in the order of its help. Members point into the structs that the list was made of.
struct OptionList {
  std::vector<Option> options;
  std::vector<std::function<void()>> settle;  ///< called in this order when all values are there. Errors  Usage
};

inline void append(OptionList& list, Option option) { list.options.push_back(std::move(option)); }
inline void append(OptionList& list, std::function<void()> settle) { list.settle.push_back(std::move(settle)); }
inline void append(OptionList& list, const OptionList& more) {
  list.options.insert(list.options.end(), more.options.begin(), more.options.end());
  list.settle.insert(list.settle.end(), more.settle.begin(), more.settle.end());
}

/// Returns one list of options, lists, and functions to call at the end.
template <class... Parts>
[[nodiscard]] OptionList list_of(Parts&&... parts) {
  OptionList list;
  (append(list, std::forward<Parts>(parts)), ...);
  return list;
}

/// Makes an option. `name` is as help has it: "--limit N", "-o,--output OUT.onnx", "--concat", "MODEL".
[[nodiscard]] Option row(const std::string& name, Member into, std::string help, OptionTraits traits = {});

/// Returns the list with its options under one heading.
[[nodiscard]] OptionList under(const std::string& group, OptionList list);

/// Binds `value` to the words that name its values.
template <class Value>
[[nodiscard]] Choice choice(Value& value,
                            std::initializer_list<std::pair<std::string_view, std::type_identity_t<Value>>> named) {
  Choice made;
  const std::vector<std::pair<std::string_view, Value>> pairs = named;
  for (const auto& [word, meaning] : pairs) made.words.emplace_back(word);
  made.get = [&value, pairs] {
    for (const auto& [word, meaning] : pairs)
      if (meaning == value) return std::string(word);
    return std::string();
  };
  made.take = [&value, pairs](const std::string& given) {
    for (const auto& [word, meaning] : pairs)
      if (word == given) value = meaning;
  };
  return made;
}

/// Sets a choice.
/// Errors  Usage: "--concat: 'x' is not one of inputs, shared", with the word that was meant as the
/// hint.
void take_word(const Option& option, const std::string& given);

/// Refuses a number outside of [least, most], and NaN.
/// Errors  Usage that begins with the option's name.
void check_number(const Option& option, const std::string& given, bool whole);

/// The present values as they would be given; a flag's is "on". Empty for what is off, absent or only parsed.
[[nodiscard]] std::vector<std::string> values_of(const Option& option);

/// The options, without dashes, whose values differ from those of the same list made of other structs, each with every
/// value of it.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> changed(const OptionList& list, const OptionList& usual);

/// Throws Usage for a word that is none of `words`, as take_word does.
[[noreturn]] void refuse_word(const std::string& option, const std::string& given,
                              const std::vector<std::string>& words);

}  // namespace detent
