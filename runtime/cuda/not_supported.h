#pragma once

// What a library cannot do, apart from what went wrong.

#include "wick/ir/error.h"

namespace wick::runtime::cuda {

/// A library has no implementation of what it was asked for on this device: the caller may go
/// another way. Thrown before anything is enqueued.
class NotSupported final : public Error {
 public:
  using Error::Error;
};

}  // namespace wick::runtime::cuda
