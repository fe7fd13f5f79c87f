// detent._detent: commands as functions. Options come as keyword arguments, reports go back as JSON text, which
// __init__.py turns into dicts.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>

#include "core/files/atomic_file.h"
#include "core/text.h"
#include "detent/base/calibrator.h"
#include "detent/base/model_files.h"
#include "detent/base/version.h"
#include "options/command_inputs.h"
#include "options/commands.h"
#include "report/html/page.h"
#include "report/json/json.h"
#include "report/text/failed_check.h"
#include "report/text/text.h"

namespace py = pybind11;

namespace detent {
namespace {

/// Passes progress to a Python function `progress(task, done, total)` and collects warnings until the call ends;
/// __init__.py gives them to `warnings.warn`.
class PythonReporter final : public Reporter {
 public:
  explicit PythonReporter(py::object progress) : progress_(std::move(progress)) {}
  ~PythonReporter() override = default;

  void begin(std::string_view task, size_t total) override {
    const std::scoped_lock lock(mutex_);
    pending_.push_back({std::string(task), 0, total});
    task_ = pending_.back();
  }
  void advance_to(size_t done) override {
    const std::scoped_lock lock(mutex_);
    task_.done = done;
    if (pending_.empty())
      pending_.push_back(task_);
    else
      pending_.back() = task_;
  }
  void end() override {}
  void warn(std::string_view message) override {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(warnings_, message) == warnings_.end()) warnings_.emplace_back(message);
  }
  [[nodiscard]] std::vector<std::string> warnings() const { return warnings_; }

  /// Called with the GIL by the waiting thread of the caller: Python functions run in no other thread. Passes on the
  /// newest progress of the current task and the last of those that ended.
  void deliver() {
    std::unique_lock lock(mutex_);
    std::vector<Progress> pending;
    pending.swap(pending_);
    lock.unlock();
    if (progress_.is_none()) return;
    for (const Progress& one : pending) progress_(one.task, one.done, one.total);
  }

 private:
  struct Progress {
    std::string task;
    size_t done = 0, total = 0;
  };

  py::object progress_;
  std::mutex mutex_;
  Progress task_;
  std::vector<Progress> pending_;
  std::vector<std::string> warnings_;
};

/// Lets work in another thread call Python in the thread of the caller.
class CallerThread {
 public:
  /// Runs `work` beside the interpreter, and meanwhile what it asks for, and delivers progress. KeyboardInterrupt,
  /// which Python raises in its main thread alone, and exceptions of Python functions end this work through `stop`;
  /// work of other threads continues.
  template <class Work>
  auto run_beside(PythonReporter& reporter, std::stop_source& stop, Work work) {
    auto result = std::async(std::launch::async, [&] {
      const Finish finish{*this};
      return work();
    });
    try {
      const std::function<void()>* asked = nullptr;
      while (wait(asked)) {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        reporter.deliver();
        if (!asked) continue;
        (*asked)();
        tell([this] { asked_ = nullptr; });
      }
      reporter.deliver();
    } catch (...) {
      stop.request_stop();
      tell([this] { closed_ = true; });
      {
        const py::gil_scoped_release without;
        result.wait();
      }
      throw;
    }
    return result.get();
  }

  /// Calls a function in the caller's thread, with the GIL, and waits for it.
  /// Errors  Interrupted where an exception ended the work; the caller gets that one.
  void call(const std::function<void()>& function) {
    const std::scoped_lock one_at_a_time(calls_);
    std::unique_lock lock(mutex_);
    asked_ = &function;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !asked_ || closed_; });
    if (closed_) throw Error(ErrorCode::Interrupted, "interrupted");
  }

 private:
  struct Finish {
    CallerThread& thread;
    ~Finish() {
      thread.tell([this] { thread.finished_ = true; });
    }
  };
  template <class Change>
  void tell(Change change) {
    const std::scoped_lock lock(mutex_);
    change();
    changed_.notify_all();
  }
  /// Waits until there is something to do, at most for the time in which progress is delivered. Returns false at the
  /// end of the work.
  bool wait(const std::function<void()>*& asked) {
    const py::gil_scoped_release without;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(50), [this] { return asked_ || finished_; });
    asked = asked_;
    return !finished_;
  }

  std::mutex calls_, mutex_;
  std::condition_variable changed_;
  const std::function<void()>* asked_ = nullptr;
  bool finished_ = false, closed_ = false;
};

