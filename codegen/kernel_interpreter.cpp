// Reference semantics of kernel IR: one position at a time, every instruction through the graph
// interpreter's rules for scalars.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "wick/codegen/kernel_ir.h"
#include "wick/ir/check.h"
#include "wick/ir/interpreter.h"

namespace wick::codegen {

namespace {

using ir::OpKind;

/// State of one reduction: its value so far, and for argmax the winner's position.
struct Accumulator {
  Literal value;
  double sum = 0;  // float sums and products keep more digits than their dtype
  int64_t position = -1;
};

Literal scalar_op(OpKind op, const std::vector<const Literal*>& operands, DType dtype) {
  ir::Attributes attributes;
  if (op == OpKind::cast || op == OpKind::bitcast) attributes.set("dtype", dtype);
  return ir::interpret_op(op, attributes, operands, Type{dtype, {}});
}

/// The first NaN wins, then the first largest.
bool beats(const Literal& candidate, const Literal& best) {
  if (!is_float(candidate.type().dtype)) return candidate.as_integer(0) > best.as_integer(0);
  const double a = candidate.as_double(0);
  const double b = best.as_double(0);
  if (std::isnan(b)) return false;
  return std::isnan(a) || a > b;
}

int64_t position_at(const Kernel& kernel,
                    const Affine& address,
                    const std::vector<int64_t>& positions,
                    const int64_t* params) {
  int64_t sum = address.known_offset;
  if (address.offset_param >= 0) sum += params[address.offset_param];
  const int64_t row_length =
      kernel.row_length_param < 0 ? kernel.row_length : params[kernel.row_length_param];
  for (size_t d = 0; d < positions.size(); ++d) {
    const Affine::Term& term = address.terms[d];
    if (term.stride == Stride::one) sum += positions[d];
    if (term.stride == Stride::dynamic) sum += positions[d] * params[term.param];
    if (term.stride == Stride::transposed) {
      const int64_t row_step = term.row_param < 0 ? 1 : params[term.row_param];
      sum += positions[d] / row_length * row_step + positions[d] % row_length * params[term.param];
    }
    const bool is_in_rows =
        term.stride == Stride::column || term.stride == Stride::row || term.stride == Stride::block;
    if (is_in_rows) sum += place_in_rows(row_length, term, positions[d]);
  }
  return sum;
}

class Interpreter {
 public:
  Interpreter(const Kernel& kernel, void* const* buffers, const int64_t* params)
      : kernel_(kernel),
        buffers_(buffers, buffers + kernel.buffers.size()),
        params_(params),
        values_(kernel.instrs.size()),
        accumulators_(kernel.instrs.size()),
        positions_(kernel.dims.size(), 0) {
    for (size_t b = 0; b < buffers_.size(); ++b) {
      const BufferArg& buffer = kernel.buffers[b];
      if (buffer.own_elements == 0) continue;
      own_.emplace_back(static_cast<size_t>(buffer.own_elements) * size_of(buffer.dtype));
      buffers_[b] = own_.back().data();
    }
  }

  void run(int64_t task_begin, int64_t task_end, int64_t vector_begin, int64_t vector_end) {
    if (kernel_.vector_is_inner()) {
      vector_begin = 0;
      vector_end = 1;
    }
    for (int64_t task = task_begin; task < task_end; ++task) {
      set_task(task);
      for (int64_t v = vector_begin; v < vector_end; ++v) {
        if (!kernel_.vector_is_inner()) positions_[static_cast<size_t>(kernel_.vector_dim)] = v;
        for (const Phase& phase : kernel_.phases)
          run_phase(phase);
      }
    }
  }

 private:
  [[nodiscard]] int64_t extent(size_t dim) const { return params_[kernel_.dims[dim].extent_param]; }

  void set_task(int64_t task) {
    for (size_t d = kernel_.dims.size(); d-- > 0;) {
      if (kernel_.dims[d].inner || static_cast<int>(d) == kernel_.vector_dim) continue;
      positions_[d] = task % extent(d);
      task /= extent(d);
    }
  }

  [[nodiscard]] std::pair<int64_t, int64_t> range_of(size_t dim) const {
    if (!kernel_.blocking || kernel_.blocking->inner != static_cast<int>(dim)) {
      return {0, extent(dim)};
    }
    const int64_t size = params_[kernel_.blocking->size_param];
    const int64_t begin = positions_[static_cast<size_t>(kernel_.blocking->outer)] * size;
    return {begin, std::min(begin + size, extent(dim))};
  }

  void run_phase(const Phase& phase) {
    if (!phase.loop) {
      for (size_t d = 0; d < positions_.size(); ++d) {
        if (kernel_.dims[d].inner) positions_[d] = 0;
      }
      for (const int number : phase.instrs)
        run_instr(number);
      return;
    }
    for (const int number : phase.instrs) {
      accumulators_[static_cast<size_t>(number)] = Accumulator{};
    }
    if (start_loop()) {
      do {
        for (const int number : phase.instrs)
          run_instr(number);
      } while (advance());
    }
    for (const int number : phase.instrs) {
      if (kernel_.instrs[static_cast<size_t>(number)].kind == InstrKind::accumulate) {
        finish_accumulator(number);
      }
    }
  }

  /// False when an inner dimension has no position.
  bool start_loop() {
    for (size_t d = 0; d < positions_.size(); ++d) {
      if (!kernel_.dims[d].inner) continue;
      const auto [begin, end] = range_of(d);
      if (begin >= end) return false;
      positions_[d] = begin;
    }
    return true;
  }

