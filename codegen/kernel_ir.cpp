#include "wick/codegen/kernel_ir.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "wick/ir/printer.h"

namespace wick::codegen {

namespace {

std::string address_text(const Kernel& kernel, const Affine& address) {
  std::string out;
  const auto plus = [&](const std::string& term) {
    if (!out.empty()) out += " + ";
    out += term;
  };
  for (size_t d = 0; d < address.terms.size(); ++d) {
    const Affine::Term& term = address.terms[d];
    if (term.stride == Stride::one) plus(fmt::format("d{}", d));
    if (term.stride == Stride::dynamic) {
      plus(fmt::format(
          "d{}*p{}{}", d, term.param, term.known == 0 ? "" : fmt::format("={}", term.known)));
    }
    if (term.stride == Stride::column) plus(fmt::format("d{}%{}", d, row_length_text(kernel)));
    const bool is_transposed = term.stride == Stride::transposed;
    if (term.stride == Stride::row || is_transposed) {
      plus(fmt::format("d{}/{}{}",
                       d,
                       row_length_text(kernel),
                       term.row_param < 0 ? "" : fmt::format("*p{}", term.row_param)));
    }
    if (is_transposed) plus(fmt::format("d{}%{}*p{}", d, row_length_text(kernel), term.param));
    if (term.stride == Stride::block) plus(blocks_text(kernel, term, fmt::format("d{}", d)));
  }
  if (address.offset_param >= 0) plus(fmt::format("p{}", address.offset_param));
  if (address.known_offset != 0) plus(fmt::format("{}", address.known_offset));
  return out.empty() ? "0" : out;
}

std::string operands_text(const Instr& instr) {
  std::string out;
  for (const int operand : instr.operands)
    out += fmt::format(" %{}", operand);
  return out;
}

std::string place_text(const Kernel& kernel, const Instr& instr) {
  std::string out = fmt::format("b{}[{}", instr.buffer, address_text(kernel, instr.address));
  if (instr.dynamic_index >= 0) {
    out += fmt::format(" + %{}*p{}", instr.dynamic_index, instr.dynamic_stride_param);
  }
  return out + "]";
}

std::string instr_text(const Kernel& kernel, int number) {
  const Instr& instr = kernel.instrs[static_cast<size_t>(number)];
  const std::string_view dtype = wick::to_string(instr.dtype);
  const std::string operands = operands_text(instr);
  std::string out = instr.kind == InstrKind::store ? "" : fmt::format("%{} = ", number);
  auto end = std::back_inserter(out);
  switch (instr.kind) {
    case InstrKind::constant:
      fmt::format_to(end, "constant {} {}", dtype, ir::to_string(ir::AttributeValue(instr.value)));
      break;
    case InstrKind::load:
      fmt::format_to(end, "load {} {}", dtype, place_text(kernel, instr));
      break;
    case InstrKind::index:
      fmt::format_to(end, "index {} [{}]", dtype, address_text(kernel, instr.address));
      break;
    case InstrKind::compute:
      fmt::format_to(end, "{} {}{}", ir::to_string(instr.op), dtype, operands);
      break;
    case InstrKind::cast:
      fmt::format_to(end, "cast {}{}", dtype, operands);
      break;
    case InstrKind::bitcast:
      fmt::format_to(end, "bitcast {}{}", dtype, operands);
      break;
    case InstrKind::random_bits:
      fmt::format_to(end, "random_bits {}{}", dtype, operands);
      break;
    case InstrKind::accumulate:
      fmt::format_to(end, "accumulate {} {}{}", ir::to_string(instr.op), dtype, operands);
      break;
    case InstrKind::store:
      fmt::format_to(end, "store {} {}{}", dtype, place_text(kernel, instr), operands);
      break;
  }
  if (instr.predicate >= 0) fmt::format_to(end, " if %{}", instr.predicate);
  return out;
}

std::string vector_text(const Kernel& kernel) {
  std::string out = kernel.lane_guarded ? " lane-guarded" : "";
  out += kernel.short_vector ? " short vector" : " vector";
  if (kernel.short_extent > 0) out += fmt::format(" of {}", kernel.short_extent);
  const int64_t most = kernel.column_vectors * kShortVector;
  if (most > 0) out += fmt::format(" of {} to {}", most - kShortVector + 1, most);
  return out;
}

std::string dims_text(const Kernel& kernel, bool inner) {
  std::string out;
  for (size_t d = 0; d < kernel.dims.size(); ++d) {
    if (kernel.dims[d].inner != inner) continue;
    fmt::format_to(std::back_inserter(out),
                   "{}d{}<p{}{}",
                   out.empty() ? "" : ", ",
                   d,
                   kernel.dims[d].extent_param,
                   static_cast<int>(d) == kernel.vector_dim ? vector_text(kernel) : "");
  }
  return out;
}

std::string header_text(const Kernel& kernel, bool with_name) {
  std::string out = with_name ? fmt::format("kernel @{}(", kernel.name) : "kernel(";
  auto end = std::back_inserter(out);
  for (size_t b = 0; b < kernel.buffers.size(); ++b) {
    const BufferArg& buffer = kernel.buffers[b];
    fmt::format_to(end, "{}b{}: {} ", b == 0 ? "" : ", ", b, wick::to_string(buffer.dtype));
    if (buffer.own_elements > 0) {
      fmt::format_to(end, "own {}", buffer.own_elements);
      continue;
    }
    fmt::format_to(end, "{}{}", buffer.written ? "out" : "in", buffer.no_alias ? "" : " aliased");
  }
  fmt::format_to(end, ") params({})", kernel.num_params);
  const std::string outer = dims_text(kernel, false);
  const std::string inner = dims_text(kernel, true);
  if (!outer.empty()) fmt::format_to(end, " outer({})", outer);
  if (kernel.has_short_rows()) fmt::format_to(end, " short");
  if (kernel.longest_row > kShortRow) fmt::format_to(end, "({})", kernel.longest_row);
  if (!inner.empty()) fmt::format_to(end, " inner({})", inner);
  if (kernel.row_bound > 0) fmt::format_to(end, " up to {}", kernel.row_bound);
  if (kernel.blocking) {
    const Blocking& blocking = *kernel.blocking;
    fmt::format_to(
        end, " blocked(d{} by d{}*p{})", blocking.inner, blocking.outer, blocking.size_param);
  }
  return out;
}

/// Checks one rule after another and keeps the first that is broken.
class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : kernel_(kernel) {}

