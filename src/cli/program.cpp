#include "cli/program.h"

#include <memory>
#include <string>

#include "cli/config_reader.h"
#include "cli/help_format.h"
#include "detent/base/version.h"

namespace detent::cli {

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
  app.footer(
      "'detent help COMMAND' or 'detent COMMAND --help' shows a command's options and an example, 'detent help COMMAND "
      "--long' also its manual.");
  declare_commands(program);
  declare_old_spellings(program);
}

}  // namespace detent::cli
