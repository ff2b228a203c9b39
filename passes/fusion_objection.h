#pragma once

// What speaks against a fusion: a code for tools, and the reason for people.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace wick::passes {

/// The codes of the remarks of `fuse`. They stay as they are; docs/fusion.md explains each. A cost
/// model may have codes of its own.
namespace fusion_code {
inline constexpr const char* kFused = "fused";
inline constexpr const char* kShape = "missed-shape";
inline constexpr const char* kIndexed = "missed-indexed";
inline constexpr const char* kReduction = "missed-reduction";
inline constexpr const char* kCycle = "missed-cycle";
inline constexpr const char* kLimit = "missed-limit";
inline constexpr const char* kReuse = "missed-reuse";
inline constexpr const char* kCost = "missed-cost";
inline constexpr const char* kOpaque = "missed-opaque";

inline constexpr std::array kAll = {
    kFused, kShape, kIndexed, kReduction, kCycle, kLimit, kReuse, kCost, kOpaque};
}  // namespace fusion_code

/// Empty: nothing speaks against it. Of the reasons with numbers nothing is put together until a
/// remark is printed.
class Objection {
 public:
  Objection() = default;

  /// `code` is `missed-` and a word. The first two `{}` of `why` stand for the numbers. Not copied:
  /// string literals.
  // NOLINTNEXTLINE(google-explicit-constructor): a rule returns the code alone
  Objection(const char* code, const char* why = "", int64_t first = 0, int64_t second = 0)
      : code_(code),
        why_(why),
        first_(first),
        second_(second) {}

  /// With a reason that is put together at once, for models that say more than numbers.
  Objection(const char* code, std::string why) : code_(code), text_(std::move(why)) {}

  [[nodiscard]] bool empty() const { return code_.empty(); }

  [[nodiscard]] std::string_view code() const { return code_; }

  [[nodiscard]] std::string reason() const;

 private:
  std::string_view code_;
  std::string_view why_;
  int64_t first_ = 0;
  int64_t second_ = 0;
  std::string text_;
};

}  // namespace wick::passes
