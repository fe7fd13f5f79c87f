#include "place/engines/tensorrt/next_command.h"

#include <filesystem>

namespace detent::tensorrt {

std::string cache_version(const Target& target, std::string_view calibrator) {
  const int major = target.version_major * (target.version_major < 10 ? 1000 : 10000);
  const char* name = calibrator == "max" ? "MinMaxCalibration" : "EntropyCalibration2";
  return "TRT-" + std::to_string(major + target.version_minor * 100) + "-" + name;
}

std::string next_command(const Target& target, const NextCommand& next) {
  // Without pairs INT8 would ask for a calibrator.
  const char* codes = !next.pairs ? "" : next.codes == CodeType::Fp8 ? " --fp8" : " --int8";
  const std::string types = target.strongly_typed ? "" : std::string(codes) + " --fp16";
  return "trtexec --onnx=" + std::string(next.file) + types +
         " --saveEngine=" + std::filesystem::path(next.file).replace_extension(".engine").string();
}

}  // namespace detent::tensorrt