  bool advance() {
    for (size_t d = positions_.size(); d-- > 0;) {
      if (!kernel_.dims[d].inner) continue;
      const auto [begin, end] = range_of(d);
      if (++positions_[d] < end) return true;
      positions_[d] = begin;
    }
    return false;
  }

  [[nodiscard]] const Literal& value(int number) const {
    return values_[static_cast<size_t>(number)];
  }

  [[nodiscard]] bool is_skipped(const Instr& instr) const {
    return instr.predicate >= 0 && value(instr.predicate).as_integer(0) == 0;
  }

  void run_instr(int number) {
    const Instr& instr = kernel_.instrs[static_cast<size_t>(number)];
    Literal& result = values_[static_cast<size_t>(number)];
    std::vector<const Literal*> operands;
    for (const int operand : instr.operands)
      operands.push_back(&value(operand));
    switch (instr.kind) {
      case InstrKind::constant:
        result = instr.value;
        break;
      case InstrKind::load:
        result = load(instr);
        break;
      case InstrKind::index:
        result = Literal::scalar_integer(DType::i64,
                                         position_at(kernel_, instr.address, positions_, params_));
        break;
      case InstrKind::compute:
        result = scalar_op(instr.op, operands, instr.dtype);
        break;
      case InstrKind::cast:
        result = scalar_op(OpKind::cast, operands, instr.dtype);
        break;
      case InstrKind::bitcast:
        result = scalar_op(OpKind::bitcast, operands, instr.dtype);
        break;
      case InstrKind::random_bits:
        result = random(operands);
        break;
      case InstrKind::accumulate:
        accumulate(number, operands);
        break;
      case InstrKind::store:
        store(instr, *operands[0]);
        break;
    }
  }

  [[nodiscard]] int64_t address_of(const Instr& instr) const {
    const int64_t at = position_at(kernel_, instr.address, positions_, params_);
    if (instr.dynamic_index < 0) return at;
    return at + value(instr.dynamic_index).as_integer(0) * params_[instr.dynamic_stride_param];
  }

  Literal load(const Instr& instr) {
    Literal result(Type{instr.dtype, {}});
    if (is_skipped(instr)) return result;
    const int64_t at = address_of(instr);
    const size_t size = size_of(instr.dtype);
    const auto* base = static_cast<const std::byte*>(buffers_[static_cast<size_t>(instr.buffer)]);
    std::memcpy(result.data(), base + at * static_cast<int64_t>(size), size);
    return result;
  }

  void store(const Instr& instr, const Literal& stored) {
    if (is_skipped(instr)) return;
    const int64_t at = address_of(instr);
    const size_t size = size_of(instr.dtype);
    auto* base = static_cast<std::byte*>(buffers_[static_cast<size_t>(instr.buffer)]);
    std::memcpy(base + at * static_cast<int64_t>(size), stored.data(), size);
  }

  static Literal random(const std::vector<const Literal*>& operands) {
    const auto key = static_cast<uint64_t>(operands[0]->as_integer(0));
    const int64_t element = operands[2]->as_integer(0);
    const int64_t counter = operands[1]->as_integer(0) + element / 64 * 16 + element % 16;
    const ir::PhiloxWords block = ir::philox(key, static_cast<uint64_t>(counter));
    const auto word = static_cast<int32_t>(block.words[element / 16 % 4]);
    return Literal::scalar_integer(DType::i32, word);
  }

  void accumulate(int number, const std::vector<const Literal*>& operands) {
    const Instr& instr = kernel_.instrs[static_cast<size_t>(number)];
    Accumulator& state = accumulators_[static_cast<size_t>(number)];
    const bool first = state.position < 0;
    if (instr.op == OpKind::argmax) {
      if (first || beats(*operands[0], state.value)) {
        state.value = *operands[0];
        state.position = operands[1]->as_integer(0);
      }
      return;
    }
    const double next = operands[0]->as_double(0);
    state.sum = first                             ? next
                : instr.op == OpKind::reduce_prod ? state.sum * next
                                                  : state.sum + next;
    state.value =
        first ? *operands[0]
              : scalar_op(
                    combining_op(instr.op, instr.dtype), {&state.value, operands[0]}, instr.dtype);
    state.position = 0;
  }

  void finish_accumulator(int number) {
    const Instr& instr = kernel_.instrs[static_cast<size_t>(number)];
    const Accumulator& state = accumulators_[static_cast<size_t>(number)];
    Literal& result = values_[static_cast<size_t>(number)];
    const bool keeps_sum = instr.op == OpKind::reduce_sum || instr.op == OpKind::reduce_prod;
    if (instr.op == OpKind::argmax) {
      result = Literal::scalar_integer(DType::i64, state.position);
    } else if (state.position < 0) {
      result = Literal::scalar(instr.dtype, instr.op == OpKind::reduce_prod ? 1 : 0);
    } else if (keeps_sum && is_float(instr.dtype)) {
      result = Literal::scalar(instr.dtype, state.sum);
    } else {
      result = state.value;
    }
  }

  const Kernel& kernel_;
  std::vector<void*> buffers_;
  std::vector<std::vector<std::byte>> own_;  // memory of the kernel's own
  const int64_t* params_;
  std::vector<Literal> values_;
  std::vector<Accumulator> accumulators_;
  std::vector<int64_t> positions_;
};

}  // namespace

void interpret(const Kernel& kernel,
               void* const* buffers,
               const int64_t* params,
               int64_t task_begin,
               int64_t task_end,
               int64_t vector_begin,
               int64_t vector_end) {
  Interpreter(kernel, buffers, params).run(task_begin, task_end, vector_begin, vector_end);
}

}  // namespace wick::codegen
