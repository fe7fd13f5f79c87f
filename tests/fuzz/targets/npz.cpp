// .npz: the directory of the archive, and each of its arrays.
#include "datasets/npz.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  const auto& path = fuzz::as_file(data, size, "input.npz");
  std::vector<std::string> names;
  fuzz::expect_documented([&] { names = NpzFile(path).names(); });
  for (size_t i = 0; i < names.size() && i < 4; ++i)
    fuzz::expect_documented([&] { (void)NpzFile(path).open(names[i]).read(); });
  return 0;
}
