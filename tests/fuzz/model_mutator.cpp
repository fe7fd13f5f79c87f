// Changes models as models: libFuzzer's changes of bytes rarely leave a protobuf that parses. Any field of any
// message of the model may change; strings become names of the model or operators that Detent knows, messages are
// copied from elsewhere in the model or, in a cross-over, from another one.
#include <google/protobuf/message.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "model/onnx_protos.h"
#include "ops/op_list.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Random = std::minstd_rand;

size_t below(Random& random, size_t count) { return count == 0 ? 0 : random() % count; }

/// Every message of the tree, the root first.
void collect(Message& root, std::vector<Message*>& all) {
  all.push_back(&root);
  for (size_t i = all.size() - 1; i < all.size(); ++i) {
    Message& message = *all[i];
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
      if (!field->is_repeated()) {
        all.push_back(reflection.MutableMessage(&message, field));
        continue;
      }
      for (int k = 0; k < reflection.FieldSize(message, field); ++k)
        all.push_back(reflection.MutableRepeatedMessage(&message, field, k));
    }
  }
}

/// Names of values and nodes, keys and locations.
std::vector<std::string> strings_of(const std::vector<Message*>& all) {
  std::vector<std::string> found{"",
                                 "location",
                                 "offset",
                                 "length",
                                 "weights",
                                 "../weights",
                                 "/dev/zero",
                                 "0",
                                 "1",
                                 "-1",
                                 "18446744073709551615",
                                 "9223372036854775807",
                                 "\x1b[2J<b>&amp;\n"};
  for (const Message* message : all) {
    const Reflection& reflection = *message->GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(*message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->type() != FieldDescriptor::TYPE_STRING) continue;
      if (!field->is_repeated()) found.push_back(reflection.GetString(*message, field));
      for (int k = 0; field->is_repeated() && k < reflection.FieldSize(*message, field); ++k)
        found.push_back(reflection.GetRepeatedString(*message, field, k));
    }
  }
  return found;
}

int64_t integer(Random& random) {
  switch (below(random, 6)) {
    case 0: return static_cast<int64_t>(below(random, 4));
    case 1: return static_cast<int64_t>(below(random, 64)) - 16;
    case 2: return int64_t{1} << below(random, 63);
    case 3: return -(int64_t{1} << below(random, 63));
    case 4: return std::numeric_limits<int64_t>::max() - static_cast<int64_t>(below(random, 3));
    default: return std::numeric_limits<int64_t>::min() + static_cast<int64_t>(below(random, 3));
  }
}

