// .npy: header, and the array where it is small.
#include "datasets/base/npy_file.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  const auto& path = fuzz::as_file(data, size, "input.npy");
  fuzz::expect_documented([&] {
    const NpyFile file(path);
    const auto rank = file.shape().rank();
    if (rank > 0 && file.shape()[0] > 1) (void)file.read_rows(1, 2);
    (void)file.read();
  });
  return 0;
}
