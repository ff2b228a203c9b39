#pragma once

// Delta debugging over a list: which of its elements does a property need?

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace wick::reduce {

/// Of elements of a list, rising.
using Positions = std::vector<size_t>;

/// The number of the first candidate that has the property; empty when none has.
using FirstInteresting = std::function<std::optional<size_t>(std::span<const Positions>)>;

/// A subset of 0 ... count-1 that has the property and loses it with any one element: ddmin of
/// Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (TSE 2002). Chunks
/// are tried from the end of the list. The whole list has the property.
Positions minimize(size_t count, const FirstInteresting& first_interesting);

}  // namespace wick::reduce
