#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

/// What libFuzzer, or the replay of a corpus, calls with one input.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace detent::fuzz {

/// Tensors, tables and images of one input take no more than this.
inline constexpr uint64_t kMemoryLimit = uint64_t{64} << 20;

/// Runs `work`. A result and a documented Error are fine: an exit code that blames the input (2, 10 to 14), or 130
/// after the time below. Everything else prints what it is and aborts: other exceptions (std::bad_alloc too),
/// ErrorCode::Internal.
///
/// As Ctrl-C would, a watch sets interrupted() after one second: a model may ask for endless work, which must then end.
/// Work that does not is found by libFuzzer's -timeout.
void expect_documented(const std::function<void()>& work);

/// The bytes as a file called `name` in a scratch folder of this process, in memory where the system has such a folder;
/// it replaces the one before and goes when the process ends.
[[nodiscard]] const std::filesystem::path& as_file(const uint8_t* data, size_t size, std::string_view name);

}  // namespace detent::fuzz
