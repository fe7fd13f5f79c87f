#include "model/graph/execution_order.h"

#include <algorithm>
#include <queue>

#include "detent/base/error.h"

namespace detent {

namespace {

using Positions = std::vector<int>;

/// Walks backwards from a node that never became ready until it meets a node twice.
Error cycle(const std::vector<Positions>& sources, const std::vector<int>& waiting_for,
            const std::function<std::string(int)>& describe) {
  const auto stuck = [&](int i) { return waiting_for[static_cast<size_t>(i)] > 0; };
  int at = 0;
  while (!stuck(at)) ++at;
  Positions path;
  std::vector<bool> seen(sources.size(), false);
  while (!seen[static_cast<size_t>(at)]) {
    seen[static_cast<size_t>(at)] = true;
    path.push_back(at);
    at = *std::ranges::find_if(sources[static_cast<size_t>(at)], stuck);
  }
  std::string text = describe(at);
  if (path.back() != at) text += " and " + describe(path.back());
  return {ErrorCode::InvalidModel,
          text + (path.back() != at ? " read each other's results: the graph has a cycle" : " reads its own result")};
}

}  // namespace

std::vector<int> execution_order(const std::vector<std::vector<int>>& sources,
                                 const std::function<std::string(int)>& describe) {
  const size_t count = sources.size();
  std::vector<Positions> readers(count);
  std::vector<int> waiting_for(count, 0);
  for (size_t i = 0; i < count; ++i)
    for (const int source : sources[i]) {
      readers[static_cast<size_t>(source)].push_back(static_cast<int>(i));
      ++waiting_for[i];
    }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i)
    if (waiting_for[i] == 0) ready.push(static_cast<int>(i));
  Positions order;
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const int reader : readers[static_cast<size_t>(next)])
      if (--waiting_for[static_cast<size_t>(reader)] == 0) ready.push(reader);
  }
  if (order.size() != count) throw cycle(sources, waiting_for, describe);
  return order;
}

}  // namespace detent
