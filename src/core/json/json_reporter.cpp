#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/process/progress_line.h"
#include "core/stopwatch.h"
#include "detent/base/progress.h"

namespace detent {

namespace {

class JsonReporter final : public Reporter {
 public:
  void step(size_t number, size_t count, std::string_view name) override {
    tell({{"event", "step"}, {"step", number}, {"steps", count}, {"name", name}});
  }

  void begin(std::string_view task, size_t total) override {
    const std::scoped_lock lock(mutex_);
    task_ = task, total_ = total, told_at_ = 0;
    begun_ = Stopwatch();
    write({{"event", "task"}, {"task", task_}, {"total", total_}});
  }

  void advance_to(size_t done) override {
    constexpr double kInterval = 1;  // seconds
    const std::scoped_lock lock(mutex_);
    const double seconds = begun_.seconds();
    if (seconds - told_at_ < kInterval) return;
    told_at_ = seconds;
    Json event{{"event", "progress"}, {"task", task_}, {"done", done}, {"total", total_}, {"seconds", seconds}};
    if (const auto left = seconds_left(seconds, done, total_)) event["left"] = *left;
    write(std::move(event));
  }

  void end() override {}

  void warn(std::string_view message) override {
    const std::scoped_lock lock(mutex_);
    if (said_.insert(std::string(message)).second) write({{"event", "warning"}, {"text", message}});
  }

 private:
  using Json = nlohmann::ordered_json;

  void tell(Json event) {
    const std::scoped_lock lock(mutex_);
    write(std::move(event));
  }

  void write(Json event) {
    event["elapsed"] = whole_.seconds();
    const std::string line = event.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
    std::fputs(line.c_str(), stderr);  // one call: lines of threads do not mix
  }

  std::mutex mutex_;
  Stopwatch whole_, begun_;
  std::string task_;
  size_t total_ = 0;
  double told_at_ = 0;
  std::set<std::string, std::less<>> said_;
};

}  // namespace

std::unique_ptr<Reporter> make_json_reporter() { return std::make_unique<JsonReporter>(); }

}  // namespace detent
