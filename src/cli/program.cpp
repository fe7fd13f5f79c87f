#include "cli/program.h"

#include <memory>
#include <string>

#include "cli/commit.h"
#include "cli/config_reader.h"
#include "cli/help_format.h"
#include "cli/limit_options.h"
#include "detent/version.h"

namespace detent::cli {

namespace {

/// CLI11 prints what its validators say of themselves behind the type: "N:INT in [1 - 4096]". The help text says it where it matters.
void hide_validators(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) try {
      for (int i = 0;; ++i) option->get_validator(i)->description("");
    } catch (const CLI::OptionNotFound&) {  // behind the last one
    }
}

}  // namespace

void declare(Program& program) {
  CLI::App& app = program.app;
  app.formatter(make_help_formatter(help_width()));  // subcommands inherit it
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version",
                       [] { return version_text() + (commit().empty() ? "" : "\ncommit " + std::string(commit())); });
  app.set_config("--config", "", "TOML file with options; keys stand under [command]");
  app.config_formatter(std::make_shared<ConfigReader>());
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.add_flag("--quiet", program.quiet, "No progress on stderr")->configurable(false);
  app.add_flag("--print-config", program.print_config, "Print the effective configuration and exit")
      ->configurable(false);
  app.footer("'detent help COMMAND' or 'detent COMMAND --help' shows a command's options and an example.");
  for (const Command& command : command_list()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->fallthrough();
    sub->footer("Example\n  " + std::string(command.example));
    program.actions.emplace_back(sub, command.declare(*sub));
    const auto nested = sub->get_subcommands({});
    for (CLI::App* one : nested.empty() ? std::vector<CLI::App*>{sub} : nested) {
      add_limit_options(*one);
      add_external_option(*one);
      hide_validators(*one);
    }
  }
}

}  // namespace detent::cli
