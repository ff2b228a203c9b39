#include "wick/runtime/timed_choice.h"

#include <chrono>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "run_call.h"
#include "run_graph.h"
#include <gtest/gtest.h>

#include "wick/passes/options.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime {
namespace {

using ir::OpKind;

/// Takes its time, and writes what it was made for.
class SleepingCall final : public HostCall {
 public:
  SleepingCall(std::string name, std::chrono::milliseconds time)
      : name_(std::move(name)),
        time_(time) {}

  std::string_view implementation() const override { return name_; }

  void run(const void* const* /*operands*/, void* /*result*/, std::byte* /*s*/) const override {
    std::this_thread::sleep_for(time_);
  }

 private:
  std::string name_;
  std::chrono::milliseconds time_;
};

LibraryOp product(int64_t rows) {
  const Type lhs{DType::f32, {rows, 64}};
  const Type rhs{DType::f32, {64, 64}};
  return make_op(OpKind::matmul, {lhs, rhs}, {});
}

class TimedChoice : public testing::Test {
 protected:
  TimedChoice() : scope_(without_disk()) {}

  /// Of 30 and 60 ms; for so many rows the second takes no time.
  std::vector<Candidate> candidates(int64_t fast_rows) {
    using std::chrono::milliseconds;
    const auto make = [this, fast_rows](std::string name, milliseconds slow, milliseconds fast) {
      return Candidate{name, [=, this](const LibraryOp& op) {
                         ++made_;
                         const bool is_fast = op.result.shape[0] == fast_rows;
                         return std::make_unique<SleepingCall>(name, is_fast ? fast : slow);
                       }};
    };
    return {make("first", milliseconds(30), milliseconds(30)),
            make("second", milliseconds(60), milliseconds(0))};
  }

  int made_ = 0;

 private:
  static Options without_disk() {
    Options options = wick::options();
    options.cache_dir = "off";
    return options;
  }

  ScopedOptions scope_;
};

TEST_F(TimedChoice, TakesWhatIsFastestForTheSample) {
  const auto call = fastest_call(product(300), product(100), "a machine", candidates(100));

  EXPECT_EQ(call->implementation(), "second");
}

class CountingCall final : public HostCall {
 public:
  explicit CountingCall(std::set<int>* threads) : threads_(threads) {}

  std::string_view implementation() const override { return "counting"; }

  void run(const void* const* /*operands*/, void* /*result*/, std::byte* /*s*/) const override {
    threads_->insert(max_threads());
  }

 private:
  std::set<int>* threads_;
};

/// Else programs would take other ways, and give other bits, on other numbers of threads.
TEST_F(TimedChoice, TimesOnOneThreadHoweverManyThereAre) {
  const ThreadsOption option(4);
  std::vector<int> made_for;
  std::set<int> run_on;
  const auto make = [&](const LibraryOp& /*op*/) {
    made_for.push_back(max_threads());
    return std::make_unique<CountingCall>(&run_on);
  };
  const std::vector<Candidate> both = {{"one", make}, {"other", make}};

  (void)fastest_call(product(300), product(110), "a machine", both);

  EXPECT_EQ(made_for, (std::vector<int>{1, 1, 4}));
  EXPECT_EQ(run_on, std::set<int>{1});
}

TEST_F(TimedChoice, TakesTheFirstUnlessAnotherIsFaster) {
  const auto call = fastest_call(product(300), product(101), "a machine", candidates(300));

  EXPECT_EQ(call->implementation(), "first");
}

/// Takes long once, as libraries do that generate their code then.
class GeneratingCall final : public HostCall {
 public:
  std::string_view implementation() const override { return "generating"; }

  void run(const void* const* /*operands*/, void* /*result*/, std::byte* /*s*/) const override {
    if (std::exchange(is_generated_, true)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }

 private:
  mutable bool is_generated_ = false;
};

TEST_F(TimedChoice, IsNotMisledByTheFirstCallOfAWay) {
  std::vector<Candidate> some = candidates(0);
  some.back() = {"generating",
                 [](const LibraryOp& /*op*/) { return std::make_unique<GeneratingCall>(); }};

  const auto call = fastest_call(product(300), product(103), "a machine", some);

  EXPECT_EQ(call->implementation(), "generating");
}

TEST_F(TimedChoice, RemembersWhatItFoundForTheSample) {
  (void)fastest_call(product(300), product(102), "a machine", candidates(102));
  made_ = 0;

  const auto call = fastest_call(product(400), product(102), "a machine", candidates(0));

  EXPECT_EQ(call->implementation(), "second");
  EXPECT_EQ(made_, 1);
}

TEST_F(TimedChoice, DoesNotTimeWhatTakesNoTime) {
  const auto call = fastest_call(product(2), product(2), "a machine", candidates(2));

  EXPECT_EQ(call->implementation(), "first");
  EXPECT_EQ(made_, 1);
}

TEST_F(TimedChoice, TakesTheFirstThereIsOfWhatTakesNoTime) {
  std::vector<Candidate> some = candidates(2);
  some.insert(some.begin(), {"none", [](const LibraryOp& /*op*/) { return nullptr; }});

  const auto call = fastest_call(product(2), product(2), "a machine", some);

  EXPECT_EQ(call->implementation(), "first");
}

TEST_F(TimedChoice, TakesWhatSeveralOfNearlyTheSameSizesTook) {
  const auto name = [&](int64_t rows, int64_t fast_rows) {
    const LibraryOp sample = product(rows);
    return std::string(
        fastest_call(sample, sample, "a machine", candidates(fast_rows))->implementation());
  };
  for (const int64_t rows : {1000, 1100, 1200})
    EXPECT_EQ(name(rows, rows), "second");
  made_ = 0;

  EXPECT_EQ(name(1050, 0), "second");
  EXPECT_EQ(made_, 1);
  // Too far from two of them, and then among some that differ.
  EXPECT_EQ(name(1400, 0), "first");
  EXPECT_EQ(name(1390, 0), "first");
  EXPECT_EQ(name(1380, 1380), "second");
}

}  // namespace
}  // namespace wick::runtime
