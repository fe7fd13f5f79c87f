// Calibration tables (.dct). A changed byte spoils the checksum, which hides all bytes behind it: they are read
// unchanged, and once more with the checksum corrected.
#include <cstring>
#include <span>
#include <string>

#include "core/files/content_hash.h"
#include "fuzz/fuzz_input.h"
#include "observe/calibration_table.h"
#include "observe/table_sum.h"

namespace {

constexpr size_t kChecksumBytes = 9;       // calibration_table.proto: the last field
constexpr char kChecksumTag = 15 * 8 + 1;  // its number and "fixed64"

std::string with_good_checksum(std::string_view bytes) {
  std::string body(bytes.substr(0, bytes.size() - kChecksumBytes));
  detent::ContentHash hash;
  hash.add(std::as_bytes(std::span(body)));
  const uint64_t checksum = hash.digest().first;
  body += kChecksumTag;
  body.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  return body;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  fuzz::expect_documented([&] { (void)table_from_bytes(bytes); });
  if (size < kChecksumBytes) return 0;
  const std::string sealed = with_good_checksum(bytes);
  fuzz::expect_documented([&] {
    const CalibrationTable table = table_from_bytes(sealed);
    (void)table_to_bytes(table);
  });
  return 0;
}
