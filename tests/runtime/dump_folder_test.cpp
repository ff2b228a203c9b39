// Numbered folders of compiles, by several threads and processes at a time.

#include "wick/runtime/dump_folder.h"

#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wick::runtime {
namespace {

namespace fs = std::filesystem;

CompileRecord record_number(int64_t number) {
  CompileRecord record;
  record.number = number;
  record.graph_name = "main";
  record.hash = "0123456789abcdef";
  record.pipeline.recorded = "graph @main(%x: f32[2]) -> (f32[2]) {\n  return %x\n}\n";
  return record;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t count(const std::string& text, const std::string& part) {
  size_t result = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++result;
  return result;
}

size_t finished_compiles(const fs::path& folder) {
  size_t result = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    result += entry.path().filename() == "timing.json" ? 1 : 0;
  return result;
}

TEST(DumpFolder, NumbersCompilesAndListsThem) {
  const TemporaryFolder root;
  DumpFolder folder(root.path() / "made" / "here", 10);

  folder.add(record_number(1));
  folder.add(record_number(12));

  const fs::path run = root.path() / "made" / "here";
  EXPECT_TRUE(fs::exists(run / "0001-main-01234567" / "00.recorded.wick"));
  EXPECT_TRUE(fs::exists(run / "0012-main-01234567" / "report.html"));
  const std::string index = read(run / "index.html");
  EXPECT_NE(index.find("0001-main-01234567"), std::string::npos);
  EXPECT_NE(index.find("0012-main-01234567"), std::string::npos);
}

TEST(DumpFolder, SaysOnceThatItCannotWrite) {
  const TemporaryFolder root;
  const fs::path file = root.path() / "file";
  std::ofstream(file) << "in the way";
  DumpFolder folder(file / "dumps", 10);

  testing::internal::CaptureStderr();
  folder.add(record_number(1));
  folder.add(record_number(2));
  const std::string said = testing::internal::GetCapturedStderr();

  EXPECT_EQ(count(said, "\n"), 1U) << said;
  EXPECT_NE(said.find((file / "dumps").string()), std::string::npos) << said;
}

TEST(DumpFolder, SaysOnceThatItIsFull) {
  const TemporaryFolder root;
  DumpFolder folder(root.path(), 2);

  testing::internal::CaptureStderr();
  for (int i = 1; i <= 4; ++i)
    folder.add(record_number(i));
  const std::string said = testing::internal::GetCapturedStderr();

  EXPECT_EQ(count(said, "\n"), 1U) << said;
  EXPECT_NE(said.find("WICK_DUMP_MAX"), std::string::npos) << said;
  EXPECT_EQ(finished_compiles(root.path()), 2U);
}

TEST(DumpFolder, ASecondRunHasAFolderOfItsOwnAndOneIndexListsBoth) {
  const TemporaryFolder root;
  DumpFolder first(root.path(), 10);
  DumpFolder second(root.path(), 10);

  first.add(record_number(1));
  second.add(record_number(1));

  EXPECT_EQ(finished_compiles(root.path()), 2U);
  EXPECT_EQ(count(read(root.path() / "index.html"), "0001-main-01234567"), 2U);
}

TEST(DumpFolder, TakesCompilesOfSeveralThreads) {
  constexpr int kThreads = 4;
  constexpr int kEach = 5;
  const TemporaryFolder root;
  DumpFolder folder(root.path(), 100);

  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&folder, t] {
      for (int i = 0; i < kEach; ++i)
        folder.add(record_number(t * kEach + i + 1));
    });
  }
  for (std::thread& thread : threads)
    thread.join();

  EXPECT_EQ(finished_compiles(root.path()), static_cast<size_t>(kThreads * kEach));
  EXPECT_EQ(count(read(root.path() / "index.html"), "-main-01234567"),
            static_cast<size_t>(kThreads * kEach));
}

TEST(DumpFolder, TakesCompilesOfSeveralProcesses) {
  constexpr int kProcesses = 4;
  constexpr int kEach = 4;
  const TemporaryFolder root;

  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      DumpFolder folder(root.path(), 100);
      for (int i = 1; i <= kEach; ++i)
        folder.add(record_number(i));
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }

  EXPECT_EQ(finished_compiles(root.path()), static_cast<size_t>(kProcesses * kEach));
  EXPECT_EQ(count(read(root.path() / "index.html"), "-main-01234567"),
            static_cast<size_t>(kProcesses * kEach));
}

TEST(DumpFolder, AForkedProcessWritesElsewhere) {
  const TemporaryFolder root;
  DumpFolder folder(root.path(), 100);
  folder.add(record_number(1));

  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    folder.add(record_number(1));
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);

  EXPECT_EQ(status, 0);
  EXPECT_EQ(finished_compiles(root.path()), 2U);
}

}  // namespace
}  // namespace wick::runtime