  std::optional<std::string> run() {
    check_dims();
    visible_.assign(kernel_.instrs.size(), false);
    for (size_t p = 0; p < kernel_.phases.size(); ++p)
      check_phase(kernel_.phases[p]);
    return error_;
  }

 private:
  void require(bool condition, const std::string& text) {
    if (!condition && !error_) error_ = text;
  }

  [[nodiscard]] bool is_param(int param) const { return param >= 0 && param < kernel_.num_params; }

  void check_dims() {
    const int num_dims = static_cast<int>(kernel_.dims.size());
    require(num_dims > 0, "a kernel has a dimension");
    require(kernel_.vector_dim >= 0 && kernel_.vector_dim < num_dims, "vector dimension exists");
    if (error_) return;
    for (int d = 0; d < num_dims; ++d) {
      const bool inner = kernel_.dims[static_cast<size_t>(d)].inner;
      require(is_param(kernel_.dims[static_cast<size_t>(d)].extent_param),
              fmt::format("d{}: its extent is a parameter", d));
      if (d + 1 < num_dims) {
        const bool next_inner = kernel_.dims[static_cast<size_t>(d + 1)].inner;
        require(!inner || next_inner, fmt::format("d{}: outer dimensions come first", d + 1));
        require(d != kernel_.vector_dim || (!inner && next_inner),
                fmt::format("d{}: the vector dimension is the last inner or last outer one", d));
      }
    }
    require(kernel_.short_vector || kernel_.short_extent == 0,
            "only short vector dimensions are compiled for their extent");
    if (kernel_.row_bound > 0) {
      const auto num_inner = std::ranges::count(kernel_.dims, true, &Dim::inner);
      const bool are_in_order = num_inner == 1 && kernel_.vector_is_inner() && !kernel_.blocking;
      require(are_in_order || (num_inner == 0 && !kernel_.has_flat_rows()),
              "bound rows are the one inner dimension, or the last one of elementwise kernels");
      require(kernel_.row_bound % kRowStep == 0, "rows are bound in steps");
    }
    if (!kernel_.blocking) return;
    const Blocking& blocking = *kernel_.blocking;
    require(blocking.outer >= 0 && blocking.outer < num_dims && blocking.inner >= 0 &&
                blocking.inner < num_dims,
            "blocked dimensions exist");
    if (error_) return;
    require(!kernel_.dims[static_cast<size_t>(blocking.outer)].inner &&
                blocking.outer != kernel_.vector_dim,
            "blocks are walked by a task dimension");
    require(kernel_.dims[static_cast<size_t>(blocking.inner)].inner,
            "the blocked dimension is an inner one");
    require(is_param(blocking.size_param), "the block size is a parameter");
  }

