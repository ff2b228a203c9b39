#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "wick/passes/canonicalize_rules.h"
#include "wick/passes/epilogue.h"
#include "wick/passes/options.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

/// Of two or more axes.
std::vector<int64_t> last_axes_swapped(size_t rank) {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[rank - 1], axes[rank - 2]);
  return axes;
}

bool swaps_last_axes(const Node& permute) {
  const std::vector<int64_t>& axes = permute.attributes().integers("axes");
  return axes.size() >= 2 && axes == last_axes_swapped(axes.size());
}

/// Libraries read a transposed operand as fast as a plain one.
Value matmul_of_transpose(const Node& node, RuleBuilder& build) {
  constexpr std::string_view kFlags[] = {"transpose_lhs", "transpose_rhs"};
  for (const int side : {0, 1}) {
    const Node* permute = producer(node.operand(side), OpKind::permute);
    if (permute == nullptr || !swaps_last_axes(*permute)) continue;
    std::vector<Value> operands(node.operands().begin(), node.operands().end());
    operands[static_cast<size_t>(side)] = permute->operand(0);
    ir::Attributes attributes = node.attributes();
    if (attributes.flag(kFlags[side])) {
      attributes.erase(kFlags[side]);
    } else {
      attributes.set(kFlags[side], true);
    }
    return build.op(OpKind::matmul, std::move(operands), std::move(attributes));
  }
  return {};
}

/// (a b)^T = b^T a^T: the gradient of a transposed weight comes out as the weight lies in memory,
/// so that its update runs over both in order, and in place.
Value transpose_of_matmul(const Node& node, RuleBuilder& build) {
  const Node* matmul = producer(node.operand(0), OpKind::matmul);
  if (matmul == nullptr || matmul->uses().size() != 1 || !swaps_last_axes(node)) return {};
  if (has_epilogue(*matmul)) return {};
  ir::Attributes attributes;
  if (!matmul->attributes().flag("transpose_rhs")) attributes.set("transpose_lhs", true);
  if (!matmul->attributes().flag("transpose_lhs")) attributes.set("transpose_rhs", true);
  return build.op(OpKind::matmul, {matmul->operand(1), matmul->operand(0)}, std::move(attributes));
}

/// x with its last two extents, of which one is 1, swapped if `wanted`.
Value laid_across(RuleBuilder& build, const Value& x, bool wanted) {
  if (!wanted) return x;
  std::vector<int64_t> extents(x.type().shape.begin(), x.type().shape.end());
  std::swap(extents[extents.size() - 1], extents[extents.size() - 2]);
  return build.reshape(x, Shape(std::move(extents)));
}

/// A column times a row sums nothing: a kernel multiplies, with what comes before and behind.
Value matmul_of_column_and_row(const Node& node, RuleBuilder& build) {
  const Value lhs = node.operand(0);
  const Value rhs = node.operand(1);
  if (has_epilogue(node) || !is_float(node.type().dtype)) return {};
  if (lhs.type().dtype != node.type().dtype || lhs.type().shape.ndim() < 2) return {};
  if (rhs.type().dtype != node.type().dtype || rhs.type().shape.ndim() < 2) return {};
  const bool lhs_lies_across = node.attributes().flag("transpose_lhs");
  const Shape& shape = lhs.type().shape;
  if (shape[shape.ndim() - (lhs_lies_across ? 2 : 1)] != 1) return {};
  return build.op(OpKind::mul,
                  {laid_across(build, lhs, lhs_lies_across),
                   laid_across(build, rhs, node.attributes().flag("transpose_rhs"))},
                  {});
}

/// Whether a kernel reads the matrix as fast as the machine does: many rows, of which short ones
/// stand side by side in vectors, and long ones take longer than to fold a vector.
bool suits_row_kernels(int64_t rows, int64_t length) {
  constexpr int64_t kFewestRows = 64;
  constexpr int64_t kShort = 16;
  constexpr int64_t kLong = 64;
  return rows >= kFewestRows && (length <= kShort || length >= kLong);
}

