#include "calibrate/sample_digest.h"

#include "core/files/content_hash.h"

namespace detent {

std::string sample_digest(std::span<const TableSample> samples) {
  if (samples.empty()) return {};
  ContentHash hash;
  hash.add_number(samples.size());
  for (const TableSample& sample : samples) {
    hash.add_text(sample.name);
    hash.add_number(sample.content.first);
    hash.add_number(sample.content.second);
  }
  return hash.digest().hex();
}

}  // namespace detent
