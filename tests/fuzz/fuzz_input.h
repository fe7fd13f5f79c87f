#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

/// Runs one input; libFuzzer and the replay of a corpus call it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace detent::fuzz {

/// Memory limit of the tensors, tables and images of one input.
inline constexpr uint64_t kMemoryLimit = uint64_t{64} << 20;

/// Runs `work`. A result and a documented Error pass: an exit code that blames the input (2, 10 to 14), or 130 after
/// the time below. Other exceptions (also std::bad_alloc) and ErrorCode::Internal are printed and abort.
/// Sets interrupted() after one second, as Ctrl-C would: a model may ask for endless work, which must then end.
/// libFuzzer's -timeout finds work that does not.
void expect_documented(const std::function<void()>& work);

/// Returns the bytes as a file called `name` in a scratch folder of this process, in memory if the system has such a
/// folder. It replaces the file before and is removed when the process ends.
[[nodiscard]] const std::filesystem::path& as_file(const uint8_t* data, size_t size, std::string_view name);

}  // namespace detent::fuzz
