#include "cli/limit_options.h"

#include <string>

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

}  // namespace detent::cli