DataType type_of(const py::array& array) {
  const py::dtype type = array.dtype();
  // Compares by kind and size: several types of numpy have the same numbers (longlong, int64).
  static const std::map<std::pair<char, py::ssize_t>, DataType> types{
      {{'f', 2}, DataType::Float16}, {{'f', 4}, DataType::Float32}, {{'f', 8}, DataType::Float64},
      {{'i', 1}, DataType::Int8},    {{'i', 2}, DataType::Int16},   {{'i', 4}, DataType::Int32},
      {{'i', 8}, DataType::Int64},   {{'u', 1}, DataType::UInt8},   {{'u', 2}, DataType::UInt16},
      {{'u', 4}, DataType::UInt32},  {{'u', 8}, DataType::UInt64},  {{'b', 1}, DataType::Bool}};
  // Asks Python for the size: pybind11 before 2.12 reads it where NumPy 2 has something else.
  const auto found = types.find({type.kind(), type.attr("itemsize").cast<py::ssize_t>()});
  if (found != types.end() && type.attr("isnative").cast<bool>()) return found->second;
  throw Error(ErrorCode::InvalidData,
              "arrays of type " + std::string(py::str(static_cast<const py::object&>(type))) + " cannot be fed");
}

/// Views the arrays in the order of the model's inputs without a copy: the caller holds them until the work ends.
std::vector<Tensor> tensors_of(const std::vector<py::array>& arrays) {
  if (arrays.empty()) throw Error(ErrorCode::InvalidData, "no arrays were given");
  std::vector<Tensor> tensors;
  for (const py::array& array : arrays) {
    constexpr int kAligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
    if (!(array.flags() & py::array::c_style) || !(array.flags() & kAligned))
      throw Error(ErrorCode::InvalidData, "an array is not C-contiguous, or not aligned");
    const std::vector<int64_t> extents(array.shape(), array.shape() + array.ndim());
    tensors.push_back(Tensor::view(type_of(array), Shape(extents), array.data()));
  }
  return tensors;
}

/// Returns the Python name of an option and its type where `into` does not give it: "batch_axis: Mapping[str,
/// Optional[int]]".
std::string python_name(const Option& option) {
  if (!option.traits.python.empty()) return option.traits.python.substr(0, option.traits.python.find(':'));
  std::string name = option.long_name().substr(option.positional() ? 0 : 2);
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::tolower(c));
  return name;
}

/// Returns the type of an option's values in Python: "Sequence[str]".
std::string python_type(const Option& option) {
  const std::string& python = option.traits.python;
  if (!python.empty()) return python.substr(python.find(": ") + 2);
  if (const auto* choice = std::get_if<Choice>(&option.into)) {
    if (choice->words == std::vector<std::string>{"off", "on"}) return "bool";
    if (std::isdigit(choice->words.front().front())) return "Union[int, str]";
    return "Literal[" + join(choice->words, ", ", [](const auto& word) { return '"' + word + '"'; }) + "]";
  }
  // Types in the order of Member.
  constexpr const char* kTypes[] = {"bool",  "str",           "_Path",           "int",   "int", "float",
                                    "float", "Sequence[str]", "Sequence[_Path]", "_Data", "",    "str"};
  static_assert(std::size(kTypes) == std::variant_size_v<Member>);
  return kTypes[option.into.index()];
}

