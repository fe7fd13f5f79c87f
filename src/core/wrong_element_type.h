#pragma once

#include <string>

#include "detent/base/error.h"
#include "detent/base/tensor.h"

namespace detent {

/// The error of reading elements as another type than they have. Inside a kernel the model is wrong, which the
/// executor says; elsewhere it is a bug.
class WrongElementType : public Error {
 public:
  WrongElementType(DataType given, DataType wanted)
      : Error(ErrorCode::Internal,
              "a tensor of type " + std::string(name_of(given)) + " was read as " + std::string(name_of(wanted))),
        given_(given), wanted_(wanted) {}

  [[nodiscard]] Error as_model_error() const {
    return {ErrorCode::InvalidModel, "an input has elements of type " + std::string(name_of(given_)) + " where " +
                                         std::string(name_of(wanted_)) + " is needed"};
  }

 private:
  DataType given_, wanted_;
};

}  // namespace detent
