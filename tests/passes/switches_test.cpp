#include "wick/passes/switches.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace wick {
namespace {

Options parsed(const std::string& flags) {
  Options options;
  parse_switches(flags, options);
  return options;
}

std::string complaint(const std::string& flags) {
  try {
    parsed(flags);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// A variable of the environment while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }

  ~Variable() { unsetenv(name_); }

  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(Switches, AreReadFromOneText) {
  const Options options = parsed(
      "--backend=interpreter --pass-pipeline=canonicalize,fuse{max-ops=4} --opt-bisect-limit=3 "
      "--validate --timing --print-ir-after=cse,dce --plugins=a.so:b.so --log=sync,output_code");

  EXPECT_EQ(options.backend, "interpreter");
  EXPECT_EQ(options.pass_pipeline, "canonicalize,fuse{max-ops=4}");
  EXPECT_EQ(options.opt_bisect_limit, 3);
  EXPECT_TRUE(options.validate);
  EXPECT_TRUE(options.timing);
  EXPECT_EQ(options.print_ir_after, (std::vector<std::string>{"cse", "dce"}));
  EXPECT_EQ(options.plugins, (std::vector<std::string>{"a.so", "b.so"}));
  EXPECT_TRUE(options.log.sync);
  EXPECT_TRUE(options.log.output_code);
  EXPECT_FALSE(options.log.recompile);
}

TEST(Switches, HaveAVariableOfTheSameSpelling) {
  const Variable pipeline("WICK_PASS_PIPELINE", "cse,dce");
  const Variable log("WICK_LOG", "recompile,sync");
  const Variable validate("WICK_VALIDATE", "1");

  const Options options = parsed("");

  EXPECT_EQ(options.pass_pipeline, "cse,dce");
  EXPECT_TRUE(options.log.sync && options.log.recompile);
  EXPECT_TRUE(options.validate);
}

TEST(Switches, OfTheTextGoBeforeTheirVariables) {
  const Variable backend("WICK_BACKEND", "interpreter");

  EXPECT_EQ(parsed("--backend=llvm").backend, "llvm");
}

TEST(Switches, MayComeWithoutTheirValue) {
  EXPECT_EQ(parsed("--remarks").remarks, ".*");
  EXPECT_EQ(parsed("--remarks=fu.e").remarks, "fu.e");
  EXPECT_EQ(parsed("--print-ir-after-change").print_ir_after_change, Options::ChangePrinting::full);
  EXPECT_EQ(parsed("--print-ir-after-change=diff").print_ir_after_change,
            Options::ChangePrinting::diff);
}

TEST(Switches, ExplainWhatIsWrong) {
  EXPECT_EQ(complaint("--timng"), "WICK_FLAGS: unknown flag '--timng', did you mean '--timing'?");
  EXPECT_NE(complaint("--num-threads=many").find("--num-threads"), std::string::npos);
  EXPECT_NE(complaint("--log=snyc").find("'snyc' is none of sync"), std::string::npos);
  EXPECT_NE(complaint("--remarks=(").find("no regular expression"), std::string::npos);
  EXPECT_NE(complaint("--print-ir-after-change=some").find("full or diff"), std::string::npos);
}

TEST(Switches, AreListedWithFlagAndVariable) {
  const auto table = switch_table();

  const auto dump = std::ranges::find(table, "--dump-to", &SwitchInfo::flag);
  ASSERT_NE(dump, table.end());
  EXPECT_EQ(dump->variable, "WICK_DUMP_TO");
  EXPECT_FALSE(dump->summary.empty());
}

TEST(ScopedOptions, HoldOnTheirThreadAndNest) {
  const std::string before = options().backend;
  Options changed = options();
  changed.backend = "interpreter";
  {
    const ScopedOptions outer(changed);
    EXPECT_EQ(options().backend, "interpreter");
    changed.backend = "other";
    {
      const ScopedOptions inner(changed);
      EXPECT_EQ(options().backend, "other");
    }
    EXPECT_EQ(options().backend, "interpreter");
    std::thread([&] { EXPECT_EQ(options().backend, before); }).join();
  }
  EXPECT_EQ(options().backend, before);
}

}  // namespace
}  // namespace wick
