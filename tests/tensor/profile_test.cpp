// Profiles of whole programs: the file is what trace viewers read, and says what ran and where.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/on_host.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "wick/codegen/kernel_compiler.h"
#include "wick/passes/options.h"
#include "wick/runtime/profiler.h"
#include "wick/tensor/ops.h"
#include "wick/tensor/plan_cache.h"

namespace wick {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

class Profile : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }

  void TearDown() override {
    stop_profile();
    fs::remove_all(folder_);
  }

  [[nodiscard]] std::string path(const std::string& name = "trace.json") const {
    return folder_ / name;
  }

  [[nodiscard]] Json stop_and_read() const {
    stop_profile();
    return Json::parse(std::ifstream(path()));
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / fmt::format("wick-profile-{}", getpid());
};

std::vector<Json> events_of(const Json& trace, const std::string& category) {
  std::vector<Json> found;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.value("cat", "") == category) found.push_back(event);
  }
  return found;
}

std::vector<Json> named(const std::vector<Json>& events, const std::string& name) {
  std::vector<Json> found;
  std::ranges::copy_if(events, std::back_inserter(found), [&](const Json& event) {
    return event.at("name") == name;
  });
  return found;
}

/// Nanoseconds, exactly as written.
int64_t nanoseconds(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

void expect_sound(const Json& trace) {
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  std::map<int64_t, std::vector<int64_t>> open;  // ends of the enclosing slices, by thread
  for (const Json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    EXPECT_EQ(event.at("pid"), getpid());
    EXPECT_TRUE(event.at("name").is_string());
    EXPECT_TRUE(event.at("args").is_object());
    const int64_t thread = event.at("tid");
    if (phase == "M") continue;
    const int64_t start = nanoseconds(event.at("ts"));
    EXPECT_GE(start, 0) << event;
    if (phase == "C") {
      EXPECT_EQ(event.at("args").size(), 1U) << event;
      continue;
    }
    ASSERT_EQ(phase, "X") << event;
    const int64_t end = start + nanoseconds(event.at("dur"));
    EXPECT_GE(end, start) << event;
    std::vector<int64_t>& ends = open[thread];
    while (!ends.empty() && ends.back() <= start)
      ends.pop_back();
    if (!ends.empty()) {
      EXPECT_LE(end, ends.back()) << "not nested: " << event;
    }
    ends.push_back(end);
  }
}

Tensor value(Shape shape) {
  Tensor x = arange(shape.numel(), DType::f32).reshape(shape) * 0.01;
  materialize(x);
  return x;
}

TEST_F(Profile, ShowsEveryStepWithItsLine) {
  if (options().backend == "interpreter") GTEST_SKIP() << "about compiled programs";
  const Tensor x = value({40, 30});
  const Tensor w = value({30, 20});
  start_profile(path());

  const Tensor product = matmul(x, w);
  const int product_line = __LINE__ - 1;
  const Tensor total = (exp(product) * 0.5).sum();
  const int total_line = __LINE__ - 1;
  (void)total.item<float>();
  const int item_line = __LINE__ - 1;
  const Json trace = stop_and_read();

  expect_sound(trace);
  const runtime::ProgramSummary summary = detail::last_program_summary();
  const std::vector<Json> steps = events_of(trace, "step");
  ASSERT_EQ(steps.size(),
            static_cast<size_t>(summary.num_kernels + summary.num_library_calls +
                                summary.num_interpreted));
  const auto place = [](int line) { return fmt::format("profile_test.cpp:{}:", line); };
  const Json& first = steps.at(0);
  EXPECT_EQ(first.at("name"), "matmul");
  EXPECT_NE(first.at("args").at("where").get<std::string>().find(place(product_line)),
            std::string::npos);
  EXPECT_EQ(first.at("args").at("flops"), 2.0 * 40 * 30 * 20);
  EXPECT_EQ(first.at("args").at("bytes read"), 4 * (40 * 30 + 30 * 20));
  EXPECT_EQ(first.at("args").at("bytes written"), 4 * 40 * 20);
  EXPECT_EQ(first.at("args").at("writes"), "f32[40,20]");
  const Json& last = steps.back();
  EXPECT_NE(last.at("name").get<std::string>().find("exp"), std::string::npos);
  EXPECT_NE(last.at("args").at("where").get<std::string>().find(place(total_line)),
            std::string::npos);
  EXPECT_NE(last.at("args").at("ops").get<std::string>().find(place(total_line)),
            std::string::npos);
  const Json request = events_of(trace, "materialize").front();
  EXPECT_EQ(request.at("args").at("reason"), "item");
  EXPECT_NE(request.at("args").at("where").get<std::string>().find(place(item_line)),
            std::string::npos);
}

TEST_F(Profile, ShowsTheWayOfAProgram) {
  if (!on_host()) GTEST_SKIP() << "about steps on the host";
  if (options().backend == "interpreter") GTEST_SKIP() << "about compiled programs";
  codegen::KernelCache::instance().reset("");
  const Tensor x = value({40, 31});
  start_profile(path());

  for (int i = 0; i < 2; ++i)
    materialize(tanh(x) + static_cast<float>(0.25));
  const Json trace = stop_and_read();

  expect_sound(trace);
  const std::vector<Json> lookups = named(events_of(trace, "materialize"), "plan cache");
  ASSERT_EQ(lookups.size(), 2U);
  EXPECT_EQ(lookups[0].at("args").at("hit"), false);
  EXPECT_TRUE(lookups[0].at("args").contains("because"));
  EXPECT_EQ(lookups[1].at("args").at("hit"), true);
  const std::vector<Json> compile = events_of(trace, "compile");
  for (const char* const stage : {"compile", "import", "build plan", "lower"}) {
    EXPECT_EQ(named(compile, stage).size(), 1U) << stage;
  }
  EXPECT_EQ(named(events_of(trace, "pass"), "fuse").at(0).at("args").at("changed"), true);
  EXPECT_EQ(events_of(trace, "kernel").at(0).at("args").at("from"), "compiler");
  EXPECT_EQ(events_of(trace, "run").size(), 2U);
  const std::vector<Json> recordings = events_of(trace, "record");
  ASSERT_EQ(recordings.size(), 2U);
  EXPECT_EQ(recordings[0].at("args").at("ops"), 2);
}

TEST_F(Profile, CountsMemory) {
  if (!on_host()) GTEST_SKIP() << "about steps on the host";
  if (options().backend == "interpreter") GTEST_SKIP() << "about compiled programs";
  const Tensor x = value({100, 100});
  start_profile(path());

  materialize(matmul(tanh(matmul(x, x)), x));
  const Json trace = stop_and_read();

  std::map<std::string, std::vector<int64_t>> tracks;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "C") tracks[event.at("name")].push_back(event.at("args").at("bytes"));
  }
  const std::vector<int64_t>& arena = tracks.at("arena");
  ASSERT_EQ(arena.size(), 2U);
  EXPECT_EQ(arena[0], detail::last_program_summary().arena_bytes);
  EXPECT_GT(arena[0], 0);
  EXPECT_EQ(arena[1], 0);
  const std::vector<int64_t>& in_use = tracks.at("memory in use");
  ASSERT_EQ(in_use.size(), 2U);
  EXPECT_EQ(in_use[0] - in_use[1], arena[0]) << "the arena goes, the result stays";
  for (const int64_t bytes : tracks.at("memory cached"))
    EXPECT_GE(bytes, 0);
}

