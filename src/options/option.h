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

/// A value that is one of several words.
struct Choice {
  std::vector<std::string> words;                     ///< in alphabetical order, as help lists them
  std::function<std::string()> get;                   ///< word of the current value; "" if none names it
  std::function<void(const std::string& word)> take;  ///< sets the value; `word` is one of `words`
};

/// A text that is parsed when it is given.
/// Errors  Usage from `take`.
struct Parsed {
  std::function<void(const std::string&)> take;
  bool repeats = false;
  bool joins = false;  ///< repeated texts arrive as one, with commas
};

/// Member of an options struct that an option sets.
using Member = std::variant<bool*, std::string*, std::filesystem::path*, size_t*, std::optional<size_t>*, double*,
                            std::optional<double>*, std::vector<std::string>*, std::vector<std::filesystem::path>*,
                            DataOptions*, Choice, Parsed>;

/// Use of the files that an option names.
enum class FileUse {
  None,
  Reads,
  ReadsModel,   ///< a model, or a folder of models
  Writes,       ///< the command's output, which the command checks
  WritesReport  ///< a report besides the output
};

/// Properties that few options have.
struct OptionTraits {
  std::string group = {};  ///< heading in help; empty: the general one
  FileUse file = FileUse::None;
  bool required = false;
  bool commas = false;             ///< separates a list; otherwise the option is repeated
  bool command_line_only = false;  ///< not an option of Python
  bool of_program = false;         ///< stands in the help of the program, not in those of its commands
  /// "--policy": the command line has the option as KEY=VALUE of that one.
  std::string key_of = {};
  bool keeps_name = false;        ///< with key_of: its name is an option too, which the help does not show
  std::string python = {};        ///< "name: type" in Python, if they do not follow from `name` and `into`
  std::string default_text = {};  ///< shown in help instead of the member's value
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  /// Checks a value.
  /// Errors  Usage that begins with `name`.
  void (*check)(const std::string& name, const std::string& value) = nullptr;
};

/// An option or an argument of a command.
struct Option {
  std::string name;  ///< "--limit"; "-o,--output"; of an argument "MODEL"
  Member into;
  std::string type;  ///< placeholder of its value in help: "N"; empty: the words of a Choice
  std::string help;
  OptionTraits traits = {};

  [[nodiscard]] bool positional() const { return !name.starts_with("-"); }
  /// Returns "--output" for "-o,--output"; the name of an argument.
  [[nodiscard]] std::string long_name() const { return name.substr(name.find(',') + 1); }
  /// Returns true for a key whose name is no option of the command line.
  [[nodiscard]] bool only_key() const { return !traits.key_of.empty() && !traits.keeps_name; }
  /// Returns the name that the command line has: "--limit", "--policy concat".
  [[nodiscard]] std::string spelling() const {
    return traits.key_of.empty() ? long_name() : traits.key_of + " " + long_name().substr(2);
  }
};

/// Options of a command in the order of its help. Members point into the structs that the list was made of.
struct OptionList {
  std::vector<Option> options;
  std::vector<std::function<void()>> settle;  ///< called in this order once all values are set. Errors  Usage
};

inline void append(OptionList& list, Option option) { list.options.push_back(std::move(option)); }
inline void append(OptionList& list, std::function<void()> settle) { list.settle.push_back(std::move(settle)); }
inline void append(OptionList& list, const OptionList& more) {
  list.options.insert(list.options.end(), more.options.begin(), more.options.end());
  list.settle.insert(list.settle.end(), more.settle.begin(), more.settle.end());
}

/// Concatenates options, lists, and functions to call at the end.
template <class... Parts>
[[nodiscard]] OptionList list_of(Parts&&... parts) {
  OptionList list;
  (append(list, std::forward<Parts>(parts)), ...);
  return list;
}

/// Makes an option. `name` is as in help: "--limit N", "-o,--output OUT.onnx", "--concat", "MODEL".
[[nodiscard]] Option row(const std::string& name, Member into, std::string help, OptionTraits traits = {});

/// Puts the options of a list under one heading.
[[nodiscard]] OptionList under(const std::string& group, OptionList list);

/// Makes the options of a list keys of `option`, except those that are keys already.
[[nodiscard]] OptionList keys_of(const std::string& option, OptionList list);

/// Makes a choice that sets `value` by the word for it.
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
/// Errors  Usage: "--policy concat: 'x' is not one of independent, inputs, shared", with the likely word as the hint.
void take_word(const Option& option, const std::string& given);

/// Refuses a number outside of [least, most], and NaN.
/// Errors  Usage that begins with the option's name.
void check_number(const Option& option, const std::string& given, bool whole);

/// Returns the current values as they would be typed; "on" for a flag. Empty for what is off, absent or parsed.
[[nodiscard]] std::vector<std::string> values_of(const Option& option);

/// Returns the options, without dashes, whose values differ between two lists of the same options, with each value.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> changed(const OptionList& list, const OptionList& usual);
/// Returns the same options as they are typed, each behind a blank: " --exclude head --policy concat=inputs".
[[nodiscard]] std::string typed_changes(const OptionList& list, const OptionList& usual);

/// Refuses a word that is not one of `words`.
/// Errors  Usage, always.
[[noreturn]] void refuse_word(const std::string& option, const std::string& given,
                              const std::vector<std::string>& words);

}  // namespace detent