  void check_phase(const Phase& phase) {
    std::vector<int> accumulators;
    for (const int number : phase.instrs) {
      if (error_) return;
      if (number < 0 || number >= static_cast<int>(kernel_.instrs.size())) {
        require(false, fmt::format("%{}: a phase lists existing instructions", number));
        return;
      }
      const Instr& instr = kernel_.instrs[static_cast<size_t>(number)];
      check_instr(phase, number, instr);
      if (instr.kind == InstrKind::accumulate) {
        accumulators.push_back(number);
      } else {
        visible_[static_cast<size_t>(number)] = true;
      }
    }
    for (const int number : accumulators)
      visible_[static_cast<size_t>(number)] = true;
  }

  void check_use(int number, int used) {
    require(used >= 0 && used < static_cast<int>(kernel_.instrs.size()) &&
                visible_[static_cast<size_t>(used)],
            fmt::format("%{}: %{} is not computed before it", number, used));
  }

  void check_address(const Phase& phase, int number, const Affine& address) {
    require(address.terms.size() == kernel_.dims.size(),
            fmt::format("%{}: an address has a term for each dimension", number));
    if (error_) return;
    const int buffer = kernel_.instrs[static_cast<size_t>(number)].buffer;
    const bool is_own =
        buffer >= 0 && kernel_.buffers[static_cast<size_t>(buffer)].own_elements > 0;
    const Instr& instr = kernel_.instrs[static_cast<size_t>(number)];
    const bool is_index = kernel_.row_length > 0 && instr.kind == InstrKind::index;
    const bool may_be_guarded = instr.predicate < 0 || kernel_.row_length > 0;
    const bool is_plain_load = kernel_.has_flat_rows() && instr.kind == InstrKind::load &&
                               may_be_guarded && instr.dynamic_index < 0;
    for (size_t d = 0; d < address.terms.size(); ++d) {
      const Affine::Term& term = address.terms[d];
      const bool is_of_rows = term.stride == Stride::column || term.stride == Stride::row ||
                              term.stride == Stride::transposed || term.stride == Stride::block;
      const bool is_of_vector = static_cast<int>(d) == kernel_.vector_dim;
      const bool is_plain_store = kernel_.row_length > 0 && instr.kind == InstrKind::store &&
                                  instr.predicate < 0 && instr.dynamic_index < 0 &&
                                  term.stride == Stride::block;
      require(!is_of_rows || ((is_plain_load || is_plain_store || is_index) && is_of_vector),
              fmt::format("%{}: what has rows is a plain access or an index along the vector "
                          "dimension",
                          number));
      require(term.stride != Stride::block || kernel_.row_length > 0 || term.row_step == 0,
              fmt::format("%{}: what repeats in rows does not move from row to row", number));
      const bool has_param = term.stride == Stride::dynamic || term.stride == Stride::transposed;
      require(!has_param || is_param(term.param),
              fmt::format("%{}: a dynamic stride is a parameter", number));
      require(term.row_param == -1 || is_param(term.row_param),
              fmt::format("%{}: a stride of rows is a parameter", number));
      require(phase.loop || !kernel_.dims[d].inner || term.stride == Stride::zero,
              fmt::format("%{}: straight code does not move along inner dimensions", number));
      require(!is_own || kernel_.dims[d].inner || term.stride == Stride::zero,
              fmt::format("%{}: a kernel's own memory moves along inner dimensions alone", number));
    }
    require(address.offset_param == -1 || is_param(address.offset_param),
            fmt::format("%{}: an offset is a parameter", number));
  }

