// Writes the manual pages and the completions into a folder, from the options that `detent --help` prints. Runs when
// Detent is built.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cli/program.h"
#include "manual/pages.h"

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw fs::filesystem_error("cannot be written", path, std::make_error_code(std::errc::io_error));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace detent;
  if (argc != 2) {
    std::fputs("usage: detent_manual FOLDER\n", stderr);
    return 2;
  }
  try {
    const fs::path folder = argv[1];
    cli::Program program;
    cli::declare(program);
    const std::vector<manual::CommandPage> pages = manual::all_pages(program.app);
    for (const manual::CommandPage& page : pages)
      write(folder / "man" / manual::man_file(page), manual::man_page(page, pages));
    write(folder / "bash" / "detent", manual::bash_completion(pages));
    write(folder / "zsh" / "_detent", manual::zsh_completion(pages));
    write(folder / "fish" / "detent.fish", manual::fish_completion(pages));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "detent_manual: %s\n", error.what());
    return 1;
  }
  return 0;
}
