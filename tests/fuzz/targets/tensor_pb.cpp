// The tensors of ONNX's backend-test folders. The first byte chooses the form.
#include "datasets/base/tensor_pb.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  if (size == 0) return 0;
  const auto& path = fuzz::as_file(data + 1, size - 1, "input_0.pb");
  fuzz::expect_documented([&] { (void)read_value_pb(path, static_cast<PbForm>(data[0] % 3)); });
  return 0;
}
