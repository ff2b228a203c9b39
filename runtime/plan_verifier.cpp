#include <algorithm>

#include <fmt/format.h>

#include "wick/runtime/plan.h"

namespace wick::runtime {
namespace {

PlacedBytes bytes_of(const PlanValue& value) {
  return {value.place, value.type.num_bytes()};
}

PlacedBytes bytes_of(const ArenaItem& item) {
  return {{.offset = item.offset}, item.bytes};
}

/// A kernel reads an element before it writes over it; the interpreter copies its operands. Of
/// library calls scatters may take their first operand's memory.
bool may_work_in_place(const Step& step, const PlanValue& read, const PlanValue& written) {
  const bool same_bytes =
      read.place == written.place && read.type.num_bytes() == written.type.num_bytes();
  const auto* library = std::get_if<LibraryStep>(&step.action);
  return same_bytes && (library == nullptr || library->op.op == ir::OpKind::scatter);
}

class PlanVerifier {
 public:
  explicit PlanVerifier(const Plan& plan) : plan_(plan) {}

  std::optional<std::string> run() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      for (const int written : plan_.steps[s].writes) {
        if (auto broken = check_write(static_cast<int>(s), written)) return broken;
      }
    }
    for (const ArenaItem& item : plan_.tags.arena_items) {
      if (!item.is_scratch) continue;
      if (auto broken = check_scratch(item)) return broken;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> check_scratch(const ArenaItem& item) const {
    for (const PlanValue& value : plan_.values) {
      if (!overlap(bytes_of(item), bytes_of(value)) || value.defined_at > item.last_step ||
          std::max(value.defined_at, value.last_read) < item.first_step) {
        continue;
      }
      return fmt::format(
          "step {} works in arena+{}:{}, where {} is, defined at {} and last read at {}",
          item.first_step,
          item.offset,
          item.bytes,
          name(value),
          value.defined_at,
          value.last_read);
    }
    if (item.offset + item.bytes > plan_.arena_bytes) {
      return fmt::format("the scratch of step {} reaches past the arena", item.first_step);
    }
    return std::nullopt;
  }

  std::optional<std::string> check_write(int s, int number) const {
    const Step& step = plan_.steps[static_cast<size_t>(s)];
    const PlanValue& written = plan_.values[static_cast<size_t>(number)];
    if (written.place.kind == Place::Kind::constant) return clash(s, written, written);
    if (written.place.kind == Place::Kind::arena &&
        written.place.offset + written.type.num_bytes() > plan_.value_bytes) {
      return fmt::format("step {}: {} reaches past the arena", s, name(written));
    }
    for (size_t v = 0; v < plan_.values.size(); ++v) {
      const PlanValue& other = plan_.values[v];
      if (static_cast<int>(v) == number || !overlap(bytes_of(written), bytes_of(other))) continue;
      if (std::ranges::count(step.writes, static_cast<int>(v)) > 0) return clash(s, written, other);
      if (other.defined_at >= written.defined_at || other.last_read < s) continue;
      if (other.last_read == s && may_work_in_place(step, other, written)) continue;
      return clash(s, written, other);
    }
    return std::nullopt;
  }

  static std::string name(const PlanValue& value) {
    return fmt::format("%{} ({}:{})", value.name, to_string(value.place), value.type.num_bytes());
  }

  static std::string clash(int s, const PlanValue& written, const PlanValue& other) {
    return fmt::format("step {} writes {} over {}, which is defined at {} and last read at {}",
                       s,
                       name(written),
                       name(other),
                       other.defined_at,
                       other.last_read);
  }

  const Plan& plan_;
};

}  // namespace

bool overlap(const PlacedBytes& a, const PlacedBytes& b) {
  return a.place.kind == b.place.kind && a.place.index == b.place.index &&
         a.place.offset < b.place.offset + b.bytes && b.place.offset < a.place.offset + a.bytes;
}

std::optional<std::string> verify(const Plan& plan) {
  return PlanVerifier(plan).run();
}

}  // namespace wick::runtime
