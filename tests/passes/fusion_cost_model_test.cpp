#include "wick/passes/fusion_cost_model.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <gtest/gtest.h>

#include "wick/ir/parser.h"
#include "wick/passes/pass_manager.h"

namespace wick::passes {
namespace {

/// What a merge candidate said of itself when the model was asked.
struct Seen {
  MergeCandidate::Kind kind;
  ir::OpKind first_op;
  ir::OpKind second_op;
  size_t num_operands;
  size_t num_results;
  int64_t num_ops;
  int64_t bytes_saved;
  int64_t recomputed_ops;
  bool has_reduction;
  bool columns_with_rows;
};

/// Writes down what it is asked, and forbids what it is told to.
class RecordingModel final : public FusionCostModel {
 public:
  [[nodiscard]] std::string_view name() const override { return "recording"; }

  [[nodiscard]] FusionLimits limits() const override { return {.max_ops = max_ops}; }

  [[nodiscard]] Objection merge(const MergeCandidate& candidate) const override {
    merges.push_back({.kind = candidate.kind,
                      .first_op = candidate.first_op.op(),
                      .second_op = candidate.second_op.op(),
                      .num_operands = candidate.fused.operands().size(),
                      .num_results = candidate.fused.results().size(),
                      .num_ops = candidate.fused.num_ops(),
                      .bytes_saved = candidate.bytes_saved(),
                      .recomputed_ops = candidate.recomputed_ops,
                      .has_reduction = candidate.fused.has_reduction(),
                      .columns_with_rows = candidate.columns_with_rows});
    return merge_objection;
  }

  [[nodiscard]] Objection recompute(const RecomputeCandidate& candidate) const override {
    recomputed = candidate.ops().size();
    loaded = candidate.bytes_loaded();
    saved = candidate.bytes_saved();
    return recompute_objection;
  }

  [[nodiscard]] Objection evaluate(const RecomputeCandidate& candidate,
                                   int64_t more_ops) const override {
    evaluated_op = candidate.value().op();
    evaluated = more_ops;
    return evaluate_objection;
  }

  Objection merge_objection;
  Objection recompute_objection;
  Objection evaluate_objection;
  int64_t max_ops = 256;
  mutable std::vector<Seen> merges;
  mutable std::optional<size_t> recomputed;
  mutable int64_t loaded = 0;
  mutable int64_t saved = 0;
  mutable ir::OpKind evaluated_op = ir::OpKind::add;
  mutable std::optional<int64_t> evaluated;
};

class FusionCostModels : public testing::Test {
 protected:
  FusionCostModels() : model_(registered()) {
    model_.merge_objection = {};
    model_.recompute_objection = {};
    model_.evaluate_objection = {};
    model_.evaluated.reset();
    model_.max_ops = 256;
    model_.merges.clear();
    model_.recomputed.reset();
  }

  /// Number of fusions that `text` becomes.
  int64_t fuse(const char* text, const char* pipeline = "fuse{cost-model=recording}") {
    const auto graph = ir::parse_graph(text);
    PassContext context(true);
    PassManager::parse(pipeline).run(*graph, context);
    remarks_ = context.remarks();
    return context.statistics().at("fuse.fusions");
  }

  RecordingModel& model_;
  std::vector<Remark> remarks_;

 private:
  static RecordingModel& registered() {
    static RecordingModel* model = [] {
      auto fresh = std::make_unique<RecordingModel>();
      RecordingModel* raw = fresh.get();
      register_fusion_cost_model(std::move(fresh));
      return raw;
    }();
    return *model;
  }
};

constexpr const char* kChain = R"(
graph @chain(%a: f32[64]) -> (f32[64]) {
  %0 = abs %a : f32[64]
  %1 = neg %0 : f32[64]
  %2 = sqrt %1 : f32[64]
  return %2
})";

TEST_F(FusionCostModels, AnObjectionKeepsOpsApartAndIsRemarked) {
  model_.merge_objection = {"missed-mood", "not on {} day of {}", 1, 7};
  model_.recompute_objection = "missed-mood";

  EXPECT_EQ(fuse(kChain), 3);

  const auto is_mine = [](const Remark& remark) {
    return remark.missed && remark.code == "missed-mood" &&
           remark.text == "abs f32[64] stays out of the kernel of neg f32[64]: not on 1 day of 7";
  };
  EXPECT_TRUE(std::ranges::any_of(remarks_, is_mine));
}

TEST_F(FusionCostModels, AreAskedOnlyForLegalFusions) {
  model_.merge_objection = "missed-mood";

  fuse(R"(
graph @shapes(%a: f32[8,16]) -> (f32[16,8]) {
  %0 = reduce_sum %a {axes = [1]} : f32[8]
  %1 = reduce_sum %a {axes = [0], keepdims = true} : f32[1,16]
  %2 = permute %1 {axes = [1, 0]} : f32[16,1]
  %3 = add %2, %0 : f32[16,8]
  return %3
})");

  const auto is_pair_of_sums = [](const Seen& seen) {
    return seen.first_op == ir::OpKind::reduce_sum && seen.second_op == ir::OpKind::reduce_sum;
  };
  EXPECT_FALSE(model_.merges.empty());
  EXPECT_FALSE(std::ranges::any_of(model_.merges, is_pair_of_sums));
}

TEST_F(FusionCostModels, SeeWhatAMergeSaves) {
  fuse(kChain);

  ASSERT_EQ(model_.merges.size(), 2U);
  const Seen& first = model_.merges[0];
  EXPECT_EQ(first.kind, MergeCandidate::Kind::producer);
  EXPECT_EQ(first.first_op, ir::OpKind::abs);
  EXPECT_EQ(first.second_op, ir::OpKind::neg);
  EXPECT_EQ(first.num_ops, 2);
  EXPECT_EQ(first.num_operands, 1U);
  EXPECT_EQ(first.num_results, 1U);
  EXPECT_EQ(first.bytes_saved, 2 * 64 * 4);  // the store and the load of %0
  EXPECT_FALSE(first.has_reduction);
  EXPECT_EQ(model_.merges[1].num_ops, 3);
}

TEST_F(FusionCostModels, SeeSiblingsAndReductions) {
  fuse(R"(
graph @siblings(%a: f32[8,16]) -> (f32[8,16], f32[8]) {
  %0 = abs %a : f32[8,16]
  %1 = reduce_sum %a {axes = [1]} : f32[8]
  return %0, %1
})");

  ASSERT_EQ(model_.merges.size(), 1U);
  EXPECT_EQ(model_.merges[0].kind, MergeCandidate::Kind::siblings);
  EXPECT_EQ(model_.merges[0].bytes_saved, 8 * 16 * 4);  // one load of %a
  EXPECT_EQ(model_.merges[0].num_results, 2U);
  EXPECT_TRUE(model_.merges[0].has_reduction);
}

TEST_F(FusionCostModels, DecideWhetherRowsTakeColumnsAlong) {
  constexpr const char* kSums = R"(
graph @sums(%a: f32[2,33]) -> (f32[2], f32[33]) {
  %0 = reduce_sum %a {axes = [1]} : f32[2]
  %1 = reduce_sum %a {axes = [0]} : f32[33]
  return %0, %1
})";