TEST_F(Profile, ChangesNoBit) {
  const Tensor x = value({64, 64});
  const auto compute = [&] { return (softmax(matmul(x, x), -1) + x.sum({0})).to_vector<float>(); };

  const std::vector<float> without = compute();
  start_profile(path());
  const std::vector<float> with = compute();

  EXPECT_EQ(with, without);
}

TEST_F(Profile, WritesNothingWhileOff) {
  materialize(value({3}) + 1.0F);
  {
    const profile::Range range("nobody listens");
  }
  stop_profile();

  EXPECT_FALSE(fs::exists(path()));
  EXPECT_FALSE(profile::is_on());
}

TEST_F(Profile, IsValidWhateverTheNames) {
  start_profile(path());
  const std::string odd = "a \"quoted\\ name\"\n\t\x01 \xff\xfe {} caf\xc3\xa9";

  {
    const profile::Range range(odd);
  }
  const Json trace = stop_and_read();

  expect_sound(trace);
  const std::vector<Json> ranges = events_of(trace, "user");
  ASSERT_EQ(ranges.size(), 1U);
  const std::string name = ranges[0].at("name");
  EXPECT_TRUE(name.starts_with("a \"quoted\\ name\"\n\t\x01 "));
  EXPECT_TRUE(name.ends_with("{} caf\xc3\xa9"));
}

