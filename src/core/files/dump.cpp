#include "core/files/dump.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include "core/files/atomic_file.h"

namespace detent {

namespace {

const char* dump_folder() { return std::getenv("DETENT_DUMP"); }

}  // namespace

bool dumps() {
  const char* folder = dump_folder();
  return folder && *folder;
}

std::filesystem::path next_dump(std::string_view name) {
  static std::atomic<int> count{0};
  make_folder(dump_folder());
  return std::filesystem::path(dump_folder()) / fmt::format("{:03}-{}", ++count, name);
}

}  // namespace detent
