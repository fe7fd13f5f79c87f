#include "ops/generate/random_stream.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace detent {

namespace {

constexpr uint64_t kGoldenGamma = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio, odd

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t RandomStream::next() { return mixed(state_ += kGoldenGamma); }

double RandomStream::uniform() { return std::ldexp(static_cast<double>(next() >> 11), -53); }

double RandomStream::normal() {
  const double radius = std::sqrt(-2 * std::log1p(-uniform()));  // 1 - u is never 0
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

uint64_t seed_of(const KernelContext& context) {
  const Node& node = context.node;
  if (const AttributeValue* given = node.find_attribute("seed")) {  // Dropout's is an integer
    const auto* number = std::get_if<int64_t>(given);
    return mixed((number ? static_cast<uint64_t>(*number) : std::bit_cast<uint32_t>(node.float_or("seed", 0))) +
                 kGoldenGamma);
  }
  uint64_t seed = kGoldenGamma;
  const ValueId output = node.output(0);
  if (output == kNoValue) return seed;
  for (const char letter : context.graph.value(output).name) seed = mixed(seed ^ static_cast<unsigned char>(letter));
  return seed;
}

}  // namespace detent
