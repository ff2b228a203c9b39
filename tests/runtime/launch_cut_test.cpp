#include "wick/runtime/launch_cut.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace wick::runtime {
namespace {

/// Of an elementwise kernel.
KernelStep launch(int64_t tasks, int64_t vectors, int64_t work) {
  codegen::Kernel kernel;
  kernel.dims = {{.inner = false}};
  KernelStep step;
  step.kernel = std::make_shared<codegen::Kernel>(std::move(kernel));
  step.task_extent = tasks;
  step.vector_extent = vectors;
  step.work_per_task = work;
  return step;
}

TEST(LaunchCut, RunsSmallWorkInOnePiece) {
  const LaunchCut cut = cut_launch(launch(100, 64, 64), 8);

  EXPECT_EQ(cut.pieces(), 1);
  EXPECT_EQ(cut.task_grain, 100);
  EXPECT_EQ(cut.vector_grain, 64);
}

TEST(LaunchCut, RunsInOnePieceOnOneThread) {
  EXPECT_EQ(cut_launch(launch(1, 1 << 24, 1 << 24), 1).pieces(), 1);
}

TEST(LaunchCut, CutsManyTasksByTasks) {
  const LaunchCut cut = cut_launch(launch(4096, 1, 4096), 2);

  EXPECT_EQ(cut.vector_pieces, 1);
  EXPECT_EQ(cut.task_pieces, 8);
  EXPECT_EQ(cut.task_grain, 512);
}

TEST(LaunchCut, KeepsTasksInOrderTogether) {
  KernelStep step = launch(4096, 1, 4096);
  step.tasks_in_order = 384;

  const LaunchCut cut = cut_launch(step, 2);

  EXPECT_EQ(cut.task_grain, 768);
  EXPECT_EQ(cut.task_pieces, 6);
}

/// Of a kernel with an operand whose rows so many tasks share, or one that has rows of its own.
LaunchCut cut_of_rows(int64_t tasks, int64_t vectors, bool transposes) {
  codegen::Kernel kernel;
  kernel.dims = {{.extent_param = 0}, {.extent_param = 1}};
  kernel.vector_dim = 1;
  codegen::Instr load;
  load.kind = codegen::InstrKind::load;
  const codegen::Affine::Term along{.stride = codegen::Stride::one};
  const codegen::Affine::Term across{.stride = codegen::Stride::dynamic, .param = 2};
  load.address.terms = transposes ? std::vector{along, across} : std::vector{across, along};
  kernel.instrs = {load};
  KernelStep step = launch(tasks, vectors, 2 * vectors);
  step.kernel = std::make_shared<codegen::Kernel>(std::move(kernel));
  step.params = {tasks, vectors, 1};
  return cut_launch(step, 2);
}

TEST(LaunchCut, KeepsTasksTogetherThatReadTheSameLines) {
  EXPECT_EQ(cut_of_rows(8, 100000, false).task_pieces, 8);
  EXPECT_EQ(cut_of_rows(8, 100000, true).task_pieces, 1);
  EXPECT_EQ(cut_of_rows(8, 100000, true).vector_pieces, 8);
  EXPECT_EQ(cut_of_rows(200, 5000, true).task_grain, 64);
  EXPECT_EQ(cut_of_rows(200, 5000, true).vector_pieces, 2);
  EXPECT_EQ(cut_of_rows(4096, 5000, true).vector_pieces, 1);
}

TEST(LaunchCut, CutsRowsThatAreWalkedAsOneWhereOneBegins) {
  KernelStep step = launch(1, 7 * 5000, 64 * 7 * 5000);
  codegen::Kernel kernel = *step.kernel;
  kernel.row_length = 7;
  step.kernel = std::make_shared<codegen::Kernel>(std::move(kernel));
  const LaunchCut cut = cut_launch(step, 2);
  EXPECT_GT(cut.vector_pieces, 1);
  EXPECT_EQ(cut.vector_grain % (7 * 64), 0);
}

TEST(LaunchCut, CutsOneWideTaskAtMultiplesOf64Lanes) {
  const LaunchCut cut = cut_launch(launch(1, 1000003, 1000003), 2);

  EXPECT_EQ(cut.task_pieces, 1);
  EXPECT_EQ(cut.vector_pieces, 8);
  EXPECT_EQ(cut.vector_grain % 64, 0);
  EXPECT_GE(cut.vector_grain * cut.vector_pieces, 1000003);
  EXPECT_LT(cut.vector_grain * (cut.vector_pieces - 1), 1000003);
}

/// For two threads, of a kernel that reduces so many columns, and perhaps writes rows.
int64_t pieces_of_columns(int64_t count, bool writes_rows) {
  codegen::Kernel kernel;
  kernel.dims = {{.inner = false}, {.inner = true}};
  if (writes_rows) {
    kernel.buffers = {{.written = true}};
    kernel.instrs.emplace_back().kind = codegen::InstrKind::store;
    kernel.instrs.back().buffer = 0;
    kernel.phases = {{.loop = true, .instrs = {0}}};
  }
  KernelStep step = launch(1, count, count * 8192);
  step.kernel = std::make_shared<codegen::Kernel>(std::move(kernel));
  return cut_launch(step, 2).vector_pieces;
}

/// Pieces of rows that are reduced along columns are long, if all threads have one.
TEST(LaunchCut, CutsRowsOfColumnsInLongPieces) {
  EXPECT_EQ(pieces_of_columns(300, false), 2);
  EXPECT_EQ(pieces_of_columns(4096, false), 2);
  EXPECT_EQ(pieces_of_columns(8192, false), 4);
  EXPECT_EQ(pieces_of_columns(1 << 20, false), 8);
}

/// Where rows are written, pieces that are short or no whole lines are left to one thread.
TEST(LaunchCut, LeavesShortRowsThatAreWrittenWhole) {
  EXPECT_EQ(pieces_of_columns(512, true), 1);
  EXPECT_EQ(pieces_of_columns(1001, true), 1);
  EXPECT_EQ(pieces_of_columns(1024, true), 2);
  EXPECT_EQ(pieces_of_columns(2001, true), 1);
  EXPECT_EQ(pieces_of_columns(2049, true), 2);
  EXPECT_EQ(pieces_of_columns(8192, true), 4);
}

TEST(LaunchCut, CutsFewWideTasksBothWays) {
  const LaunchCut cut = cut_launch(launch(3, 100000, 100000), 4);

  EXPECT_EQ(cut.task_pieces, 3);
  EXPECT_GT(cut.vector_pieces, 1);
}

TEST(LaunchCut, CoversAnEmptyBox) {
  const LaunchCut cut = cut_launch(launch(0, 0, 1), 8);

  EXPECT_EQ(cut.pieces(), 1);
  EXPECT_EQ(cut.task_grain, 0);
}

std::vector<std::pair<size_t, int64_t>> shares(std::vector<int64_t> pieces, int threads) {
  std::vector<LaunchCut> cuts;
  for (const int64_t count : pieces)
    cuts.push_back({.task_pieces = count});
  std::vector<std::pair<size_t, int64_t>> result;
  for (const auto [launch, piece] : share_pieces(cuts, threads))
    result.emplace_back(launch, piece);
  return result;
}

using Pieces = std::vector<std::pair<size_t, int64_t>>;

TEST(SharedPieces, OfAThreadAreItsSharesOfEachLaunch) {
  EXPECT_EQ(shares({4, 2, 3}, 2),
            (Pieces{{0, 0}, {0, 1}, {1, 0}, {2, 0}, {0, 2}, {0, 3}, {1, 1}, {2, 1}, {2, 2}}));
}

TEST(SharedPieces, OfSmallLaunchesAreWholeLaunches) {
  EXPECT_EQ(shares({1, 1, 1, 1}, 2), (Pieces{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
  EXPECT_EQ(shares({1, 2, 1}, 2), (Pieces{{0, 0}, {1, 0}, {1, 1}, {2, 0}}));
}

TEST(SharedPieces, AreAllPiecesOnceOnManyThreads) {
  Pieces found = shares({1, 3, 8, 1, 16}, 5);
  std::ranges::sort(found);
  Pieces all;
  for (const auto& [launch, count] :
       {std::pair<size_t, int64_t>{0, 1}, {1, 3}, {2, 8}, {3, 1}, {4, 16}}) {
    for (int64_t piece = 0; piece < count; ++piece)
      all.emplace_back(launch, piece);
  }
  EXPECT_EQ(found, all);
}

}  // namespace
}  // namespace wick::runtime
