#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "detent/base/error.h"

namespace detent {

/// Positions in Graph::nodes() and Graph::values(). They do not convert to each other, or to numbers. An id always
/// names a node or value: an operand or a producer that may be absent is a Maybe.
enum class NodeId : int32_t {};
enum class ValueId : int32_t {};

template <class Id>
concept GraphId = std::same_as<Id, NodeId> || std::same_as<Id, ValueId>;

/// An id, or nothing: an optional input or output that is left out, the producer of a graph input, a name that nothing
/// has. It does not convert to an id and is no index: the reader asks first, or takes `*` where a check before, or the
/// operator's signature, guarantees that the id is there.
template <GraphId Id>
class Maybe {
 public:
  constexpr Maybe() = default;
  constexpr Maybe(Id id) : id_(id) {}  // NOLINT(google-explicit-constructor): every id is a Maybe

  [[nodiscard]] constexpr explicit operator bool() const { return id_ != kAbsent; }
  /// Errors  Internal when there is none.
  [[nodiscard]] constexpr Id operator*() const {
    if (id_ == kAbsent) throw Error(ErrorCode::Internal, "the id of an absent node or value was used");
    return id_;
  }

  friend constexpr bool operator==(Maybe, Maybe) = default;
  /// Absent comes first.
  friend constexpr auto operator<=>(Maybe, Maybe) = default;

 private:
  static constexpr Id kAbsent{-1};
  Id id_ = kAbsent;
};

using MaybeNode = Maybe<NodeId>;
using MaybeValue = Maybe<ValueId>;
inline constexpr MaybeNode kNoNode;
inline constexpr MaybeValue kNoValue;

/// The ids of a list that are not absent, in its order. The list must outlive it.
template <GraphId Id>
class Present {
 public:
  class Iterator {
   public:
    using value_type = Id;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(std::span<const Maybe<Id>> rest) : rest_(rest) { skip_absent(); }
    Id operator*() const { return *rest_.front(); }
    Iterator& operator++() {
      rest_ = rest_.subspan(1);
      skip_absent();
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.rest_.size() == b.rest_.size(); }

   private:
    void skip_absent() {
      while (!rest_.empty() && !rest_.front()) rest_ = rest_.subspan(1);
    }
    std::span<const Maybe<Id>> rest_;
  };

  explicit Present(std::span<const Maybe<Id>> list) : list_(list) {}
  [[nodiscard]] Iterator begin() const { return Iterator(list_); }
  [[nodiscard]] Iterator end() const { return Iterator(list_.subspan(list_.size())); }

 private:
  std::span<const Maybe<Id>> list_;
};

/// Returns the values of a list of operands that are not left out.
[[nodiscard]] inline Present<ValueId> present(std::span<const MaybeValue> operands) {
  return Present<ValueId>(operands);
}

/// Returns the position.
[[nodiscard]] constexpr size_t index_of(GraphId auto id) { return static_cast<size_t>(id); }

/// A list of one element for each node, or each value, of a graph. No other id or number is an index.
template <GraphId Id, class T>
class IdMap : private std::vector<T> {
  using List = std::vector<T>;

 public:
  using List::assign, List::begin, List::clear, List::empty, List::end, List::push_back, List::reserve, List::resize,
      List::size, typename List::value_type;

  IdMap() = default;
  explicit IdMap(size_t count, const T& content = T()) : List(count, content) {}

  [[nodiscard]] decltype(auto) operator[](Id id) { return List::operator[](index_of(id)); }
  [[nodiscard]] decltype(auto) operator[](Id id) const { return List::operator[](index_of(id)); }
  [[nodiscard]] bool contains(Id id) const { return index_of(id) < size(); }
};

template <class T>
using NodeMap = IdMap<NodeId, T>;
template <class T>
using ValueMap = IdMap<ValueId, T>;

}  // namespace detent
