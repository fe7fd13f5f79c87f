// A target without libFuzzer, for every compiler: TARGET PATH... runs each file, and each file of a folder below it,
// once. A finding ends the program. A missing path, or no file at all, is an error too.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/fuzz_input.h"

namespace fs = std::filesystem;

namespace {

bool run_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return std::fprintf(stderr, "%s: cannot be read\n", path.c_str()), false;
  std::fprintf(stderr, "%s\n", path.c_str());  // the last line before a crash
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argv[i]))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  if (files.empty()) return std::fputs("no file to replay\n", stderr), 2;
  for (const fs::path& file : files)
    if (!run_file(file)) return 2;
  std::printf("%zu files\n", files.size());
  return 0;
}
