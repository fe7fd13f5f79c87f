#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "core/memory_limit.h"
#include "core/wrong_element_type.h"
#include "model/graph/graph.h"

namespace detent {

/// Returns "node 'NAME' (Op, opset N)".
[[nodiscard]] std::string describe_node(const Graph& graph, const Node& node);

/// Returns the error of operands that do not fit each other where the model alone decides what they are.
[[nodiscard]] inline Error as_fault_of_model(const Error& error) {
  const bool of_data = error.code() == ErrorCode::InvalidData && !is_about_memory(error);
  return of_data ? Error(ErrorCode::InvalidModel, error.what(), error.hint()) : error;
}

/// Runs `work`, which makes or runs the kernel of `node`. Its errors get the node in front; std::bad_alloc, and the
/// std::length_error of a list that no memory holds, become InvalidData.
template <class Work>
void with_node_in_errors(const Graph& graph, const Node& node, Work&& work) {
  try {
    work();
  } catch (const WrongElementType& error) {
    throw error.as_model_error().in(describe_node(graph, node));
  } catch (const Error& error) {
    throw error.in(describe_node(graph, node));
  } catch (const std::bad_alloc&) {
    throw system_out_of_memory().in(describe_node(graph, node));
  } catch (const std::length_error&) {
    throw system_out_of_memory().in(describe_node(graph, node));
  }
}

}  // namespace detent
