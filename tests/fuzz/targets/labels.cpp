// Labels: .csv with a header line, and lists of lines.
#include "datasets/base/csv.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  const auto& path = fuzz::as_file(data, size, "labels.csv");
  fuzz::expect_documented([&] { (void)read_labels(path); });
  fuzz::expect_documented([&] { (void)read_lines(path); });
  return 0;
}
