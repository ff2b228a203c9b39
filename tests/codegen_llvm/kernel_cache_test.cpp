#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "kernel_builder.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wick::codegen::test {
namespace {

namespace fs = std::filesystem;
using ir::OpKind;

/// Kernels that differ in their op.
KernelBuilder kernel_number(int i) {
  constexpr OpKind kOps[] = {OpKind::add, OpKind::sub, OpKind::mul, OpKind::div, OpKind::maximum};
  return elementwise(kOps[i], {DType::f32, DType::f32}, DType::f32, 100);
}

bool adds(KernelFunction function) {
  KernelBuilder k = kernel_number(0);
  std::vector<float> x(100, 1.0F);
  std::vector<float> y(100, 2.0F);
  std::vector<float> z(100);
  void* buffers[] = {x.data(), y.data(), z.data()};
  function(buffers, k.params().data(), 0, 1, 0, 100);
  return z == std::vector<float>(100, 3.0F);
}

std::string flipped(const std::string& bytes, size_t at) {
  std::vector<char> changed(bytes.begin(), bytes.end());
  changed.at(at) = static_cast<char>(changed.at(at) ^ 4);
  return {changed.begin(), changed.end()};
}

class KernelCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "wick-cache-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    cache().reset(directory_);
  }

  void TearDown() override {
    cache().reset("");
    fs::permissions(directory_, fs::perms::owner_all);
    fs::remove_all(directory_);
  }

  static KernelCache& cache() { return KernelCache::instance(); }

  [[nodiscard]] fs::path only_file() const {
    const fs::directory_iterator files(directory_);
    EXPECT_EQ(std::distance(begin(files), end(files)), 1);
    return fs::directory_iterator(directory_)->path();
  }

  [[nodiscard]] static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  /// Stores kernel 0, lets `damage` change its file, and expects it compiled again and repaired.
  void expect_replaced(const std::function<std::string(const std::string&)>& damage) {
    cache().get(kernel_number(0).kernel());
    const fs::path path = only_file();
    const std::string intact = content(path);
    write(path, damage(intact));
    cache().reset(directory_);

    EXPECT_TRUE(adds(cache().get(kernel_number(0).kernel())));

    EXPECT_EQ(cache().stats().rejected_entries, 1);
    EXPECT_EQ(cache().stats().compiled, 1);
    EXPECT_EQ(cache().stats().disk_hits, 0);
    EXPECT_EQ(content(path), intact);
  }

  std::string directory_;
};

TEST_F(KernelCacheTest, CompilesOnceThenFindsInMemoryThenOnDisk) {
  KernelBuilder k = kernel_number(0);
  EXPECT_TRUE(adds(cache().get(k.kernel())));
  k.kernel().name = "the_name_does_not_matter";
  EXPECT_TRUE(adds(cache().get(k.kernel())));
  EXPECT_EQ(cache().stats().compiled, 1);
  EXPECT_EQ(cache().stats().memory_hits, 1);
  EXPECT_GT(cache().stats().compile_ms, 0);

  cache().reset(directory_);

  EXPECT_TRUE(adds(cache().get(k.kernel())));
  EXPECT_EQ(cache().stats().compiled, 0);
  EXPECT_EQ(cache().stats().disk_hits, 1);
}

TEST_F(KernelCacheTest, ReplacesATruncatedFile) {
  expect_replaced([](const std::string& bytes) { return bytes.substr(0, bytes.size() - 100); });
}

TEST_F(KernelCacheTest, ReplacesAnEmptyFile) {
  expect_replaced([](const std::string&) { return std::string(); });
}

TEST_F(KernelCacheTest, ReplacesAFileCutInTheHeader) {
  expect_replaced([](const std::string& bytes) { return bytes.substr(0, 20); });
}

TEST_F(KernelCacheTest, ReplacesAFileWithAFlippedBitInTheObject) {
  expect_replaced([](const std::string& bytes) { return flipped(bytes, bytes.size() - 300); });
}

TEST_F(KernelCacheTest, ReplacesAFileOfAnotherFormatVersion) {
  expect_replaced([](const std::string& bytes) { return flipped(bytes, 8); });
}

TEST_F(KernelCacheTest, ReplacesAFileOfAnotherTarget) {
  // Magic, version and text size take 16 bytes; then comes the hash of the target.
  expect_replaced([](const std::string& bytes) { return flipped(bytes, 16); });
}

TEST_F(KernelCacheTest, ReplacesAFileOfAnotherKernel) {
  cache().get(kernel_number(1).kernel());
  const std::string other = content(only_file());
  fs::remove(only_file());
  cache().reset(directory_);
  expect_replaced([&](const std::string&) { return other; });
}

TEST_F(KernelCacheTest, WorksWithoutADisk) {
  cache().reset("");
  EXPECT_TRUE(adds(cache().get(kernel_number(0).kernel())));
  cache().reset("/proc/no_such_folder/wick");
  EXPECT_TRUE(adds(cache().get(kernel_number(0).kernel())));
  EXPECT_EQ(cache().stats().compiled, 1);
}

TEST_F(KernelCacheTest, ThreadsShareOneCompile) {
  std::vector<std::thread> threads;
  std::vector<KernelFunction> functions(8);
  for (size_t i = 0; i < functions.size(); ++i) {
    threads.emplace_back([&, i] { functions[i] = cache().get(kernel_number(0).kernel()); });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(cache().stats().compiled, 1);
  for (const KernelFunction function : functions)
    EXPECT_EQ(function, functions[0]);
}

/// Gets all kernels several times from a cold memory level; the exit code counts failures.
int use_cache_in_child(const std::string& directory) {
  KernelCache& cache = KernelCache::instance();
  int failures = 0;
  for (int round = 0; round < 3; ++round) {
    cache.reset(directory);
    for (int i = 0; i < 5; ++i) {
      KernelFunction function = cache.get(kernel_number(i).kernel());
      failures += i == 0 && !adds(function) ? 1 : 0;
    }
    // From the second round on everything is there, whoever wrote it.
    if (round > 0) failures += static_cast<int>(cache.stats().compiled);
    failures += static_cast<int>(cache.stats().rejected_entries);
  }
  return failures;
}

TEST_F(KernelCacheTest, ConcurrentProcessesShareAColdFolder) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(use_cache_in_child(directory_));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  int files = 0;
  for (const auto& file : fs::directory_iterator(directory_)) {
    EXPECT_EQ(file.path().extension(), ".kernel");  // no temporary file is left
    ++files;
  }
  EXPECT_EQ(files, 5);
}

TEST_F(KernelCacheTest, ASecondProcessCompilesNothing) {
  for (int run = 0; run < 2; ++run) {
    const pid_t child = fork();
    if (child == 0) {
      cache().reset(directory_);
      cache().get(kernel_number(0).kernel());
      _exit(static_cast<int>(cache().stats().compiled));
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), run == 0 ? 1 : 0);
  }
}

}  // namespace
}  // namespace wick::codegen::test
