#pragma once

#include <cmath>
#include <cstdint>

namespace detent {

/// A box in pixels of the network's input; the right and bottom edges belong to no pixel.
struct Box {
  float left = 0, top = 0, right = 0, bottom = 0;

  /// Returns 0 for a box whose edges are crossed.
  [[nodiscard]] double area() const {
    return right > left && bottom > top ? (static_cast<double>(right) - left) * (static_cast<double>(bottom) - top) : 0;
  }
};

/// Returns the area that two boxes share.
[[nodiscard]] inline double shared_area(const Box& a, const Box& b) {
  return Box{a.left > b.left ? a.left : b.left, a.top > b.top ? a.top : b.top, a.right < b.right ? a.right : b.right,
             a.bottom < b.bottom ? a.bottom : b.bottom}
      .area();
}

/// Returns the intersection over union; 0 for two boxes without area.
[[nodiscard]] inline double iou(const Box& a, const Box& b) {
  const double shared = shared_area(a, b), all = a.area() + b.area() - shared;
  return all > 0 ? shared / all : 0;
}

/// An object that a network found.
struct Detection {
  Box box;
  float score = 0;
  int32_t category = 0;  ///< index of its class
};

[[nodiscard]] inline bool is_finite(const Detection& found) {
  const auto [left, top, right, bottom] = found.box;
  return std::isfinite(found.score) && std::isfinite(left) && std::isfinite(top) && std::isfinite(right) &&
         std::isfinite(bottom);
}

/// An object that is there.
struct TrueObject {
  Box box;
  int32_t category = 0;
  bool crowd = false;  ///< a region of many objects: what is found in it is neither right nor wrong
  double area = 0;     ///< by which its ObjectSize is known: in pixels of the image, of the object or its box
};

}  // namespace detent
