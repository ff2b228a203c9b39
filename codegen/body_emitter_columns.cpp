// Rows that add what they have to partial results of reductions over all rows.

#include <utility>

#include "wick/codegen/body_emitter.h"
#include "wick/ir/check.h"

namespace wick::codegen {

namespace {

using ir::AffineExpr;
using ir::OpKind;
using Level = ir::Domain::Level;

}  // namespace

void BodyEmitter::add_to_columns(const PartialPlaces& places, int64_t rows_of_block) {
  const RowBlock block = row_block(rows_of_block);
  for (const ir::Node* reduction : body_.column_reductions)
    add_to_column(*reduction, places.at(reduction), block);
}

BodyEmitter::RowBlock BodyEmitter::row_block(int64_t rows_of_block) {
  const ir::Domain& domain = draft_.domain();
  const Request start{.node = body_.graph->first(), .map = {}};
  const AffineExpr number_of_row =
      ir::row_major_position(domain.extents, domain.transposed().reduced);
  const int row = index(start, number_of_row);
  const int size = number(start, rows_of_block);
  const int rest = compute(start, OpKind::rem, DType::i64, {row, size});
  return {.number = compute(start, OpKind::div, DType::i64, {row, size}),
          .is_first = compute(start, OpKind::eq, DType::bool_, {rest, constant(0)})};
}

void BodyEmitter::add_to_column(const ir::Node& reduction, size_t place, const RowBlock& block) {
  const ir::Domain& domain = draft_.domain();
  const ir::Value operand = reduction.operand(0);
  const auto map = domain.aligned_map(operand.type().shape, Level::full);
  check(map.has_value(), "a reduction reduces the positions of its kernel");
  const int loop = 2 * body_.loop_of(reduction) + 1;
  const Request inside{.node = operand.node, .map = *map, .loop = loop};
  const int value = emit(inside);

  const DType dtype = compute_dtype(reduction.type().dtype);
  const ArgBinding binding = workspace_at(place);
  const BufferArg buffer = written_buffer(binding, dtype);
  DraftInstr load;
  load.instr.kind = InstrKind::load;
  load.instr.dtype = dtype;
  load.instr.buffer = draft_.add_buffer(binding, buffer);
  load.instr.dynamic_index = block.number;
  load.address = ir::row_major_position(domain.extents, domain.reduced);
  load.dynamic_stride = domain.numel(Level::column);
  PendingStore store{.phase = loop, .instr = load};
  const int before = draft_.append(loop, std::move(load));
  const int sum = compute(inside, combining_op(reduction.op(), dtype), dtype, {before, value});
  store.instr.instr.kind = InstrKind::store;
  store.instr.instr.operands = {
      compute(inside, OpKind::where, dtype, {block.is_first, value, sum})};
  stores_.push_back(std::move(store));
}

}  // namespace wick::codegen
