#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace detent {

/// Positions in Graph::nodes() and Graph::values(). They do not convert to each other, or to numbers.
enum class NodeId : int32_t {};
enum class ValueId : int32_t {};
inline constexpr NodeId kNoNode{-1};
inline constexpr ValueId kNoValue{-1};  ///< an optional input or output that is left out

template <class Id>
concept GraphId = std::same_as<Id, NodeId> || std::same_as<Id, ValueId>;

/// Returns the position; kNoNode and kNoValue give one beyond the end of every list.
[[nodiscard]] constexpr size_t index_of(GraphId auto id) { return static_cast<size_t>(id); }

/// Ends a question about a node or value that is left out: an error in Detent. Errors  Internal, always.
[[noreturn]] void refuse_absent();

/// Returns the position of an id that names something. Errors  Internal for kNoNode and kNoValue.
[[nodiscard]] constexpr size_t present_index(GraphId auto id) {
  if (static_cast<int32_t>(id) < 0) refuse_absent();
  return static_cast<size_t>(id);
}

/// A list of one element for each node, or each value, of a graph. No other id or number is an index; an id that names
/// nothing is an error (present_index).
template <GraphId Id, class T>
class IdMap : private std::vector<T> {
  using List = std::vector<T>;

 public:
  using List::assign, List::begin, List::clear, List::empty, List::end, List::push_back, List::reserve, List::resize,
      List::size, typename List::value_type;

  IdMap() = default;
  explicit IdMap(size_t count, const T& content = T()) : List(count, content) {}

  [[nodiscard]] decltype(auto) operator[](Id id) { return List::operator[](present_index(id)); }
  [[nodiscard]] decltype(auto) operator[](Id id) const { return List::operator[](present_index(id)); }
  [[nodiscard]] bool contains(Id id) const { return index_of(id) < size(); }
};

template <class T>
using NodeMap = IdMap<NodeId, T>;
template <class T>
using ValueMap = IdMap<ValueId, T>;

}  // namespace detent
