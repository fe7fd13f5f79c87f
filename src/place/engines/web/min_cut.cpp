#include "place/engines/web/min_cut.h"

#include <algorithm>

namespace detent {

size_t MinCut::add_node() {
  leaving_.emplace_back();
  return leaving_.size() - 1;
}

void MinCut::add_pipe(size_t from, size_t to, int64_t cost) {
  leaving_[from].push_back(pipes_.size());
  pipes_.push_back({to, cost});
  leaving_[to].push_back(pipes_.size());
  pipes_.push_back({from, 0});
}

/// Counts the steps from the source to each node. Returns whether the sink is reached.
bool MinCut::find_levels() {
  levels_.assign(leaving_.size(), -1);
  levels_[kSource] = 0;
  std::vector<size_t> open{kSource};
  for (size_t at = 0; at < open.size(); ++at)
    for (const size_t pipe : leaving_[open[at]])
      if (pipes_[pipe].left > 0 && levels_[pipes_[pipe].to] < 0) {
        levels_[pipes_[pipe].to] = levels_[open[at]] + 1;
        open.push_back(pipes_[pipe].to);
      }
  return levels_[kSink] >= 0;
}

/// Sends what one path of the shortest kind takes. Returns 0 when there is none.
int64_t MinCut::push_once() {
  std::vector<size_t> path;
  for (size_t node = kSource; node != kSink;) {
    size_t& next = next_[node];
    const auto leads_on = [&](size_t pipe) {
      return pipes_[pipe].left > 0 && levels_[pipes_[pipe].to] == levels_[node] + 1;
    };
    while (next < leaving_[node].size() && !leads_on(leaving_[node][next])) ++next;
    if (next < leaving_[node].size()) {
      path.push_back(leaving_[node][next]);
      node = pipes_[path.back()].to;
    } else if (path.empty()) {
      return 0;
    } else {  // a dead end
      node = pipes_[path.back() ^ 1U].to;
      path.pop_back();
      ++next_[node];
    }
  }
  int64_t flow = kUncuttable;
  for (const size_t pipe : path) flow = std::min(flow, pipes_[pipe].left);
  for (const size_t pipe : path) pipes_[pipe].left -= flow, pipes_[pipe ^ 1U].left += flow;
  return flow;
}

std::vector<bool> MinCut::sink_side() {
  while (find_levels()) {
    next_.assign(leaving_.size(), 0);
    while (push_once() > 0) {
    }
  }
  // From the sink against the pipes that are not full: a tie leaves a node on the source's side.
  std::vector<bool> side(leaving_.size(), false);
  side[kSink] = true;
  std::vector<size_t> open{kSink};
  for (size_t at = 0; at < open.size(); ++at)
    for (const size_t pipe : leaving_[open[at]]) {
      const size_t from = pipes_[pipe].to;
      if (pipes_[pipe ^ 1U].left > 0 && !side[from]) {
        side[from] = true;
        open.push_back(from);
      }
    }
  return side;
}

}  // namespace detent