  EXPECT_EQ(fuse(kSums), 1);
  EXPECT_EQ(fuse(kSums, "fuse"), 2);
  EXPECT_EQ(fuse(R"(
graph @rows_cut_in_blocks(%a: f32[16,8192]) -> (f32[16], f32[8192]) {
  %0 = reduce_sum %a {axes = [1]} : f32[16]
  %1 = reduce_sum %a {axes = [0]} : f32[8192]
  return %0, %1
})"),
            2);

  ASSERT_EQ(model_.merges.size(), 1U);
  EXPECT_TRUE(model_.merges[0].columns_with_rows);
}

TEST_F(FusionCostModels, DecideOnRecomputation) {
  constexpr const char* kBias = R"(
graph @bias(%b: f32[40], %x: f32[30,40]) -> (f32[30,40]) {
  %0 = neg %b : f32[40]
  %1 = mul %0, %x : f32[30,40]
  return %1
})";
  model_.recompute_objection = "missed-mood";

  EXPECT_EQ(fuse(kBias), 2);

  EXPECT_EQ(model_.recomputed, 1U);
  EXPECT_EQ(model_.loaded, 40 * 4);
  EXPECT_EQ(model_.saved, 2 * 40 * 4);
  model_.recompute_objection = {};
  EXPECT_EQ(fuse(kBias), 1);
}

TEST_F(FusionCostModels, SeeHowOftenAValueWouldBeEvaluated) {
  constexpr const char* kDifference = R"(
graph @difference(%a: f32[40]) -> (f32[38]) {
  %0 = sqrt %a : f32[40]
  %1 = neg %0 : f32[40]
  %2 = slice %1 {sizes = [38], starts = [0]} : f32[38]
  %3 = slice %1 {sizes = [38], starts = [1]} : f32[38]
  %4 = slice %1 {sizes = [38], starts = [2]} : f32[38]
  %5 = sub %2, %3 : f32[38]
  %6 = sub %5, %4 : f32[38]
  return %6
})";

  EXPECT_EQ(fuse(kDifference), 1);

  EXPECT_EQ(model_.evaluated_op, ir::OpKind::neg);
  EXPECT_EQ(model_.evaluated, 2 * (8 + 1));
  model_.evaluate_objection = "missed-mood";
  EXPECT_EQ(fuse(kDifference), 2);
}

TEST_F(FusionCostModels, SeeOfEachValueHowOftenThatOneWouldBeEvaluated) {
  EXPECT_EQ(fuse(R"(
graph @product(%a: f32[40], %b: f32[40]) -> (f32[39]) {
  %0 = sqrt %a : f32[40]
  %1 = slice %0 {sizes = [39], starts = [0]} : f32[39]
  %2 = slice %0 {sizes = [39], starts = [1]} : f32[39]
  %3 = sub %1, %2 : f32[39]
  %4 = neg %b : f32[40]
  %5 = slice %4 {sizes = [39], starts = [0]} : f32[39]
  %6 = slice %4 {sizes = [39], starts = [1]} : f32[39]
  %7 = sub %5, %6 : f32[39]
  %8 = mul %3, %7 : f32[39]
  return %8
})"),
            1);

  EXPECT_EQ(model_.evaluated, model_.evaluated_op == ir::OpKind::neg ? 1 : 8);
}

TEST_F(FusionCostModels, SetLimitsThatOptionsOverride) {
  model_.max_ops = 1;

  EXPECT_EQ(fuse(kChain), 3);
  EXPECT_EQ(fuse(kChain, "fuse{cost-model=recording,max-ops=8}"), 1);
}

TEST_F(FusionCostModels, HaveNamesThatAreTakenOnce) {
  const auto add = [] { register_fusion_cost_model(std::make_unique<RecordingModel>()); };
  EXPECT_THROW(add(), std::invalid_argument);
  EXPECT_EQ(find_fusion_cost_model("memory-traffic").name(), kDefaultFusionCostModel);
  try {
    find_fusion_cost_model("recoding");
    FAIL() << "found";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "no fusion cost model 'recoding', did you mean 'recording'?");
  }
}

}  // namespace
}  // namespace wick::passes