/// A product of which one operand is a vector, or a batch of them.
struct VectorProduct {
  Value matrix;
  Value vector;
  bool is_across;  // the vector is to be a row where the rows of the matrix meet it, else a column
  int axis;        // of the matrix, that is summed over
};

/// None for other products, and where one matrix meets many vectors, which is a product of matrices
/// that was not written as one.
std::optional<VectorProduct> as_vector_product(const Node& node, bool vector_is_lhs) {
  const Value matrix = node.operand(vector_is_lhs ? 1 : 0);
  const Value vector = node.operand(vector_is_lhs ? 0 : 1);
  const Shape& shape = node.type().shape;
  const DType dtype = node.type().dtype;
  if (has_epilogue(node) || (dtype != DType::f32 && dtype != DType::f64)) return {};
  for (const Value& operand : {matrix, vector}) {
    if (operand.type().dtype != dtype || operand.type().shape.ndim() != shape.ndim()) return {};
  }
  const int rows = shape.ndim() - 2;
  const int columns = shape.ndim() - 1;
  if (shape[vector_is_lhs ? rows : columns] != 1) return {};
  const bool lhs_lies_across = node.attributes().flag("transpose_lhs");
  const bool rhs_lies_across = node.attributes().flag("transpose_rhs");
  const bool rows_meet_vector = vector_is_lhs ? rhs_lies_across : !lhs_lies_across;
  const int axis = rows_meet_vector ? columns : rows;
  const Shape& extents = matrix.type().shape;
  if (extents.numel() != shape.numel() * extents[axis]) return {};
  const bool is_row = vector_is_lhs ? !lhs_lies_across : rhs_lies_across;
  return VectorProduct{matrix, vector, is_row != rows_meet_vector, axis};
}

Value as_sums(const VectorProduct& product, const Shape& shape, RuleBuilder& build) {
  const Value vector = laid_across(build, product.vector, product.is_across);
  const Value all = build.op(OpKind::mul, {product.matrix, vector}, {});
  const Value sums = build.op(OpKind::reduce_sum,
                              {all},
                              {{"axes", std::vector<int64_t>{product.axis}}, {"keepdims", true}});
  return build.reshape(sums, shape);
}

/// A kernel reads each row of a matrix once and takes in what comes before and behind, where the
/// rows, as they lie in memory, meet the vector, and where they are summed and come from memory: in
/// order, and not a few columns at a time. Libraries do not wait for memory as well.
Value matmul_of_vector(const Node& node, RuleBuilder& build) {
  constexpr int64_t kFromMemory = int64_t{3} << 17U;  // elements
  for (const bool vector_is_lhs : {false, true}) {
    const auto product = as_vector_product(node, vector_is_lhs);
    if (!product) continue;
    const Shape& shape = node.type().shape;
    const Shape& matrix = product->matrix.type().shape;
    const bool sums_columns = product->axis + 1 == matrix.ndim();
    const bool pays = sums_columns ? suits_row_kernels(shape.numel(), matrix[product->axis])
                                   : matrix.numel() >= kFromMemory;
    if (pays) return as_sums(*product, shape, build);
  }
  return {};
}

/// The shape with an axis of one element before that one.
Shape with_unit(const Shape& shape, int before) {
  std::vector<int64_t> extents(shape.begin(), shape.end());
  extents.insert(extents.begin() + before, 1);
  return Shape(std::move(extents));
}

Value with_last_axes_swapped(RuleBuilder& build, const Value& x) {
  const auto rank = static_cast<size_t>(x.type().shape.ndim());
  return build.op(OpKind::permute, {x}, {{"axes", last_axes_swapped(rank)}});
}