/// Returns "on" of True, "32" of 32, the word of a word.
std::string word_of(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "on" : "off";
  return py::str(value).cast<std::string>();
}

/// Returns the texts that the command line would have: one for each item of a list, "image=1,3,224,224" of a dict,
/// with "none" for None.
std::vector<std::string> texts_of(const py::object& value) {
  const auto is_list = [](const py::handle& one) {
    return py::isinstance<py::sequence>(one) && !py::isinstance<py::str>(one);
  };
  std::vector<std::string> texts;
  if (py::isinstance<py::dict>(value)) {
    for (const auto& [key, item] : value.cast<py::dict>())
      texts.push_back(word_of(key) + "=" +
                      (item.is_none()  ? "none"
                       : is_list(item) ? join(item.cast<std::vector<py::object>>(), ",", word_of)
                                       : word_of(item)));
  } else if (is_list(value)) {
    for (const py::handle& item : value.cast<py::sequence>()) texts.push_back(word_of(item));
  } else {
    texts.push_back(word_of(value));
  }
  return texts;
}

/// Sets each kind of member from a value of Python.
struct Take {
  const Option& option;
  const py::object& value;

  void operator()(std::vector<std::string>* member) const { *member = texts_of(value); }
  void operator()(const Choice&) const { take_word(option, word_of(value)); }
  void operator()(const Parsed& parsed) const {
    for (const std::string& text : texts_of(value)) parsed.take(text);
  }
  void operator()(DataOptions* member) const {
    member->option = python_name(option);
    if (py::isinstance<py::tuple>(value))  // arrays in the order of the model's inputs
      member->arrays = tensors_of(value.cast<std::vector<py::array>>());
    else
      member->sources = value.cast<std::vector<std::string>>();
  }
  template <class Value>
  void operator()(Value* member) const {
    if constexpr (std::is_same_v<Value, size_t> || std::is_same_v<Value, double> ||
                  std::is_same_v<Value, std::optional<size_t>> || std::is_same_v<Value, std::optional<double>>)
      check_number(option, py::str(value).cast<std::string>(), false);
    *member = value.cast<Value>();
  }
};

/// Report as JSON, a function that makes its text, message and hint of the check that failed, and a function for each
/// page of the report.
struct Answer {
  std::string json;
  std::function<std::string()> text = {};
  std::optional<std::pair<std::string, std::string>> failed = {};
  std::vector<std::function<std::string()>> pages = {};
};

/// Returns a function that makes the page of a report, where the command line has one.
template <class Report, class Options>
std::vector<std::function<std::string()>> pages_of(const std::shared_ptr<const Report>& report,
                                                   const Options& options) {
  const auto origin_of = [](const std::filesystem::path& model) {
    PageOrigin origin{{}, version_text(), model.string(), {}, {}, {}};
    try {
      origin.files = digest_model_files(model);
    } catch (const Error&) {  // the model is not there any more
    }
    return origin;
  };
  if constexpr (std::is_same_v<Report, QuantizeTargetsReport>) {
    std::vector<std::function<std::string()>> pages;
    for (const QuantizeReport& one : report->targets)
      pages.emplace_back([report, &one, origin_of, model = options.model] { return to_html(one, origin_of(model)); });
    return pages;
  } else if constexpr (requires(const PageOrigin& origin) { to_html(*report, origin); }) {
    return {[report, origin_of, model = options.model] { return to_html(*report, origin_of(model)); }};
  } else {
    return {};
  }
}

template <class Report, class Options>
Answer answer_of(Report&& made, const Options& options, const ReportOptions& reporting) {
  const auto report = std::make_shared<const std::decay_t<Report>>(std::forward<Report>(made));
  Answer answer{to_json(*report), [report] { return to_text(*report); }};
  if (const auto failed = failed_check(*report, {!reporting.strict, reporting.accept_broken, reporting.fail_below}))
    answer.failed = {failed->what(), failed->hint()};
  answer.pages = pages_of(report, options);
  return answer;
}