double real(Random& random) {
  const double special[] = {0,
                            -1,
                            1,
                            0.5,
                            1e30,
                            -1e30,
                            1e-40,
                            std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  return special[below(random, std::size(special))];
}

class ModelMutation {
 public:
  ModelMutation(Message& model, Random& random) : random_(random) {
    collect(model, all_);
    strings_ = strings_of(all_);
  }

  /// One change of one field. Pointers into the model are stale afterwards.
  void change_one() {
    Message& message = *all_[below(random_, all_.size())];
    const auto& type = *message.GetDescriptor();
    if (type.field_count() == 0) return;
    const Reflection& reflection = *message.GetReflection();
    // Prefers fields that are set: most others have nothing to do with the message's kind.
    std::vector<const FieldDescriptor*> set;
    reflection.ListFields(message, &set);
    const FieldDescriptor* field =
        !set.empty() && below(random_, 4) != 0
            ? set[below(random_, set.size())]
            : type.field(static_cast<int>(below(random_, static_cast<size_t>(type.field_count()))));
    field->is_repeated() ? change_list(message, *field) : change_value(message, *field);
  }

 private:
  void change_list(Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    const int size = reflection.FieldSize(message, &field);
    const size_t kind = below(random_, 5);
    if (size == 0 || kind == 0) return add(message, field);
    const int at = static_cast<int>(below(random_, static_cast<size_t>(size)));
    const int last = size - 1;
    if (kind == 1) {
      reflection.SwapElements(&message, &field, at, last);
      reflection.RemoveLast(&message, &field);
    } else if (kind == 2) {
      reflection.SwapElements(&message, &field, at, static_cast<int>(below(random_, static_cast<size_t>(size))));
    } else {
      add(message, field);
      reflection.SwapElements(&message, &field, at, size);
      if (kind == 3) reflection.RemoveLast(&message, &field);
    }
  }

  void add(Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection.AddInt32(&message, &field, static_cast<int32_t>(integer(random_)));
      case FieldDescriptor::CPPTYPE_INT64: return reflection.AddInt64(&message, &field, integer(random_));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection.AddUInt64(&message, &field, static_cast<uint64_t>(integer(random_)));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection.AddFloat(&message, &field, static_cast<float>(real(random_)));
      case FieldDescriptor::CPPTYPE_DOUBLE: return reflection.AddDouble(&message, &field, real(random_));
      case FieldDescriptor::CPPTYPE_STRING: return reflection.AddString(&message, &field, text(field));
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        const Message* source = another(*field.message_type());
        const std::string bytes = source ? source->SerializePartialAsString() : "";  // it may hold its own target
        (void)reflection.AddMessage(&message, &field)->ParsePartialFromString(bytes);
        return;
      }
      default: return;
    }
  }

  void change_value(Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    if (below(random_, 8) == 0) return reflection.ClearField(&message, &field);
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection.SetInt32(&message, &field, static_cast<int32_t>(small_or_any()));
      case FieldDescriptor::CPPTYPE_INT64: return reflection.SetInt64(&message, &field, small_or_any());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection.SetFloat(&message, &field, static_cast<float>(real(random_)));
      case FieldDescriptor::CPPTYPE_ENUM: {
        const auto& type = *field.enum_type();
        const auto index = static_cast<int>(below(random_, static_cast<size_t>(type.value_count())));
        return reflection.SetEnum(&message, &field, type.value(index));
      }
      case FieldDescriptor::CPPTYPE_STRING: return change_text(message, field);
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        const Message* source = another(*field.message_type());
        const std::string bytes = source ? source->SerializePartialAsString() : "";
        (void)reflection.MutableMessage(&message, &field)->ParsePartialFromString(bytes);
        return;
      }
      default: return;
    }
  }

  void change_text(Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    if (field.type() != FieldDescriptor::TYPE_BYTES || below(random_, 4) == 0)
      return reflection.SetString(&message, &field, text(field));
    std::string bytes = reflection.GetString(message, &field);
    const size_t size = bytes.size();
    bytes.resize(size + 16);
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()), size, bytes.size()));
    reflection.SetString(&message, &field, bytes);
  }

  /// Returns operator set versions, types and small sizes, more often than absurd numbers.
  int64_t small_or_any() {
    return below(random_, 2) == 0 ? static_cast<int64_t>(below(random_, 30)) : integer(random_);
  }

  std::string text(const FieldDescriptor& field) {
    const auto operators = detent::operator_list();
    if (field.name() == "op_type") return std::string(operators[below(random_, operators.size())].op_type);
    return strings_[below(random_, strings_.size())];
  }

  const Message* another(const google::protobuf::Descriptor& type) {
    std::vector<const Message*> found;
    for (const Message* message : all_)
      if (message->GetDescriptor() == &type) found.push_back(message);
    return found.empty() ? nullptr : found[below(random_, found.size())];
  }

  Random& random_;
  std::vector<Message*> all_;
  std::vector<std::string> strings_;
};

bool parse(onnx::ModelProto& model, const uint8_t* data, size_t size) {
  return size > 0 && model.ParsePartialFromArray(data, static_cast<int>(size));
}

/// Returns 0 if the model is larger than `max_size`.
size_t write(const onnx::ModelProto& model, uint8_t* data, size_t max_size) {
  const std::string bytes = model.SerializePartialAsString();
  if (bytes.size() > max_size) return 0;
  std::ranges::copy(bytes, data);
  return bytes.size();
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  Random random(seed);
  onnx::ModelProto model;
  constexpr size_t kAsBytes = 32;  // one change in so many is one of bytes: unparsable input must be tried too
  if (below(random, kAsBytes) == 0 || !parse(model, data, size)) return LLVMFuzzerMutate(data, size, max_size);
  for (size_t left = 1 + below(random, 4); left > 0; --left) ModelMutation(model, random).change_one();
  const size_t written = write(model, data, max_size);
  return written > 0 ? written : size;
}

/// Puts a message of the second model in the place of one of the same type in the first.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1, const uint8_t* data2, size_t size2,
                                            uint8_t* out, size_t max_size, unsigned int seed) {
  Random random(seed);
  onnx::ModelProto model, other;
  if (!parse(model, data1, size1) || !parse(other, data2, size2)) return 0;
  std::vector<Message*> to, from;
  collect(model, to);
  collect(other, from);
  Message& target = *to[below(random, to.size())];
  std::erase_if(from, [&](const Message* one) { return one->GetDescriptor() != target.GetDescriptor(); });
  if (from.empty()) return 0;
  target.CopyFrom(*from[below(random, from.size())]);
  return write(model, out, max_size);
}
