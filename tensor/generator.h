#pragma once

// Streams of random numbers.
//
// Numbers come from Philox 4x32-10, a function of a key and a counter: the same on every backend,
// for every number of threads, and whenever they are computed. A generator only hands out counters
// that nobody has used yet. Key and counter are operands of the program, not part of it: neither
// seeding nor drawing compiles anything again.

#include <compare>
#include <cstdint>
#include <mutex>
#include <vector>

namespace wick {

/// All there is to a generator: its key, and the next counter that it hands out.
struct GeneratorState {
  uint64_t key = 0;
  uint64_t counter = 0;

  friend auto operator<=>(const GeneratorState&, const GeneratorState&) = default;
};

/// A source of random numbers for the functions of wick/tensor/random.h. A copy goes on with the
/// same numbers as the original; fork() makes one that does not. Safe from any thread.
class Generator {
 public:
  explicit Generator(uint64_t seed = 0) : state_{.key = seed} {}

  Generator(const Generator& other) : state_(other.state()) {}

  Generator& operator=(const Generator& other);

  /// Begins the stream of this seed. Streams of different seeds are independent.
  void seed(uint64_t seed) { set_state({.key = seed}); }

  [[nodiscard]] GeneratorState state() const;
  /// Goes on as the generator did whose state this was.
  void set_state(const GeneratorState& state);

  /// A generator whose stream is independent of this one's and of those of all other forks.
  [[nodiscard]] Generator fork();
  /// So many forks, one for each worker, for example.
  [[nodiscard]] std::vector<Generator> split(int64_t count);

  /// Takes the next counters for one request; the state before.
  GeneratorState take(uint64_t num_counters);

 private:
  mutable std::mutex lock_;
  GeneratorState state_;
};

/// The process-wide generator, which random functions use unless they are given another.
Generator& default_generator();
/// Seeds the process-wide generator.
void manual_seed(uint64_t seed);

}  // namespace wick
