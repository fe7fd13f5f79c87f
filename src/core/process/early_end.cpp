#include "core/process/early_end.h"

#include <chrono>

#include "detent/base/progress.h"

namespace detent {

namespace {

thread_local EarlyEnd* in_force = nullptr;
thread_local int parts_taken = 0;

}  // namespace

EarlyEnd::EarlyEnd(double seconds)
    : seconds_(seconds), outer_(in_force), caller_(caller_stop()),
      forwards_(caller_, [this] { source_.request_stop(); }), token_(source_.get_token()) {
  if (outer_) return;
  in_force = this;
  scope_.emplace(token_);
  close();
}

void EarlyEnd::begin() {
  if (reason_ != Reason::None) return;
  token_ = source_.get_token();
  if (seconds_ <= 0 || clock_.joinable()) return;
  const double left = seconds_ - since_.seconds();
  if (left <= 0) {
    source_.request_stop();
    return;
  }
  clock_ = std::jthread([this, left](const std::stop_token& ended) {
    std::unique_lock lock(mutex_);
    wakes_.wait_for(lock, ended, std::chrono::duration<double>(left), [] { return false; });
    if (!ended.stop_requested()) source_.request_stop();
  });
}

void EarlyEnd::close() {
  if (reason_ == Reason::None) token_ = caller_;
}

EarlyEnd::~EarlyEnd() {
  if (!outer_) in_force = nullptr;
}

EarlyEnd* EarlyEnd::current() { return in_force; }

bool ends_early(const Error& error) {
  if (error.code() != ErrorCode::Interrupted || !in_force) return false;
  EarlyEnd& end = *in_force;
  if (end.caller_.stop_requested()) return false;
  if (end.reason_ == EarlyEnd::Reason::None) {
    const bool signalled = interrupted();
    if (signalled && !end.takes_interruptions_) return false;
    if (!signalled && !end.source_.stop_requested()) return false;
    end.reason_ = signalled ? EarlyEnd::Reason::Interruption : EarlyEnd::Reason::TimeLimit;
    end.token_ = signalled || !end.caller_.stop_possible() ? unstopped_token() : end.caller_;
  }
  return true;
}

std::stop_token Unstopped::what_stops() const {
  const EarlyEnd* const end = in_force;
  const bool interruption = end && end->reason_ == EarlyEnd::Reason::Interruption;
  const std::stop_token caller = end ? end->caller_ : caller_stop();
  if (caller.stop_possible() && !interruption) return caller;
  const bool finishes = end && (end->takes_interruptions_ || end->reason_ != EarlyEnd::Reason::None);
  return finishes ? unstopped_token() : source_.get_token();
}

Unstopped::Unstopped() : token_(what_stops()), scope_(token_) {}

PartOfSamples::PartOfSamples() { ++parts_taken; }

PartOfSamples::~PartOfSamples() { --parts_taken; }

bool takes_part_of_samples() { return parts_taken > 0; }

bool is_ending_early() { return in_force && in_force->reason() != EarlyEnd::Reason::None; }

const char* early_end_text() {
  if (!is_ending_early()) return "";
  return in_force->reason() == EarlyEnd::Reason::TimeLimit ? "time limit" : "interrupted";
}

}  // namespace detent
