#include "core/stop.h"

#include <utility>

#include "detent/base/error.h"
#include "detent/base/progress.h"

namespace detent {

namespace {

thread_local const std::stop_token* current = nullptr;

}  // namespace

bool stop_requested() {
  if (!interrupted().load(std::memory_order_relaxed)) return current && current->stop_requested();
  return !current || *current != unstopped_token();
}

const std::stop_token& unstopped_token() {
  static const std::stop_source source;
  static const std::stop_token token = source.get_token();
  return token;
}

StopScope::StopScope(const std::stop_token& token)
    : outer_(std::exchange(current, token.stop_possible() ? &token : current)) {}

StopScope::~StopScope() { current = outer_; }

std::stop_token caller_stop() { return current ? *current : std::stop_token(); }

void stop_if_interrupted() {
  if (stop_requested()) throw Error(ErrorCode::Interrupted, "interrupted");
}

}  // namespace detent
