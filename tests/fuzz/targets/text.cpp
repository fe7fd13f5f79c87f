// Text: a vocabulary or a tokenizer, text taken apart by it, and records of .jsonl.
#include <algorithm>
#include <string>

#include "datasets/text/text_records.h"
#include "datasets/text/tokenizer.h"
#include "datasets/text/vocabulary.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace detent;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  // A vocabulary, and behind the first 0 byte the text.
  const size_t end = std::min(bytes.find('\0'), size);
  const auto& vocabulary = fuzz::as_file(data, end, "vocab.txt");
  fuzz::expect_documented(
      [&] { (void)Vocabulary::read(vocabulary).encode(bytes.substr(std::min(end + 1, size)), "text"); });
  const auto& tokenizer = fuzz::as_file(data, end, "tokenizer.json");
  fuzz::expect_documented(
      [&] { (void)Tokenizer::read(tokenizer).encode(bytes.substr(std::min(end + 1, size)), "text"); });
  const auto& records = fuzz::as_file(data, size, "text.jsonl");
  for (const char* vocab : {"bytes", ""})
    fuzz::expect_documented([&] { (void)TextRecords({records, vocab, 0, "text"}, {}).read(); });
  fuzz::expect_documented([&] { (void)parse_text_spec("text:" + bytes); });
  return 0;
}
