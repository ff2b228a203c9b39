#include "wick/codegen/body_emitter.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "wick/ir/check.h"

namespace wick::codegen {

namespace {

using ir::AffineExpr;
using ir::IndexMap;
using ir::OpKind;
using Level = ir::Domain::Level;

/// What a value is a reshape of, itself if none.
const ir::Node& reshaped_source(const ir::Value& value) {
  const ir::Node* node = value.node;
  while (node->op() == OpKind::reshape)
    node = node->operand(0).node;
  return *node;
}

}  // namespace

ArgBinding workspace_at(size_t offset) {
  return {.kind = ArgBinding::Kind::workspace, .index = 0, .offset = offset};
}

DType compute_dtype(DType dtype) {
  return is_half(dtype) ? DType::f32 : dtype;
}

BodyEmitter::BodyEmitter(const ir::Node& fusion, const FusedBody& body, ir::Domain domain)
    : fusion_(fusion),
      body_(body),
      parameter_number_(static_cast<size_t>(body.graph->id_bound()), -1),
      draft_(body.graph->name(), std::move(domain)) {
  int number = 0;
  for (const ir::Node* parameter : body.graph->parameters()) {
    parameter_number_[static_cast<size_t>(parameter->id())] = number++;
  }
  draft_.add_phase(false);
  for (int depth = 0; depth <= body.max_depth; ++depth) {
    draft_.add_phase(true);
    draft_.add_phase(false);
  }
}

void BodyEmitter::read_partials(PartialPlaces places) {
  partials_ = std::move(places);
}

void BodyEmitter::store_result(int index) {
  const ir::Value result = body_.graph->results()[static_cast<size_t>(index)];
  if (result.type().numel() == 0) return;
  const Level level = partials_.empty() ? body_.level_of(result) : Level::row;
  const std::optional<IndexMap> map = draft_.domain().aligned_map(result.type().shape, level);
  check(map.has_value(), "the shape of a fusion's result fits the positions of its kernel");
  const int depth = body_.depth_of(*result.node);
  const Request request{.node = result.node, .map = *map, .loop = 2 * depth + 1};
  const int value = emit(request);
  const AffineExpr address = linearize(*map, result.type().shape, draft_.domain().extents);
  const bool in_loop = varies_in_loop(address);
  const ArgBinding binding{.kind = ArgBinding::Kind::result, .index = index, .offset = 0};
  const BufferArg buffer = written_buffer(binding, result.type().dtype);
  store(value, binding, buffer, address, in_loop ? request.loop : 2 * depth);
  if (!in_loop) return;
  stored_[result.node->id()] = {
      .binding = binding, .buffer = buffer, .address = address, .loop = request.loop};
}

void BodyEmitter::store_scratch(const RowScratch& scratch) {
  const Type& type = scratch.value->type();
  const std::optional<IndexMap> map = draft_.domain().aligned_map(type.shape, Level::full);
  if (!map) return;  // Read elsewhere only.
  const int loop = 2 * scratch.depth + 1;
  const ir::Domain& domain = draft_.domain();
  AffineExpr address = linearize(*map, type.shape, domain.extents);
  if (!varies_in_loop(address)) return;
  const int value = emit({.node = scratch.value, .map = *map, .loop = loop});
  ArgBinding binding{.kind = ArgBinding::Kind::result, .index = scratch.place, .offset = 0};
  BufferArg buffer = written_buffer(binding, type.dtype);
  if (scratch.own_elements > 0) {
    binding.kind = ArgBinding::Kind::own;
    buffer = {
        .dtype = compute_dtype(type.dtype), .written = true, .own_elements = scratch.own_elements};
    address = ir::row_major_position(domain.extents, domain.reduced);
  }
  store(value, binding, buffer, address, loop);
  stored_[scratch.value->id()] = {
      .binding = binding, .buffer = buffer, .address = address, .loop = loop};
}

bool BodyEmitter::is_stored(const Request& request) const {
  const auto stored = stored_.find(request.node->id());
  return stored != stored_.end() && request.predicate < 0 && request.loop > stored->second.loop &&
         request.map == draft_.domain().aligned_map(request.node->type().shape, Level::full);
}

int BodyEmitter::read_back(const Request& request) {
  const Type& type = request.node->type();
  const Stored& stored = stored_.at(request.node->id());
  DraftInstr draft;
  draft.instr.kind = InstrKind::load;
  draft.instr.dtype = stored.buffer.dtype;
  draft.instr.buffer = draft_.add_buffer(stored.binding, stored.buffer);
  draft.address = stored.address;
  const int value = draft_.append(phase_of(request), std::move(draft));
  return cast(request, value, compute_dtype(type.dtype));
}

void BodyEmitter::store_partials(const PartialPlaces& places) {
  const ir::Domain& domain = draft_.domain();
  for (const ir::Node* reduction : body_.reductions) {
    const Type& type = reduction->type();
    const auto map = domain.aligned_map(type.shape, Level::row);
    check(map.has_value(), "a reduction has the rows of its kernel");
    const int value = emit({.node = reduction, .map = *map});
    AffineExpr address = linearize(*map, type.shape, domain.extents);
    address.coefs.push_back(domain.numel(Level::row));
    const ArgBinding binding = workspace_at(places.at(reduction));
    const DType dtype = compute_dtype(type.dtype);
    store(value, binding, written_buffer(binding, dtype), std::move(address), 2);
  }
}

void BodyEmitter::finish_stores() {
  for (PendingStore& pending : stores_)
    draft_.append(pending.phase, std::move(pending.instr));
  stores_.clear();
}

bool BodyEmitter::may_alias(const ArgBinding& binding) const {
  const std::vector<int64_t>& in_place = fusion_.attributes().integers("in_place");
  if (binding.kind == ArgBinding::Kind::operand) {
    return std::ranges::find(in_place, binding.index) != in_place.end();
  }
  return binding.kind == ArgBinding::Kind::result && !in_place.empty() &&
         in_place[static_cast<size_t>(binding.index)] >= 0;
}

BufferArg BodyEmitter::written_buffer(const ArgBinding& binding, DType dtype) const {
  return {.dtype = dtype, .written = true, .no_alias = !may_alias(binding)};
}

void BodyEmitter::store(
    int value, const ArgBinding& binding, const BufferArg& buffer, AffineExpr address, int phase) {
  value = cast_in(phase, value, buffer.dtype);
  DraftInstr instr;
  instr.instr.kind = InstrKind::store;
  instr.instr.dtype = buffer.dtype;
  instr.instr.operands = {value};
  instr.instr.buffer = draft_.add_buffer(binding, buffer);
  instr.address = std::move(address);
  stores_.push_back({.phase = phase, .instr = std::move(instr)});
}

bool BodyEmitter::varies_in_loop(const AffineExpr& expr) const {
  const ir::Domain& domain = draft_.domain();
  for (size_t d = 0; d < domain.extents.size(); ++d) {
    if (domain.reduced[d] && expr.coefs[d] != 0) return true;
  }
  return false;
}

int BodyEmitter::phase_of(const Request& request) const {
  const bool loop_predicate = request.predicate >= 0 && draft_.phase_of(request.predicate) % 2 == 1;
  const auto varies = [&](const AffineExpr& expr) { return varies_in_loop(expr); };
  if (loop_predicate || std::ranges::any_of(request.map, varies)) return request.loop;
  const int straight = 2 * body_.depth_of(*request.node);
  return request.predicate < 0 ? straight : std::max(straight, draft_.phase_of(request.predicate));
}

std::vector<int64_t> BodyEmitter::key_of(const Request& request) const {
  std::vector<int64_t> key{request.node->id(), request.predicate, phase_of(request)};
  for (const AffineExpr& expr : request.map) {
    key.push_back(expr.offset);
    key.insert(key.end(), expr.coefs.begin(), expr.coefs.end());
  }
  return key;
}

int BodyEmitter::emit(Request root) {
  std::vector<Request> stack{root};
  while (!stack.empty()) {
    const Request request = stack.back();
    std::vector<int64_t> key = key_of(request);
    if (values_.contains(key)) {
      stack.pop_back();
      continue;
    }
    std::vector<int> values;
    std::vector<Request> missing;
    for (Request& dependency : dependencies(request)) {
      const auto known = values_.find(key_of(dependency));
      if (known == values_.end()) {
        missing.push_back(std::move(dependency));
      } else {
        values.push_back(known->second);
      }
    }
    if (missing.empty()) {
      values_.emplace(std::move(key), build(request, values));
      stack.pop_back();
    } else {
      // In reverse, so that operands are computed in the order they are written.
      std::ranges::move(std::views::reverse(missing), std::back_inserter(stack));
    }
  }
  return values_.at(key_of(root));
}

std::vector<BodyEmitter::Request> BodyEmitter::dependencies(const Request& request) {
  const ir::Node& node = *request.node;
  std::vector<Request> out;
  if (is_stored(request)) return out;
  if (has(node.op(), ir::kReduction)) {
    if (!partials_.empty() || draft_.domain().numel(Level::full) == 0) return out;
    const auto map = draft_.domain().aligned_map(node.operand(0).type().shape, Level::full);
    check(map.has_value(), "a reduction reduces the positions of its kernel");
    out.push_back(
        {.node = node.operand(0).node, .map = *map, .loop = 2 * body_.depth_of(node) - 1});
    return out;
  }
  const bool interior =
      node.op() == OpKind::pad && !operand_map(node, 0, request.map, draft_.domain().extents);
  for (int i = 0; i < node.num_operands(); ++i) {
    if (i == 0 && (node.op() == OpKind::gather || interior)) {
      // Read at positions that are data: loaded by build. Other than memory only a constant, the
      // same everywhere, is read so.
      if (reshaped_source(node.operand(0)).op() != OpKind::parameter) {
        out.push_back(anywhere(node.operand(0)));
      }
      continue;
    }
    const ir::Value operand = node.operand(i);
    Request next{operand.node, {}, request.predicate, request.loop};
    // Loaded by its row-major number, whatever the shapes.
    if (node.op() == OpKind::reshape && reshaped_source(operand).op() == OpKind::parameter) break;
    auto map = operand_map(node, i, request.map, draft_.domain().extents);
    check(map.has_value(), "a fused op reads its operands at affine positions");
    next.map = std::move(*map);
    if (node.op() == OpKind::concat) next.predicate = concat_predicate(request, i);
    if (node.op() == OpKind::pad && i == 0) next.predicate = pad_predicate(request);
    out.push_back(std::move(next));
  }
  return out;
}

BodyEmitter::Request BodyEmitter::anywhere(const ir::Value& constant) const {
  const ir::Node& node = *constant.node;
  const ir::Node& source = node.op() == OpKind::broadcast ? *node.operand(0).node : node;
  check(source.op() == OpKind::constant, "data read at computed positions comes from memory");
  AffineExpr zero;
  zero.coefs.assign(draft_.domain().extents.size(), 0);
  return {.node = &node, .map = IndexMap(static_cast<size_t>(node.type().shape.ndim()), zero)};
}

int BodyEmitter::build(const Request& request, const std::vector<int>& values) {
  const ir::Node& node = *request.node;
  if (is_stored(request)) return read_back(request);
  if (has(node.op(), ir::kElementwise)) return build_elementwise(request, values);
  if (has(node.op(), ir::kReduction)) return build_reduction(request, values);
  switch (node.op()) {
    case OpKind::parameter:
      return build_parameter(request);
    case OpKind::constant:
      return build_constant(request);
    case OpKind::iota:
      return build_iota(request);
    case OpKind::random_bits:
      return build_random(request, values);
    case OpKind::reshape:
      if (!values.empty()) return values[0];
      return load(request,
                  node.operand(0),
                  linearize(request.map, node.type().shape, draft_.domain().extents));
    case OpKind::broadcast:
    case OpKind::permute:
    case OpKind::slice:
      return values[0];
    case OpKind::concat:
      return build_concat(request, values);
    case OpKind::pad:
      return build_pad(request, values);
    case OpKind::gather:
      return build_gather(request, values);
    default:
      check(false, "a fusion holds only ops that kernels can compute");
      return -1;
  }
}

int BodyEmitter::build_parameter(const Request& request) {
  const ir::Value value{const_cast<ir::Node*>(request.node), 0};
  return load(request, value, linearize(request.map, value.type().shape, draft_.domain().extents));
}

int BodyEmitter::build_constant(const Request& request) {
  const Literal& literal = request.node->attributes().literal("value");
  const DType dtype = compute_dtype(literal.type().dtype);
  DraftInstr draft;
  draft.instr.kind = InstrKind::constant;
  draft.instr.dtype = dtype;
  draft.instr.value = is_float(dtype) ? Literal::scalar(dtype, literal.as_double(0))
                                      : Literal::scalar_integer(dtype, literal.as_integer(0));
  return draft_.append(0, std::move(draft));
}

int BodyEmitter::build_elementwise(const Request& request, const std::vector<int>& values) {
  const ir::Node& node = *request.node;
  const DType dtype = node.type().dtype;
  if (node.op() == OpKind::bitcast) {
    const int source = cast(request, values[0], node.operand(0).type().dtype);
    const int bits = convert(phase_of(request), InstrKind::bitcast, source, dtype);
    return cast(request, bits, compute_dtype(dtype));
  }
  if (node.op() != OpKind::cast) {
    return compute(request, node.op(), compute_dtype(dtype), values);
  }
  const DType from = node.operand(0).type().dtype;
  if (from == dtype) return values[0];
  // Narrowing to a half type rounds, then computes on in f32.
  const bool exact = dtype == DType::f32 && compute_dtype(from) == DType::f32;
  return cast(request, exact ? values[0] : cast(request, values[0], dtype), compute_dtype(dtype));
}

int BodyEmitter::build_reduction(const Request& request, const std::vector<int>& values) {
  const ir::Node& node = *request.node;
  const ir::Domain& domain = draft_.domain();
  const auto row = domain.aligned_map(node.type().shape, Level::row);
  check(row.has_value() && *row == request.map, "a reduction is read at its own row");
  const Request inside{.node = &node, .map = {}, .loop = 2 * body_.depth_of(node) - 1};
  DraftInstr draft;
  draft.instr.kind = InstrKind::accumulate;
  draft.instr.op = node.op();
  draft.instr.dtype = compute_dtype(node.type().dtype);
  if (draft_.domain().numel(Level::full) == 0) {
    // The loop makes no round; there is nothing that its operand could be read from.
    DraftInstr zero;
    zero.instr.kind = InstrKind::constant;
    zero.instr.dtype = compute_dtype(node.operand(0).type().dtype);
    zero.instr.value = Literal::scalar(zero.instr.dtype, 0);
    draft.instr.operands = {draft_.append(inside.loop, std::move(zero))};
  } else if (partials_.empty()) {
    draft.instr.operands = {values[0]};
    if (node.op() == OpKind::argmax) {
      DraftInstr position;
      position.instr.kind = InstrKind::index;
      position.instr.dtype = DType::i64;
      position.address = ir::row_major_position(domain.extents, domain.reduced);
      draft.instr.operands.push_back(draft_.append(inside.loop, std::move(position)));
    }
  } else {
    DraftInstr partial;
    partial.instr.kind = InstrKind::load;
    partial.instr.dtype = draft.instr.dtype;
    partial.instr.buffer =
        draft_.add_buffer(workspace_at(partials_.at(&node)), {.dtype = draft.instr.dtype});
    const std::vector<bool> all(domain.extents.size(), true);
    partial.address = ir::row_major_position(domain.extents, all);
    draft.instr.operands = {draft_.append(inside.loop, std::move(partial))};
  }
  return draft_.append(inside.loop, std::move(draft));
}

int BodyEmitter::load(const Request& request,
                      const ir::Value& source,
                      const AffineExpr& linear,
                      int dynamic_index,
                      int64_t dynamic_stride) {
  const ir::Node& node = reshaped_source(source);
  check(node.op() == OpKind::parameter, "data read at computed positions comes from memory");
  const int operand = parameter_number_[static_cast<size_t>(node.id())];
  const ArgBinding binding{.kind = ArgBinding::Kind::operand, .index = operand, .offset = 0};
  DraftInstr draft;
  draft.instr.kind = InstrKind::load;
  draft.instr.dtype = node.type().dtype;
  draft.instr.buffer =
      draft_.add_buffer(binding, {.dtype = node.type().dtype, .no_alias = !may_alias(binding)});
  draft.instr.dynamic_index = dynamic_index;
  draft.instr.predicate = request.predicate;
  draft.address = linear;
  draft.dynamic_stride = dynamic_stride;
  const int value = draft_.append(phase_of(request), std::move(draft));
  return cast(request, value, compute_dtype(node.type().dtype));
}

int BodyEmitter::index(const Request& request, const AffineExpr& expr) {
  DraftInstr draft;
  draft.instr.kind = InstrKind::index;
  draft.instr.dtype = DType::i64;
  draft.address = expr;
  return draft_.append(phase_of(request), std::move(draft));
}

int BodyEmitter::number(const Request& request, int64_t value) {
  AffineExpr expr;
  expr.offset = value;
  expr.coefs.assign(draft_.domain().extents.size(), 0);
  expr.free_offset = true;
  return index(request, expr);
}

int BodyEmitter::compute(const Request& request,
                         OpKind op,
                         DType dtype,
                         std::vector<int> operands) {
  DraftInstr draft;
  draft.instr.kind = InstrKind::compute;
  draft.instr.op = op;
  draft.instr.dtype = dtype;
  draft.instr.operands = std::move(operands);
  return draft_.append(phase_of(request), std::move(draft));
}

/// The value, or what it was widened from: a number of a half type that goes back to it unchanged
/// is not rounded again.
int BodyEmitter::without_widening(int value, DType dtype) const {
  const Instr& made = draft_.instr(value).instr;
  if (!is_half(dtype) || made.kind != InstrKind::cast || made.dtype != DType::f32) return value;
  const int source = made.operands[0];
  return draft_.instr(source).instr.dtype == dtype ? source : value;
}

int BodyEmitter::cast(const Request& request, int value, DType dtype) {
  return cast_in(phase_of(request), value, dtype);
}

int BodyEmitter::cast_in(int phase, int value, DType dtype) {
  value = without_widening(value, dtype);
  if (draft_.instr(value).instr.dtype == dtype) return value;
  return convert(phase, InstrKind::cast, value, dtype);
}

int BodyEmitter::convert(int phase, InstrKind kind, int value, DType dtype) {
  DraftInstr draft;
  draft.instr.kind = kind;
  draft.instr.dtype = dtype;
  draft.instr.operands = {value};
  return draft_.append(phase, std::move(draft));
}

int BodyEmitter::constant(int64_t value) {
  DraftInstr draft;
  draft.instr.kind = InstrKind::constant;
  draft.instr.dtype = DType::i64;
  draft.instr.value = Literal::scalar_integer(DType::i64, value);
  return draft_.append(0, std::move(draft));
}

int BodyEmitter::both(const Request& request, int a, int b) {
  if (a < 0) return b;
  if (b < 0) return a;
  return compute(request, OpKind::bit_and, DType::bool_, {a, b});
}

}  // namespace wick::codegen
