#pragma once

#include <concepts>
#include <utility>

namespace detent {

/// A member that every definition must state: it has no default, so a definition that leaves it out does not compile.
template <typename T>
class Decided {
 public:
  template <std::convertible_to<T> U>
  constexpr Decided(U&& value) : value_(std::forward<U>(value)) {}  // NOLINT: stands for its value
  constexpr operator const T&() const { return value_; }            // NOLINT
  constexpr const T& operator*() const { return value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  T value_;
};

}  // namespace detent
