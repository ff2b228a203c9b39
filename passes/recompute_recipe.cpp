#include "wick/passes/recompute_recipe.h"

#include <utility>

#include "wick/passes/canonical_form.h"
#include "wick/passes/dce.h"

namespace wick::passes {

namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

/// The other results become parameters behind the old ones.
void read_other_results(Graph& body, Value value, std::vector<Value>& operands) {
  const std::vector<Value> results(body.results().begin(), body.results().end());
  const Value wanted = results[static_cast<size_t>(value.index)];
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] == wanted) continue;
    body.replace_all_uses(results[i], body.add_parameter(results[i].type())->result());
    operands.push_back({value.node, static_cast<int>(i)});
  }
}

void erase_unused(Graph& body, std::vector<Value>& operands) {
  erase_dead_nodes(body);
  for (size_t i = operands.size(); i-- > 0;) {
    if (body.parameters()[i]->has_uses()) continue;
    body.erase_parameter(static_cast<int>(i));
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

RecomputeRecipe recipe_of(Value value, bool from_other_results) {
  const Node& fusion = *value.node;
  std::unique_ptr<Graph> body = fusion.body()->clone();
  std::vector<Value> operands(fusion.operands().begin(), fusion.operands().end());
  const Value wanted = body->results()[static_cast<size_t>(value.index)];
  if (from_other_results) read_other_results(*body, value, operands);
  body->set_results({wanted});
  erase_unused(*body, operands);

  RecomputeRecipe recipe;
  CanonicalGraph canonical = canonical_copy(*body);
  for (const int parameter : canonical.parameters)
    recipe.operands.push_back(operands[static_cast<size_t>(parameter)]);
  recipe.body = std::move(canonical.graph);
  for (const Node* node = recipe.body->first(); node != nullptr; node = node->next())
    recipe.costly_ops += ir::has(node->op(), ir::kCostly) ? 1 : 0;
  return recipe;
}

}  // namespace wick::passes