TEST_F(Profile, NestsRangesOfManyThreads) {
  start_profile(path());

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        const profile::Range outer("outer");
        const profile::Range inner("inner");
        materialize(full({8}, i) * 2.0F);
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  const Json trace = stop_and_read();

  expect_sound(trace);
  EXPECT_EQ(named(events_of(trace, "user"), "inner").size(), 200U);
  EXPECT_EQ(events_of(trace, "run").size(), 200U);
}

TEST_F(Profile, SurvivesStopAndStartWhileThreadsRun) {
  start_profile(path("0.json"));
  std::atomic<bool> done{false};
  std::thread busy([&] {
    while (!done)
      const profile::Range range("busy");
  });

  for (int i = 1; i <= 20; ++i)
    start_profile(path(fmt::format("{}.json", i)));
  stop_profile();
  done = true;
  busy.join();

  for (int i = 0; i <= 20; ++i)
    expect_sound(Json::parse(std::ifstream(path(fmt::format("{}.json", i)))));
}

TEST_F(Profile, IsBounded) {
  constexpr int kEvents = 600'000;
  start_profile(path());
  const auto label = std::make_shared<const profile::Label>(profile::Label{.name = "x"});

  for (int i = 0; i < kEvents; ++i)
    profile::add({.label = label, .start = profile::now()});
  stop_profile();

  std::ifstream file(path());
  std::string header;
  std::getline(file, header);
  EXPECT_NE(header.find(fmt::format("\"dropped_events\":{}", kEvents - (1 << 19))),
            std::string::npos)
      << header;
}

TEST_F(Profile, NamesTheProgramAndTheMachine) {
  start_profile(path("of-%p.json"));
  stop_profile();

  const Json trace = Json::parse(std::ifstream(path(fmt::format("of-{}.json", getpid()))));
  const Json& other = trace.at("otherData");
  EXPECT_EQ(other.at("program"), "test_tensor");
  EXPECT_EQ(other.at("backend"), options().backend);
  EXPECT_GE(other.at("threads"), 1);
  EXPECT_EQ(other.at("dropped_events"), 0);
}

TEST_F(Profile, SaysWhereItCannotWrite) {
  try {
    start_profile("/no-such-folder/trace.json");
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot write profile '/no-such-folder/trace.json': No such file or directory");
  }
  EXPECT_FALSE(profile::is_on());
}

TEST_F(Profile, IsWrittenAtExit) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const std::string at_exit = fs::current_path() / "wick-profile-at-exit.json";
  fs::remove(at_exit);

  EXPECT_EXIT(
      {
        start_profile(at_exit);
        {
          const profile::Range range("last words");
        }
        exit(0);
      },
      ::testing::ExitedWithCode(0),
      "");

  const Json trace = Json::parse(std::ifstream(at_exit));
  EXPECT_EQ(events_of(trace, "user").at(0).at("name"), "last words");
  fs::remove(at_exit);
}

TEST_F(Profile, IsStartedByTheVariable) {
  if (options().backend == "interpreter") GTEST_SKIP() << "about compiled programs";
  // In a process of its own: the variable is read once.
  const std::string command =
      fmt::format("WICK_PROFILE={} {} --gtest_filter=Profile.WritesNothingWhileOff",
                  path(),
                  fs::read_symlink("/proc/self/exe").string());
  (void)std::system((command + " > /dev/null").c_str());

  EXPECT_FALSE(named(events_of(Json::parse(std::ifstream(path())), "step"), "add").empty());
}

}  // namespace
}  // namespace wick