/// x with axes of one element before its own, as many as the result of `node` has.
Value with_rank_of_result(const Node& node, RuleBuilder& build, const Value& x) {
  const Shape& shape = x.type().shape;
  std::vector<int64_t> extents(shape.begin(), shape.end());
  extents.insert(extents.begin(), static_cast<size_t>(node.type().shape.ndim() - shape.ndim()), 1);
  return build.reshape(x, Shape(std::move(extents)));
}

/// The sums of products that a matmul of operands with two axes or more is.
Value as_sums_of_products(const Node& node, RuleBuilder& build) {
  const int rank = node.type().shape.ndim();
  Value lhs = with_rank_of_result(node, build, node.operand(0));
  Value rhs = with_rank_of_result(node, build, node.operand(1));
  if (node.attributes().flag("transpose_lhs")) lhs = with_last_axes_swapped(build, lhs);
  if (node.attributes().flag("transpose_rhs")) rhs = with_last_axes_swapped(build, rhs);
  const Value all = build.op(OpKind::mul,
                             {build.reshape(lhs, with_unit(lhs.type().shape, rank)),
                              build.reshape(rhs, with_unit(rhs.type().shape, rank - 2))},
                             {});
  return build.op(OpKind::reduce_sum, {all}, {{"axes", std::vector<int64_t>{rank - 1}}});
}

/// No library multiplies integers, and kernels have the vectors of the machine: i32[300,300] by as
/// many takes a loop of ours five times as long.
Value matmul_of_integers(const Node& node, RuleBuilder& build) {
  const DType dtype = node.type().dtype;
  if (dtype != DType::i32 && dtype != DType::i64) return {};
  if (has_epilogue(node) || node.type().shape.numel() == 0) return {};
  return as_sums_of_products(node, build);
}

/// Matrices of f32, or batches of them, with nothing behind their product.
bool is_plain_f32_product(const Node& node) {
  return !has_epilogue(node) && node.type().dtype == DType::f32 &&
         std::ranges::all_of(node.operands(), [](Value operand) {
           return operand.type().dtype == DType::f32 && operand.type().shape.ndim() >= 2;
         });
}

/// Many products of small matrices of f32: a call for each takes 60 ns, as long as a kernel takes
/// for 10 x 10 x 10. Kernels that read a transposed rhs jump from row to row, which pays for the
/// smallest alone; BLAS, which f64 goes to, takes 40 ns a call. Some rows of few columns are
/// neither one block to a kernel nor many: of [27,6] by [6,2] it takes 300 ns for each, and a call
/// 80, of [12,16] by [16,2] 120 and 57 (Zen 5).
Value matmul_of_small(const Node& node, RuleBuilder& build) {
  constexpr int64_t kFewestProducts = 32;
  constexpr int64_t kMostMultiplications = 1024;  // of a product
  constexpr int64_t kLongestSum = 32;             // short rows, which kernels walk side by side
  constexpr int64_t kFewMultiplications = 512;    // 8 x 8 x 8
  constexpr int64_t kShortSum = 8;
  constexpr int64_t kFewRows = 16;
  constexpr int64_t kManyRows = 64;
  constexpr int64_t kFewElements = 128;  // of the left operand
  const Value lhs = node.operand(0);
  const Value rhs = node.operand(1);
  const Shape& shape = node.type().shape;
  const int rank = shape.ndim();
  if (!is_plain_f32_product(node) || rank < 3) return {};
  const bool lhs_lies_across = node.attributes().flag("transpose_lhs");
  const bool rhs_lies_across = node.attributes().flag("transpose_rhs");
  const int64_t m = shape[rank - 2];
  const int64_t n = shape[rank - 1];
  const int64_t k = lhs.type().shape[lhs.type().shape.ndim() - (lhs_lies_across ? 2 : 1)];
  const int64_t most = rhs_lies_across ? kFewMultiplications : kMostMultiplications;
  const int64_t longest = rhs_lies_across ? kShortSum : kLongestSum;
  if (m * n * k == 0 || m * n * k > most || k > longest) return {};
  if (!targets_gpu() && m < kManyRows && (m >= kFewRows || m * k > kFewElements)) return {};
  const int64_t products = shape.numel() / (m * n);
  const bool share_rhs = rhs.type().numel() < products * k * n;
  if (products < kFewestProducts || share_rhs) return {};
  return as_sums_of_products(node, build);
}

