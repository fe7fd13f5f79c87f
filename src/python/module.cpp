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
#include <future>
#include <map>
#include <mutex>
#include <stop_token>

#include "core/text.h"
#include "options/commands.h"
#include "report/json/json.h"

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
    task_ = task;
    total_ = total;
    tell(0);
  }
  void advance_to(size_t done) override {
    const std::scoped_lock lock(mutex_);
    tell(done);
  }
  void end() override {}
  void warn(std::string_view message) override {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(warnings_, message) == warnings_.end()) warnings_.emplace_back(message);
  }
  [[nodiscard]] std::vector<std::string> warnings() const { return warnings_; }

  /// Called with the GIL by the waiting thread of the caller: Python functions run in no other thread.
  void deliver() {
    std::unique_lock lock(mutex_);
    if (!pending_ || progress_.is_none()) return;
    const auto [task, done, total] = std::tuple(task_, done_, total_);
    pending_ = false;
    lock.unlock();
    progress_(task, done, total);
  }

 private:
  void tell(size_t done) {
    done_ = done;
    pending_ = true;
  }

  py::object progress_;
  std::mutex mutex_;
  std::string task_;
  size_t done_ = 0, total_ = 0;
  bool pending_ = false;
  std::vector<std::string> warnings_;
};

/// Runs `work` beside the interpreter and delivers progress meanwhile. KeyboardInterrupt, which Python raises in its
/// main thread alone, and exceptions of the progress function end this work through `stop`; work of other threads
/// continues.
template <class Work>
auto beside_python(PythonReporter& reporter, std::stop_source& stop, Work work) {
  std::future<std::string> result = std::async(std::launch::async, std::move(work));
  const auto ended = [&] {
    const py::gil_scoped_release without;
    return result.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  };
  try {
    while (!ended()) {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      reporter.deliver();
    }
    reporter.deliver();
  } catch (...) {
    stop.request_stop();
    {
      const py::gil_scoped_release without;
      result.wait();
    }
    throw;
  }
  return result.get();
}

DataType type_of(const py::array& array) {
  const py::dtype type = array.dtype();
  // Compares by kind and size: several types of numpy have the same numbers (longlong, int64).
  static const std::map<std::pair<char, py::ssize_t>, DataType> types{
      {{'f', 2}, DataType::Float16}, {{'f', 4}, DataType::Float32}, {{'f', 8}, DataType::Float64},
      {{'i', 1}, DataType::Int8},    {{'i', 2}, DataType::Int16},   {{'i', 4}, DataType::Int32},
      {{'i', 8}, DataType::Int64},   {{'u', 1}, DataType::UInt8},   {{'u', 2}, DataType::UInt16},
      {{'u', 4}, DataType::UInt32},  {{'u', 8}, DataType::UInt64},  {{'b', 1}, DataType::Bool}};
  const auto found = types.find({type.kind(), type.itemsize()});
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

using Answer = std::pair<std::string, std::vector<std::string>>;

/// Calls `function(options)` with the given options; returns its report as JSON, and its warnings.
template <class Options, class Function>
Answer run(Function function, const py::kwargs& given) {
  Options options;
  ReportOptions unused;
  const OptionList list = options_of(options, unused);
  for (const Option& option : list.options) {
    const py::object value = given.attr("get")(python_name(option));
    if (value.is_none() || option.traits.command_line_only) continue;
    const std::vector<std::string> texts = option.traits.check ? texts_of(value) : std::vector<std::string>{};
    for (const std::string& text : texts) option.traits.check(option.long_name(), text);
    std::visit(Take{option, value}, option.into);
  }
  for (const auto& settle : list.settle) settle();
  PythonReporter reporter(given.attr("get")("progress"));
  std::stop_source stop;
  if constexpr (requires { options.run; }) {
    options.run.reporter = &reporter;
    options.run.stop = stop.get_token();
  }
  const auto work = [&] {
    const auto report = function(options);
    if constexpr (requires { report.index(); })  // a command with several reports
      return std::visit([](const auto& one) { return to_json(one); }, report);
    else
      return to_json(report);
  };
  std::string json = beside_python(reporter, stop, work);
  return {std::move(json), reporter.warnings()};
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
      parameters.append(py::make_tuple("progress", "_Progress", false, "Reports progress; total 0 means unknown"));
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
