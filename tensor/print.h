#pragma once

// Tensors as text, as NumPy prints arrays: brackets, aligned columns, long tensors shortened.
// wick/tensor/format.h has them in fmt::format.

#include <functional>
#include <string>

#include "wick/tensor/tensor.h"

namespace wick {

/// NumPy's printoptions.
struct PrintOptions {
  int precision = 8;         // most digits after the point; fewer where fewer tell numbers apart
  int64_t threshold = 1000;  // tensors of more elements are shortened
  int64_t edge_items = 3;    // shown at either end of a shortened axis
  int64_t line_width = 75;   // columns after which rows are broken
  bool suppress = false;     // no scientific notation for the sake of small numbers
};

/// The options of `operator<<` and of to_string without any.
[[nodiscard]] PrintOptions print_options();
/// For all threads. Error if a member is negative.
void set_print_options(const PrintOptions& options, Where where = Where::current());

/// The elements as NumPy's str() writes them; materializes. Floats have the fewest digits that tell
/// each from its neighbours; all of one tensor are written in one notation. A tensor without
/// elements is `[]` and its type, an undefined one `undefined`.
[[nodiscard]] std::string to_string(const Tensor& tensor);
[[nodiscard]] std::string to_string(const Tensor& tensor, const PrintOptions& options);

namespace detail {

/// Writes one element; fed double for floats, int64_t for integers.
struct ElementFormat {
  std::function<std::string(double)> real;
  std::function<std::string(int64_t)> integer;
};

std::string to_string(const Tensor& tensor,
                      const ElementFormat& format,
                      const PrintOptions& options);

}  // namespace detail
}  // namespace wick