/// Many points or colours times one small matrix: kernels have the sums in a few vectors, and take
/// in what comes before and behind.
Value matmul_of_points(const Node& node, RuleBuilder& build) {
  constexpr int64_t kFewestPoints = 256;
  constexpr int64_t kMostCoordinates = 8;
  const Value lhs = node.operand(0);
  const Value rhs = node.operand(1);
  const Shape& shape = node.type().shape;
  const int rank = shape.ndim();
  if (!is_plain_f32_product(node) || node.attributes().flag("transpose_lhs")) return {};
  const int64_t n = shape[rank - 1];
  const int64_t k = lhs.type().shape[lhs.type().shape.ndim() - 1];
  const int64_t points = n == 0 ? 0 : shape.numel() / n;
  if (points < kFewestPoints || k == 0 || k > kMostCoordinates || n > kMostCoordinates) return {};
  if (lhs.type().numel() != points * k || rhs.type().numel() != k * n) return {};
  return as_sums_of_products(node, build);
}

/// Of images of one pixel, as squeeze-and-excitation (Hu et al., 2018) has them, and windows of
/// one.
bool is_of_pixels(const Node& node) {
  const auto is_pixel = [](const Type& type) {
    const Shape& shape = type.shape;
    return std::all_of(shape.begin() + 2, shape.end(), [](int64_t extent) { return extent == 1; });
  };
  const auto& padding = node.attributes().integers("padding");
  return node.attributes().integer("groups", 1) == 1 && !has_epilogue(node) &&
         std::ranges::all_of(padding, [](int64_t n) { return n == 0; }) &&
         is_pixel(node.operand(0).type()) && is_pixel(node.operand(1).type()) &&
         is_pixel(node.type());
}

/// [rows,columns] of images or a weight of one pixel.
Value as_matrix(RuleBuilder& build, Value value) {
  const Shape& shape = value.type().shape;
  return build.reshape(value, Shape{shape[0], shape[1]});
}

/// A convolution, or a gradient of one, is a product of its channels then.
Value conv_of_pixels(const Node& node, RuleBuilder& build) {
  if (!is_of_pixels(node)) return {};
  Value lhs = as_matrix(build, node.operand(0));
  Value rhs = as_matrix(build, node.operand(1));
  ir::Attributes transposed;
  if (node.op() == OpKind::conv) transposed.set("transpose_rhs", true);
  if (node.op() == OpKind::conv_weight_grad) {
    std::swap(lhs, rhs);
    transposed.set("transpose_lhs", true);
  }
  const Value product = build.op(OpKind::matmul, {lhs, rhs}, std::move(transposed));
  return build.reshape(product, node.type().shape);
}

const Rule kContractionRules[] = {
    {"matmul-of-transpose", OpKind::matmul, matmul_of_transpose},
    {"matmul-of-column-and-row", OpKind::matmul, matmul_of_column_and_row},
    {"matmul-of-vector", OpKind::matmul, matmul_of_vector},
    {"matmul-of-small", OpKind::matmul, matmul_of_small},
    {"matmul-of-points", OpKind::matmul, matmul_of_points},
    {"matmul-of-integers", OpKind::matmul, matmul_of_integers},
    {"conv-of-pixels", OpKind::conv, conv_of_pixels},
    {"conv-of-pixels", OpKind::conv_input_grad, conv_of_pixels},
    {"conv-of-pixels", OpKind::conv_weight_grad, conv_of_pixels},
    {"transpose-of-matmul", OpKind::permute, transpose_of_matmul},
};

}  // namespace

std::span<const Rule> contraction_rules() {
  return kContractionRules;
}

}  // namespace wick::passes
