#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "detent/base/tensor.h"

namespace detent::bench {

/// Kinds of activations.
enum class Kind {
  Dense,        ///< normal
  Relu,         ///< half of it zero
  Relu6,        ///< Clip(0, 6) of a wide normal: many zeros, many equal to 6
  HeavyTailed,  ///< log-normal with either sign: many octaves
};

inline constexpr Kind kKinds[] = {Kind::Dense, Kind::Relu, Kind::Relu6, Kind::HeavyTailed};

inline std::string name_of(Kind kind) {
  constexpr const char* kNames[] = {"dense", "relu", "relu6", "heavy_tailed"};
  return kNames[static_cast<size_t>(kind)];
}

/// Returns the same numbers every time; they repeat after 2^20.
inline std::vector<float> random_floats(size_t count, Kind kind) {
  constexpr size_t kPeriod = size_t{1} << 20;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (size_t i = 0; i < std::min(count, kPeriod); ++i) {
    const float x = normal(random);
    switch (kind) {
      case Kind::Dense: values[i] = x; break;
      case Kind::Relu: values[i] = std::max(x, 0.0f); break;
      case Kind::Relu6: values[i] = std::clamp(4 * x, 0.0f, 6.0f); break;
      case Kind::HeavyTailed: values[i] = std::copysign(std::exp(2 * normal(random)), x); break;
    }
  }
  for (size_t i = kPeriod; i < count; ++i) values[i] = values[i - kPeriod];
  return values;
}

inline Tensor random_tensor(const Shape& shape, Kind kind = Kind::Dense) {
  return Tensor::from<float>(shape, random_floats(static_cast<size_t>(shape.element_count()), kind));
}

}  // namespace detent::bench
