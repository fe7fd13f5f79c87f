#include "cli/limit_options.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/files/allowed_folders.h"
#include "core/memory_limit.h"
#include "detent/error.h"

namespace detent::cli {

void add_limit_options(CLI::App& app) {
  app.add_option_function<std::string>(
         "--max-memory",
         [](const std::string& text) {
           try {
             set_memory_limit(parse_memory(text));
           } catch (const Error& error) {
             throw error.in("--max-memory");
           }
         },
         "Refuse what would take more: a tensor, table, image or array, and all tensors together. K, M and G are "
         "10^3, 10^6 and 10^9 bytes (default: what the machine has free)")
      ->type_name("BYTES")
      ->group("Limits");
}

void add_external_option(CLI::App& app) {
  constexpr const char* kModels[] = {"MODEL", "--model", "FILE", "DIR"};
  if (std::ranges::none_of(kModels, [&](const char* name) { return app.get_option_no_throw(name) != nullptr; })) return;
  app.add_option_function<std::vector<std::string>>(
         "--allow-external",
         [](const std::vector<std::string>& folders) {
           try {
             for (const std::string& folder : folders) allow_folder(folder);
           } catch (const Error& error) {
             throw error.in("--allow-external");
           }
         },
         "Let a model's external data lie in DIR too; data outside the model's folder is refused without it "
         "(repeatable)")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group("Limits");
}

}  // namespace detent::cli
