// TensorRT's calibration caches. A cache that is read is written back with the same bits.
#include <cstdlib>

#include "calibrate/engines/tensorrt/tensorrt_cache.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  fuzz::expect_documented([&] {
    const TensorRtCache cache = parse_tensorrt_cache({reinterpret_cast<const char*>(data), size});
    const TensorRtCache again = parse_tensorrt_cache(format_tensorrt_cache(cache));
    if (again.scales != cache.scales || again.version_line != cache.version_line) std::abort();
  });
  return 0;
}
