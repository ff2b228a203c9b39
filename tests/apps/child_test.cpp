#include "child.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>
#include <unistd.h>

namespace wick::reduce {
namespace {

ChildResult result_of(const std::function<int()>& body, int milliseconds = 60'000) {
  Child child(body, std::chrono::milliseconds(milliseconds));
  while (!child.has_ended()) {
    usleep(1000);
    child.poll();
  }
  return child.result();
}

TEST(Child, GivesOutputAndExitCode) {
  const ChildResult result = result_of([] {
    std::puts("to output");
    std::fputs("to errors\n", stderr);
    return 3;
  });

  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(result.failed());
  EXPECT_NE(result.output.find("to output\n"), std::string::npos);
  EXPECT_NE(result.output.find("to errors\n"), std::string::npos);
  EXPECT_TRUE(describe(result).ends_with("exit code 3"));
}

TEST(Child, NamesTheSignalThatEndedIt) {
  const ChildResult result = result_of([]() -> int { std::abort(); });

  EXPECT_EQ(result.signal, SIGABRT);
  EXPECT_TRUE(result.failed());
  EXPECT_EQ(describe(result), "signal 6 (Aborted)");
}

TEST(Child, EndsWhatTakesTooLong) {
  const ChildResult result = result_of(
      []() -> int {
        for (;;)
          pause();
      },
      50);

  EXPECT_TRUE(result.timed_out);
  EXPECT_TRUE(result.failed());
  EXPECT_EQ(describe(result), "timed out");
}

TEST(Child, TakesMoreOutputThanAPipeHolds) {
  const ChildResult result = result_of([] {
    for (int i = 0; i < 100'000; ++i)
      std::puts("123456789");
    return 0;
  });

  EXPECT_FALSE(result.failed());
  EXPECT_EQ(result.output.size(), 1'000'000U);
}

TEST(Child, RunsPrograms) {
  EXPECT_EQ(
      result_of([] { return exec_program({"sh", "-c", "echo $1; exit 4", "_", "a b"}); }).output,
      "a b\n");
  const ChildResult missing = result_of([] { return exec_program({"no-such-program"}); });
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_EQ(missing.output, "cannot run no-such-program: No such file or directory\n");
}

}  // namespace
}  // namespace wick::reduce
