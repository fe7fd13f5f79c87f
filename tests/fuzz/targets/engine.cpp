// Layers of an engine: TensorRT's JSON, dumps and logs, and ONNX Runtime's profile; read and explained.
#include "explain/explain_layers.h"
#include "explain/read_engine.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  const auto& path = fuzz::as_file(data, size, "layers.json");
  fuzz::expect_documented([&] { (void)summarize(explain_layers(read_engine(path))); });
  return 0;
}
