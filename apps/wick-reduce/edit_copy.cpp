#include "edit_copy.h"

namespace wick::reduce {

EditCopy::EditCopy(const ir::Graph& original)
    : graph_(original.clone()),
      twins_(static_cast<size_t>(original.id_bound())) {
  ir::Node* twin = graph_->first();
  for (const ir::Node* node = original.first(); node != nullptr; node = node->next()) {
    twins_[static_cast<size_t>(node->id())] = twin;
    twin = twin->next();
  }
}

}  // namespace wick::reduce
