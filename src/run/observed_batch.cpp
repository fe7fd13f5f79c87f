#include "run/observed_batch.h"

#include <utility>

#include "core/float_type.h"
#include "ops/mask_values.h"
#include "run/model_inputs.h"

namespace detent {

namespace {

class ContentObserver final : public Observer {
 public:
  /// masks  values that say what is padding: all of their elements count. Empty without padding.
  ContentObserver(const SampleAxes& axes, SampleObserver& observer, BatchContent content, ValueMap<bool> masks)
      : axes_(axes), observer_(observer), content_(std::move(content)), masks_(std::move(masks)) {}

  /// Begins a run without padding, which shows the values that were put off.
  void begin_second_run() { content_.clear(), second_ = true; }
  [[nodiscard]] bool put_off() const { return put_off_; }

  void observe(ValueId value, const Tensor& tensor) override {
    const SampleAxis where = axes_.of(value);
    const bool is_float = !tensor.empty_handle() && is_floating_point(tensor.type());
    const bool unknown = is_float && where.kind == SampleAxis::Kind::Unknown;
    const bool later = unknown && content_.size() > 1;
    put_off_ = put_off_ || later;
    if (later || (second_ && !unknown)) return;
    const bool padded = is_float && !content_.empty() && !masks_[value];
    const auto counted = padded ? counted_elements(tensor.shape(), content_, where) : std::vector<uint8_t>();
    observer_.observe(value, counted.empty() ? tensor : to_plain(tensor), where, counted);
  }

 private:
  const SampleAxes& axes_;
  SampleObserver& observer_;
  BatchContent content_;
  ValueMap<bool> masks_;
  bool second_ = false, put_off_ = false;
};

}  // namespace

void run_observed(Executor& executor, std::vector<Sample>&& batch, const SampleAxes& axes, SampleObserver& observer) {
  BatchContent content = content_of(batch);
  std::vector<Sample> padded;
  if (!content.empty() && batch.size() > 1) padded = batch;  // tensors are shared
  ValueMap<bool> masks;
  if (!content.empty()) masks = mask_values(executor.graph());
  ContentObserver shown(axes, observer, std::move(content), std::move(masks));
  executor.run(stack_samples(std::move(batch)), shown);
  if (!shown.put_off()) return;
  for (Sample& sample : padded) sample = with_padding_filled(std::move(sample));
  shown.begin_second_run();
  executor.run(stack_samples(std::move(padded)), shown);
}

}  // namespace detent
