#include "cli/program.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/config_reader.h"
#include "cli/help_format.h"
#include "core/text.h"
#include "detent/base/version.h"
#include "options/groups.h"

namespace detent::cli {

namespace {

/// Visitor that declares an option for each kind of member.
struct Declare {
  CLI::App& app;
  const Option& option;

  CLI::Option* operator()(bool* member) const { return app.add_flag(option.name, *member, option.help); }
  CLI::Option* operator()(DataOptions* member) const {
    member->option = option.name;
    return (*this)(&member->sources);
  }
  template <class Item>
  CLI::Option* operator()(std::vector<Item>* member) const {
    CLI::Option* made = app.add_option(option.name, *member, option.help);
    if (option.traits.commas) return made->delimiter(',');
    return option.positional() ? made : made->allow_extra_args(false);
  }
  CLI::Option* operator()(const Choice& choice) const {
    return app
        .add_option_function<std::string>(
            option.name, [this_option = &option](const std::string& text) { take_word(*this_option, text); },
            option.help)
        ->type_name(join(choice.words, "|"))
        ->default_str(choice.get());
  }
  CLI::Option* operator()(const Parsed& parsed) const {
    if (parsed.joins) return app.add_option_function<std::string>(option.name, parsed.take, option.help)->join(',');
    if (!parsed.repeats) return app.add_option_function<std::string>(option.name, parsed.take, option.help);
    const auto take_all = [take = parsed.take](const std::vector<std::string>& texts) {
      for (const std::string& text : texts) take(text);
    };
    return app.add_option_function<std::vector<std::string>>(option.name, take_all, option.help)
        ->allow_extra_args(false);
  }
  template <class Value>
  CLI::Option* operator()(Value* member) const {
    CLI::Option* made = app.add_option(option.name, *member, option.help);
    constexpr bool kText = std::is_same_v<Value, std::string> || std::is_same_v<Value, std::filesystem::path>;
    if constexpr (!kText) {
      const auto check = [this_option = &option](std::string& text) {
        check_number(*this_option, text, std::is_same_v<Value, size_t> || std::is_same_v<Value, std::optional<size_t>>);
        return std::string();
      };
      made->check(CLI::Validator(check, ""));
    }
    return made;
  }
};

/// Returns true for lists, texts and numbers other than 0, whose default help shows.
bool shows_default(const Option& option) {
  if (std::holds_alternative<bool*>(option.into) || std::holds_alternative<Choice>(option.into)) return false;
  const std::vector<std::string> values = values_of(option);
  return !values.empty() && values.front() != "0";
}

}  // namespace

void declare_options(CLI::App& app, const OptionList& list) {
  for (const Option& option : list.options) {
    if (option.only_key()) continue;
    CLI::Option* made = std::visit(Declare{app, option}, option.into);
    if (!option.type.empty()) made->type_name(option.type);
    if (!option.traits.group.empty()) made->group(option.traits.group);
    const bool hidden = !option.traits.key_of.empty();
    if (hidden || (option.traits.of_program && app.get_parent())) made->group("");  // not in the help
    made->required(option.traits.required);
    if (shows_default(option)) made->capture_default_str();
    if (!option.traits.default_text.empty()) made->default_str(option.traits.default_text);
  }
}

void declare(Program& program) {
  CLI::App& app = program.app;
  app.formatter(make_help_formatter(help_width(), program.long_help));  // subcommands inherit it
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version",
                       [] { return version_text() + (commit().empty() ? "" : "\ncommit " + std::string(commit())); });
  app.set_config("--config", "", "TOML file with options; keys stand under [command]")
      ->check(CLI::Validator(
          [](std::string& text) {
            check_config_file(text);
            return std::string();
          },
          ""));
  app.config_formatter(std::make_shared<ConfigReader>());
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.add_flag("--quiet", program.quiet, "No progress on stderr")->configurable(false);
  app.add_option_function<std::string>(
         "--progress",
         [&program](const std::string& form) {
           const std::vector<std::string> forms{"json", "text"};
           if (std::ranges::find(forms, form) == forms.end()) refuse_word("--progress", form, forms);
           program.json_progress = form == "json";
         },
         "Form of the progress on stderr: text, or json: an object a line")
      ->type_name("text|json")
      ->configurable(false);
  app.add_flag("--print-config", program.print_config, "Print the effective configuration and exit")
      ->configurable(false);
  program.limits = limit_options(true);
  declare_options(app, program.limits);
  app.footer(
      "'detent help COMMAND' or 'detent COMMAND --help' shows a command's options and an example, 'detent help COMMAND "
      "--long' also explains the options in full, and has its manual.");
  declare_commands(program);
}

}  // namespace detent::cli
