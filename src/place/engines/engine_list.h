#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Every engine, a line each, in the order of --help: its name in Engine, and that of its homes: the folders
/// place/engines/NAME and lint/engines/NAME and the functions there. An engine without a home does not link.
// clang-format off
#define DETENT_ENGINES(each) \
  each(TensorRT, tensorrt) \
  each(Dla, dla) \
  each(TensorRtRtx, tensorrt_rtx) \
  each(OnnxRuntime, onnxruntime) \
  each(OpenVino, openvino) \
  each(Qnn, qnn) \
  each(Web, web) \
  each(WebGpu, webgpu) \
  each(Rknn, rknn)
// clang-format on

namespace detent {

#define DETENT_NAME(id, home) id,
enum class Engine : uint8_t { DETENT_ENGINES(DETENT_NAME) };
#undef DETENT_NAME

// NOLINTNEXTLINE(bugprone-macro-parentheses): terms of a sum
#define DETENT_COUNT(id, home) +1
inline constexpr size_t kEngineCount = 0 DETENT_ENGINES(DETENT_COUNT);
#undef DETENT_COUNT

/// One T for each engine, in the order of the list: with more or fewer it does not compile.
template <typename T>
class PerEngine {
 public:
  template <typename... Ts>
  constexpr PerEngine(const Ts&... all) : all_{all...} {  // NOLINT: a list
    static_assert(sizeof...(Ts) == kEngineCount, "one for each engine");
  }
  [[nodiscard]] constexpr const T& operator[](Engine engine) const { return all_[static_cast<size_t>(engine)]; }
  [[nodiscard]] constexpr auto begin() const { return all_.begin(); }
  [[nodiscard]] constexpr auto end() const { return all_.end(); }

 private:
  std::array<T, kEngineCount> all_;
};

struct EngineDef;

// The definition of each engine lies in its home.
#define DETENT_DEFINITION(id, home) \
  namespace home {                  \
  const EngineDef& definition();    \
  }
DETENT_ENGINES(DETENT_DEFINITION)
#undef DETENT_DEFINITION

/// Returns every engine.
[[nodiscard]] const PerEngine<const EngineDef*>& engine_list();

}  // namespace detent
