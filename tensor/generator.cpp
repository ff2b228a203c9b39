#include "wick/tensor/generator.h"

#include "wick/ir/interpreter.h"
#include "wick/tensor/random_source.h"

namespace wick {

Generator& Generator::operator=(const Generator& other) {
  set_state(other.state());
  return *this;
}

GeneratorState Generator::state() const {
  const std::lock_guard guard(lock_);
  return state_;
}

void Generator::set_state(const GeneratorState& state) {
  const std::lock_guard guard(lock_);
  state_ = state;
}

Generator Generator::fork() {
  const GeneratorState place = take(1);
  // Words that no request of this generator gets make the key.
  const ir::PhiloxWords block =
      ir::philox(place.key, detail::lane_start(detail::kForkLane) + place.counter);
  return Generator(block.words[0] | uint64_t{block.words[1]} << 32U);
}

std::vector<Generator> Generator::split(int64_t count) {
  std::vector<Generator> forks;
  for (int64_t i = 0; i < count; ++i)
    forks.push_back(fork());
  return forks;
}

GeneratorState Generator::take(uint64_t num_counters) {
  const std::lock_guard guard(lock_);
  const GeneratorState before = state_;
  state_.counter += num_counters;
  return before;
}

Generator& default_generator() {
  // Never destroyed: tensors with static storage are drawn and dropped at any time.
  static auto* const generator = new Generator;  // NOLINT
  return *generator;
}

void manual_seed(uint64_t seed) {
  default_generator().seed(seed);
}

}  // namespace wick