  void check_instr(const Phase& phase, int number, const Instr& instr) {
    for (const int operand : instr.operands)
      check_use(number, operand);
    if (instr.predicate >= 0) check_use(number, instr.predicate);
    if (instr.dynamic_index >= 0) {
      check_use(number, instr.dynamic_index);
      require(is_param(instr.dynamic_stride_param),
              fmt::format("%{}: the stride of a dynamic index is a parameter", number));
    }
    const bool touches_memory = instr.kind == InstrKind::load || instr.kind == InstrKind::store;
    if (touches_memory) {
      require(instr.buffer >= 0 && instr.buffer < static_cast<int>(kernel_.buffers.size()) &&
                  kernel_.buffers[static_cast<size_t>(instr.buffer)].dtype == instr.dtype,
              fmt::format("%{}: its buffer exists and has its dtype", number));
      if (error_) return;
    }
    if (touches_memory || instr.kind == InstrKind::index) {
      check_address(phase, number, instr.address);
    }
    if (instr.kind == InstrKind::store && !error_) {
      require(kernel_.buffers[static_cast<size_t>(instr.buffer)].written,
              fmt::format("%{}: a stored buffer is written", number));
    }
    require(instr.kind != InstrKind::accumulate || phase.loop,
            fmt::format("%{}: accumulates outside a loop", number));
  }

  const Kernel& kernel_;
  std::vector<bool> visible_;
  std::optional<std::string> error_;
};

}  // namespace

bool has_address(const Instr& instr) {
  return instr.kind == InstrKind::load || instr.kind == InstrKind::store ||
         instr.kind == InstrKind::index;
}

bool is_costly(const Instr& instr) {
  return instr.kind == InstrKind::compute && ir::has(instr.op, ir::kCostly);
}

bool Kernel::has_flat_columns() const {
  return row_length > 0 && std::ranges::any_of(dims, &Dim::inner);
}

int Kernel::num_task_dims() const {
  const auto is_task = [](const Dim& dim) { return !dim.inner; };
  const auto outer = static_cast<int>(std::ranges::count_if(dims, is_task));
  return vector_is_inner() ? outer : outer - 1;
}

std::string row_length_text(const Kernel& kernel) {
  return kernel.row_length > 0 ? fmt::format("{}", kernel.row_length)
                               : fmt::format("p{}", kernel.row_length_param);
}

int64_t place_in_rows(int64_t row_length, const Affine::Term& term, int64_t position) {
  if (term.stride == Stride::column) return position % row_length;
  if (term.stride == Stride::row) return position / row_length;
  int64_t place = position / row_length * term.row_step;
  for (const BlockAxis& axis : term.axes) {
    place += position % axis.extent * axis.stride;
    position /= axis.extent;
  }
  return place;
}

std::string blocks_text(const Kernel& kernel,
                        const Affine::Term& term,
                        const std::string& position) {
  std::string text;
  const auto plus = [&](int64_t below, int64_t extent, int64_t stride) {
    if (stride == 0 || extent == 1) return;
    if (!text.empty()) text += " + ";
    text += position;
    if (below > 1) text += fmt::format("/{}", below);
    if (extent > 1) text += fmt::format("%{}", extent);
    if (stride != 1) text += fmt::format("*{}", stride);
  };
  plus(kernel.row_length, 0, term.row_step);
  int64_t below = 1;
  for (const BlockAxis& axis : term.axes) {
    plus(below, axis.extent, axis.stride);
    below *= axis.extent;
  }
  return text.empty() ? "0" : text;
}

std::string to_string(const Kernel& kernel, bool with_name) {
  std::string out = header_text(kernel, with_name) + " {\n";
  for (const Phase& phase : kernel.phases) {
    if (phase.loop) out += "  loop {\n";
    for (const int number : phase.instrs) {
      out += fmt::format("  {}{}\n", phase.loop ? "  " : "", instr_text(kernel, number));
    }
    if (phase.loop) out += "  }\n";
  }
  return out + "}\n";
}

Hash128 identity(const Kernel& kernel) {
  return hash_bytes(to_string(kernel, false));
}

ir::OpKind combining_op(ir::OpKind reduction, DType dtype) {
  using ir::OpKind;
  switch (reduction) {
    case OpKind::reduce_prod:
      return OpKind::mul;
    case OpKind::reduce_max:
      return dtype == DType::bool_ ? OpKind::bit_or : OpKind::maximum;
    case OpKind::reduce_min:
      return dtype == DType::bool_ ? OpKind::bit_and : OpKind::minimum;
    default:
      return OpKind::add;
  }
}

std::optional<std::string> verify(const Kernel& kernel) {
  return Verifier(kernel).run();
}

}  // namespace wick::codegen