/// Returns the plan, which is written, or null: the other stages leave nothing except the output.
Answer answer_of_stage(const QuantizeReport& report, const QuantizeOptions& options) {
  if (options.stop_after != StopAfter::Plan) return {"null"};
  Answer answer = answer_of(report.plan, PlanModelOptions{.model = options.model}, {});
  write_file(options.output, answer.json, options.overwrite);
  return answer;
}

/// Returns the options of a command's task; nullptr: it judges none.
template <class Options>
EvaluationOptions* evaluation_of(Options& options) {
  if constexpr (requires { options.bound.evaluation; })
    return &options.bound.evaluation;
  else if constexpr (requires { options.evaluation; })
    return &options.evaluation;
  else
    return nullptr;
}

/// Makes a metric of a Python function that takes the files of a candidate's outputs by name. `function` must outlive
/// it.
MetricFunction metric_of(CallerThread& caller, const py::object& function) {
  return [&caller, &function](const OutputFiles&, const OutputFiles& candidate) {
    double score = 0;
    caller.call([&] {
      py::dict files;
      for (const auto& [name, path] : candidate.outputs) files[py::str(name)] = path.string();
      score = function(files).template cast<double>();
    });
    return score;
  };
}

/// Returns counts and edges of a histogram, as numpy.histogram: from the first to the last bin that holds an element.
std::pair<py::array_t<uint64_t>, py::array_t<double>> arrays_of(const Histogram& histogram) {
  const auto used = [](std::span<const uint64_t> side) {
    return std::ranges::find_if(side.rbegin(), side.rend(), [](uint64_t n) { return n > 0; }).base() - side.begin();
  };
  const std::span<const uint64_t> negative = histogram.negative(), positive = histogram.positive();
  const auto below = negative.empty() ? 0 : used(negative);
  const auto above = std::max<ptrdiff_t>(1, positive.empty() ? 0 : used(positive));  // zeros lie in its first bin
  // With strides, which pybind11 before 2.12 would compute from a size that it reads wrongly in NumPy 2.
  py::array_t<uint64_t> counts({below + above}, {sizeof(uint64_t)});
  py::array_t<double> edges({below + above + 1}, {sizeof(double)});
  auto count = counts.mutable_unchecked<1>();
  auto edge = edges.mutable_unchecked<1>();
  for (ptrdiff_t i = -below; i < above; ++i) {
    const auto side = i < 0 ? negative : positive;
    const auto at = static_cast<size_t>(i < 0 ? -i - 1 : i);
    count(i + below) = (side.empty() ? 0 : side[at]) + (i == 0 ? histogram.zeros() : 0);
    edge(i + below) = static_cast<double>(i) * histogram.bin_width();
  }
  edge(below + above) = static_cast<double>(above) * histogram.bin_width();
  return {counts, edges};
}

/// Makes calibrators of Python functions `function(counts, edges)` by their names, which return amax or (min, max).
std::vector<std::unique_ptr<OwnCalibrator>> calibrators_of(CallerThread& caller, const py::dict& functions) {
  std::vector<std::unique_ptr<OwnCalibrator>> made;
  for (const auto& [name, function] : functions) {
    const auto choose = [&caller, function = function](const Histogram& histogram, RangeKind) {
      Range range;
      caller.call([&] {
        const auto [counts, edges] = arrays_of(histogram);
        const py::object said = function(counts, edges);
        const bool both = py::isinstance<py::sequence>(said);
        range.max = both ? said[py::int_(1)].cast<float>() : said.cast<float>();
        range.min = both ? said[py::int_(0)].cast<float>() : -range.max;
      });
      return range;
    };
    made.push_back(std::make_unique<OwnCalibrator>(name.cast<std::string>(), choose));
  }
  return made;
}

