// --override: JSON with ranges and calibrators by value.
#include "calibrate/range_overrides.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  const auto& path = fuzz::as_file(data, size, "override.json");
  fuzz::expect_documented([&] { (void)read_overrides(path); });
  return 0;
}
