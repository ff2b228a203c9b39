#include "wick/passes/epilogue.h"

#include <cmath>
#include <numbers>
#include <string>

#include "wick/passes/pass_options.h"
#include "wick/passes/pattern.h"

namespace wick::passes {

namespace {

using ir::Node;
using ir::OpKind;
using ir::Value;

/// What a matmul becomes, and the value that it then computes.
struct Epilogue {
  Value bias;
  std::string activation;
  Value result;
  Value mask;  // of relu: result <= 0, which backward passes ask for as well
};

/// Libraries seldom have epilogues for f64, or for products with a vector.
bool is_candidate(const Node& matmul) {
  const DType dtype = matmul.type().dtype;
  if (has_epilogue(matmul) || !is_float(dtype) || dtype == DType::f64) return false;
  const Shape& rhs = matmul.operand(1).type().shape;
  return rhs[rhs.ndim() - 1] > 1 && rhs[rhs.ndim() - 2] > 1;
}

/// Whether `value` has an element for each column of `matrix` and repeats over its rows.
bool is_row_vector(Value value, const Type& matrix) {
  const int64_t columns = matrix.shape[matrix.shape.ndim() - 1];
  const Shape& shape = value.type().shape;
  return shape.ndim() > 0 && shape[shape.ndim() - 1] == columns && shape.numel() == columns &&
         shape.ndim() <= matrix.shape.ndim();
}

void find_bias(Value product, Epilogue& found) {
  if (product.node->uses().size() != 1) return;
  Node* const add = product.node->uses()[0].user;
  if (add == nullptr || add->op() != OpKind::add || add->type() != product.type()) return;
  const Value other = add->operand(1 - product.node->uses()[0].operand);
  if (!is_row_vector(other, product.type())) return;
  found.bias = other;
  found.result = add->result();
}

/// where(x <= 0, 0, x), with x read nowhere else.
void find_relu(Value x, Epilogue& found) {
  using namespace pattern;
  if (x.node->uses().size() != 2) return;
  for (const ir::Use& use : x.node->uses()) {
    if (use.user == nullptr || use.user->op() != OpKind::where) continue;
    const Value relu = use.user->result();
    if (!matches(relu,
                 op(OpKind::where, op(OpKind::le, same(x), splat_of(0)), splat_of(0), same(x))))
      continue;
    found.activation = "relu";
    found.result = relu;
    found.mask = use.user->operand(0);
  }
}

/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), with x read nowhere else.
void find_gelu(Value x, Epilogue& found) {
  using namespace pattern;
  constexpr size_t kReads = 5;
  if (x.node->uses().size() != kReads) return;
  double cubic = 0;
  double scale = 0;
  const auto cube = op(OpKind::mul, op(OpKind::mul, same(x), same(x)), same(x));
  const auto angle = op(OpKind::add, op(OpKind::mul, cube, splat(cubic)), same(x));
  const auto bend = op(OpKind::tanh, op(OpKind::mul, angle, splat(scale)));
  const auto gelu =
      op(OpKind::mul, op(OpKind::add, bend, splat_of(1)), op(OpKind::mul, same(x), splat_of(0.5)));
  const auto is_near = [](double number, double wanted) {
    constexpr double kRounding = 1e-6;  // of f32
    return std::abs(number - wanted) < kRounding;
  };
  for (const ir::Use& half : x.node->uses()) {
    if (half.user == nullptr || half.user->uses().size() != 1) continue;
    Node* const last = half.user->uses()[0].user;
    if (last == nullptr || !matches(last->result(), gelu)) continue;
    if (!is_near(cubic, 0.044715) || !is_near(scale, std::sqrt(2 * std::numbers::inv_pi))) continue;
    found.activation = "gelu_tanh";
    found.result = last->result();
  }
}

class EpiloguePass final : public Pass {
 public:
  explicit EpiloguePass(bool activations) : activations_(activations) {}

  [[nodiscard]] std::string_view name() const override { return "epilogue"; }

  bool run(ir::Graph& graph, PassContext& context) override {
    bool changed = false;
    for (Node* node : graph.nodes()) {
      // What is replaced is left for dce, so every node of the list is still there.
      if (node->op() == OpKind::matmul && node->has_uses())
        changed |= extend(graph, *node, context);
    }
    return changed;
  }

 private:
  bool extend(ir::Graph& graph, Node& matmul, PassContext& context) const {
    if (!is_candidate(matmul)) return false;
    Epilogue found{.bias = {}, .activation = {}, .result = matmul.result(), .mask = {}};
    find_bias(found.result, found);
    if (found.bias) context.count("biases");
    // The last node that the new one stands for, and the first that all it reads comes before.
    Node* const before = found.result.node->next();
    if (activations_) {
      const Value sum = found.result;
      find_relu(sum, found);
      find_gelu(sum, found);
    }
    if (!found.activation.empty()) context.count("activations");
    if (found.result == matmul.result()) return false;
    replace(graph, matmul, found, before);
    return true;
  }

  static void replace(ir::Graph& graph, Node& matmul, const Epilogue& epilogue, Node* before) {
    const Location where = epilogue.result.node->location();
    std::vector<Value> operands(matmul.operands().begin(), matmul.operands().end());
    if (epilogue.bias) {
      Value bias = epilogue.bias;
      if (bias.type().shape.ndim() != 1) {
        const ir::Attributes vector{{"shape", Axes{bias.type().shape.numel()}}};
        bias = graph.add(OpKind::reshape, {bias}, vector, where, before)->result();
      }
      operands.push_back(bias);
    }
    ir::Attributes attributes = matmul.attributes();
    if (!epilogue.activation.empty()) attributes.set("activation", epilogue.activation);
    Node* const whole =
        graph.add(OpKind::matmul, std::move(operands), std::move(attributes), where, before);
    whole->set_name(epilogue.result.node->name());
    graph.replace_all_uses(epilogue.result, whole->result());
    if (epilogue.mask) graph.set_operand(epilogue.mask.node, 0, whole->result());
  }

  bool activations_;
};

}  // namespace

bool has_epilogue(const ir::Node& matmul) {
  return matmul.num_operands() > 2 || matmul.attributes().has("activation");
}

PassInfo epilogue_pass_info() {
  return {.name = "epilogue",
          .summary = "add biases and apply activations in the calls of matrix products",
          .options = {{"activations", "false"}},
          .create = [](const PassOptions& options) {
            return std::make_unique<EpiloguePass>(flag_option(options, "activations"));
          }};
}

}  // namespace wick::passes
