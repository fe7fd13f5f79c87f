#include "datasets/synthetic.h"

#include <limits>
#include <vector>

#include "core/float_type.h"
#include "core/index.h"
#include "core/parse.h"
#include "datasets/base/made_sources.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr std::string_view kRandomPrefix = "random:";
constexpr const char* kRandomForm = "the form is random:normal|uniform[,n=32][,seed=1]";

struct SyntheticSpec {
  bool normal = true;
  uint64_t count = 32;
  uint64_t seed = 1;
};

[[noreturn]] void refuse_random(const std::string& src, const std::string& what) {
  throw Error(ErrorCode::Usage, "--data " + src + ": " + what, kRandomForm);
}

uint64_t parse_whole_number(const std::string& src, std::string_view key, std::string_view text) {
  if (const auto value = parse_number<uint64_t>(text)) return *value;
  refuse_random(src, "'" + std::string(key) + "' must be a whole number, not '" + std::string(text) + "'");
}

SyntheticSpec parse_spec(const std::string& src) {
  SyntheticSpec spec;
  std::string_view rest = std::string_view(src).substr(kRandomPrefix.size());
  bool first = true;
  while (first || !rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (first) {
      if (part != "normal" && part != "uniform") refuse_random(src, "unknown distribution '" + std::string(part) + "'");
      spec.normal = part == "normal";
      first = false;
    } else if (part.starts_with("n=")) {
      spec.count = parse_whole_number(src, "n", part.substr(2));
      if (spec.count == 0) refuse_random(src, "n must be at least 1");
    } else if (part.starts_with("seed=")) {
      spec.seed = parse_whole_number(src, "seed", part.substr(5));
    } else {
      refuse_random(src, "unknown key '" + std::string(part) + "'");
    }
  }
  return spec;
}

Shape sample_shape(const FeedInput& input) {
  if (!input.spec.has_shape)
    throw Error(ErrorCode::InvalidOption,
                "input '" + input.spec.name + "' has no declared shape, so random data cannot be made for it",
                "give real data: a .npy whose axis 0 counts samples");
  Shape shape;
  for (size_t axis = 0; axis < input.spec.shape.size(); ++axis) {
    const int64_t extent = static_cast<int>(axis) == input.batch_axis ? 1 : input.spec.shape[axis];
    if (extent < 0)
      throw Error(ErrorCode::InvalidOption,
                  "input '" + input.spec.name + "' (" + describe_shape(input.spec) +
                      ") has an open size, so random data cannot be made for it",
                  "give real data: images with --preprocess resize=HxW, or a .npy");
    shape.push_back(extent);
  }
  return shape;
}

Tensor draw(const SyntheticSpec& spec, size_t i, const FeedInput& input, const Shape& shape) {
  // Seeding through the generator itself separates neighbouring seeds, samples and inputs.
  RandomBits bits(RandomBits(RandomBits(RandomBits(spec.seed)() + i)() + input.position)());
  Tensor values(DataType::Float32, shape);
  for (float& value : values.mutable_data<float>()) {
    if (!is_floating_point(input.spec.type))
      value = static_cast<float>(bits() >> 63);
    else
      value = spec.normal ? bits.normal() : bits.uniform();
  }
  return cast(values, input.spec.type);
}

}  // namespace

float RandomBits::normal() {
  int64_t sum = -(int64_t{6} << 32);
  for (int i = 0; i < 6; ++i) {
    const uint64_t two = (*this)();
    sum += as_extent(two >> 32) + as_extent(two & 0xffffffffu);
  }
  return static_cast<float>(sum) * 0x1p-32f;
}

uint64_t RandomBits::below(uint64_t bound) {
  const uint64_t reject_from = std::numeric_limits<uint64_t>::max() / bound * bound;
  uint64_t value = (*this)();
  while (value >= reject_from) value = (*this)();
  return value % bound;
}

bool is_synthetic(const std::string& src) { return src.starts_with(kRandomPrefix); }

std::unique_ptr<DataSource> open_synthetic(const SourceRequest& request) {
  const SyntheticSpec spec = parse_spec(request.src);
  const std::vector<FeedInput> inputs(request.inputs.begin(), request.inputs.end());
  std::vector<Shape> shapes;
  for (const FeedInput& input : inputs) shapes.push_back(sample_shape(input));
  return std::make_unique<ReadSource>(spec.count, names_in("random"), [=](size_t i) {
    Sample sample;
    for (size_t k = 0; k < inputs.size(); ++k) sample.inputs.push_back(draw(spec, i, inputs[k], shapes[k]));
    return sample;
  });
}

}  // namespace detent
