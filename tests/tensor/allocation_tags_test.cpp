// Every allocation names the op and the line that own it.

#include <algorithm>
#include <string>
#include <vector>

#include "support/on_host.h"
#include <gtest/gtest.h>

#include "wick/passes/options.h"
#include "wick/runtime/memory_manager.h"
#include "wick/tensor/ops.h"

namespace wick {
namespace {

using runtime::AllocationTag;
using runtime::ArenaItem;

struct Record {
  AllocationTag tag;
  std::vector<ArenaItem> contents;
  size_t bytes = 0;
};

/// Keeps what it is told about each allocation.
class RecordingManager final : public runtime::MemoryManager {
 public:
  void* allocate(size_t bytes, const AllocationTag& tag) override {
    records_.push_back({tag, {tag.contents.begin(), tag.contents.end()}, bytes});
    return manager_->allocate(bytes, tag);
  }

  void free(void* block) noexcept override { manager_->free(block); }

  [[nodiscard]] runtime::MemoryStats stats() const override { return manager_->stats(); }

  void release_cached() noexcept override { manager_->release_cached(); }

  [[nodiscard]] const std::vector<Record>& records() const { return records_; }

  [[nodiscard]] std::vector<Record> with_purpose(std::string_view purpose) const {
    std::vector<Record> found;
    for (const Record& record : records_) {
      if (record.tag.purpose == purpose) found.push_back(record);
    }
    return found;
  }

 private:
  std::shared_ptr<runtime::MemoryManager> manager_ = runtime::make_caching_memory_manager();
  std::vector<Record> records_;
};

class AllocationTags : public ::testing::Test {
 protected:
  void SetUp() override { previous_ = runtime::set_memory_manager(manager_); }

  void TearDown() override { runtime::set_memory_manager(previous_); }

  std::shared_ptr<RecordingManager> manager_ = std::make_shared<RecordingManager>();

 private:
  std::shared_ptr<runtime::MemoryManager> previous_;
};

uint32_t line_of(const AllocationTag& tag) {
  EXPECT_TRUE(std::string_view(tag.where.file).ends_with("allocation_tags_test.cpp"));
  return tag.where.line;
}

TEST_F(AllocationTags, NameTheLineThatMadeALeaf) {
  const Tensor x = tensor({1, 2, 3});
  const uint32_t line = __LINE__ - 1;

  ASSERT_EQ(manager_->records().size(), 1U);
  EXPECT_EQ(manager_->records()[0].tag.purpose, "leaf");
  EXPECT_EQ(manager_->records()[0].tag.op, "tensor");
  EXPECT_EQ(line_of(manager_->records()[0].tag), line);
}

TEST_F(AllocationTags, NameTheOpThatMakesAResultInsideAFusion) {
  if (!on_host()) GTEST_SKIP() << "watches memory of the host";
  const Tensor x = tensor({1, 2, 3});
  const Tensor y = exp(x);
  const uint32_t exp_line = __LINE__ - 1;
  const Tensor z = tanh(y * x);
  const uint32_t tanh_line = __LINE__ - 1;

  materialize(y, z);

  const std::vector<Record> results = manager_->with_purpose("result");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].tag.op, "exp");
  EXPECT_EQ(line_of(results[0].tag), exp_line);
  EXPECT_EQ(results[1].tag.op, "tanh");
  EXPECT_EQ(line_of(results[1].tag), tanh_line);
}

TEST_F(AllocationTags, NameTheInterpretersResults) {
  Options interpreted = options();
  interpreted.backend = "interpreter";
  const ScopedOptions scope(interpreted);
  const Tensor y = exp(tensor({1, 2, 3}));
  const uint32_t line = __LINE__ - 1;

  materialize(y);

  const std::vector<Record> results = manager_->with_purpose("result");
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].tag.op, "exp");
  EXPECT_EQ(line_of(results[0].tag), line);
}

TEST_F(AllocationTags, ListTheTenantsOfAnArena) {
  if (!on_host()) GTEST_SKIP() << "watches memory of the host";
  if (options().backend == "interpreter") GTEST_SKIP() << "about compiled programs";
  const Tensor x = full({8, 16}, 0.25);
  const Tensor w = full({16, 4}, 0.5);
  materialize(x, w);
  const Tensor product = matmul(x, w);
  const uint32_t product_line = __LINE__ - 1;
  const Tensor wide = matmul(tanh(product), full({4, 32}, 0.5));
  const uint32_t wide_line = __LINE__ - 1;

  materialize(wide.sum());

  const std::vector<Record> arenas = manager_->with_purpose("arena");
  ASSERT_FALSE(arenas.empty());
  const Record& arena = arenas.back();
  size_t end = 0;
  std::vector<uint32_t> product_lines;
  for (const ArenaItem& item : arena.contents) {
    EXPECT_LE(item.first_step, item.last_step);
    end = std::max(end, item.offset + item.bytes);
    if (item.op == "matmul" && !item.is_scratch) product_lines.push_back(item.where.line);
  }
  EXPECT_LE(end, arena.bytes);
  EXPECT_GT(end + 64, arena.bytes);
  EXPECT_EQ(std::ranges::count(product_lines, product_line), 1);
  EXPECT_EQ(std::ranges::count(product_lines, wide_line), 1);
  const auto largest = std::ranges::max_element(arena.contents, {}, &ArenaItem::bytes);
  EXPECT_EQ(arena.tag.op, largest->op);
  EXPECT_EQ(arena.tag.where, largest->where);
}

}  // namespace
}  // namespace wick