/// Calls `function(options)` with the given options; returns its Answer and its warnings.
template <class Options, class Function>
py::tuple run(Function function, const py::kwargs& given) {
  Options options;
  ReportOptions reporting;
  const OptionList list = options_of(options, reporting);
  CallerThread caller;
  const auto own = calibrators_of(caller, given["own_calibrators"]);
  for (const Option& option : list.options) {
    const py::object value = given.attr("get")(python_name(option));
    if (value.is_none() || option.traits.command_line_only) continue;
    const std::vector<std::string> texts = option.traits.check ? texts_of(value) : std::vector<std::string>{};
    for (const std::string& text : texts) option.traits.check(option.long_name(), text);
    std::visit(Take{option, value}, option.into);
  }
  const py::object evaluate = given.attr("get")("evaluate");
  if (!evaluate.is_none()) evaluation_of(options)->metric = metric_of(caller, evaluate);
  for (const auto& settle : list.settle) settle();
  if constexpr (requires { options.pictures; }) options.pictures = true;  // of detections, for the page
  PythonReporter reporter(given.attr("get")("progress"));
  std::stop_source stop;
  if constexpr (requires { options.run; }) {
    options.run.reporter = &reporter;
    options.run.stop = stop.get_token();
  }
  const auto work = [&] {
    const InputFiles protected_inputs = protect_inputs(options);  // also from what is written after `function`
    auto report = function(options);
    if constexpr (requires { options.stop_after; })
      if (options.stop_after != StopAfter::Nothing) return answer_of_stage(std::get<QuantizeReport>(report), options);
    if constexpr (requires { report.index(); })  // a command with several reports
      return std::visit([&](auto&& one) { return answer_of(std::forward<decltype(one)>(one), options, reporting); },
                        std::move(report));
    else
      return answer_of(std::move(report), options, reporting);
  };
  const Answer answer = caller.run_beside(reporter, stop, work);
  return py::make_tuple(answer.json, answer.text, reporter.warnings(), answer.failed, answer.pages);
}

/// Defines `name(**options)` for each command, and `commands`: {name: (summary, [(option, type, required, help)])}.
void define_commands(py::module_& module) {
  py::dict commands;
  for_each_command([&](const Command& command, auto type, auto function) {
    using Options = typename decltype(type)::type;
    std::string name = command.name;
    for (char& c : name) c = std::isalpha(c) ? c : '_';
    Options options;
    ReportOptions unused;
    py::list parameters;
    for (const Option& option : options_of(options, unused).options) {
      if (option.traits.command_line_only) continue;
      parameters.append(py::make_tuple(python_name(option), python_type(option), option.traits.required, option.help));
    }
    if constexpr (requires { options.run; })
      parameters.append(py::make_tuple(
          "progress", "_Progress", false,
          "True draws a bar with tqdm, or prints lines without it; a function reports (task, done, total), where a "
          "total of 0 means unknown"));
    if (evaluation_of(options))
      parameters.append(py::make_tuple("evaluate", "_Evaluate", false,
                                       "Judges by evaluate(outputs, index): the score of sample `index` of eval, whose "
                                       "outputs are arrays by name without the batch axis; larger is better, and the "
                                       "mean over all samples counts"));
    commands[py::str(name)] = py::make_tuple(command.summary, parameters);
    module.def(name.c_str(), [function](const py::kwargs& given) { return run<Options>(function, given); });
  });
  module.attr("commands") = commands;
}

}  // namespace
}  // namespace detent

PYBIND11_MODULE(_detent, module) {
  module.doc() = "Detent's commands; use the package `detent`, which has their signatures.";
  static py::exception<detent::Error> error(module, "Error");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const detent::Error& caught) {
      const py::object made = static_cast<const py::object&>(error)(caught.what());
      made.attr("code") = static_cast<int>(caught.code());
      made.attr("hint") = caught.hint();
      PyErr_SetObject(error.ptr(), made.ptr());
    }
  });
  module.def("version", &detent::version_number);
  detent::define_commands(module);
}
