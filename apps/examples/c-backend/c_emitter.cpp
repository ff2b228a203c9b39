#include "c_emitter.h"

#include <sstream>

#include "c_expressions.h"
#include <fmt/format.h>

namespace c_backend {
namespace {

using wick::DType;
using wick::codegen::Affine;
using wick::codegen::Instr;
using wick::codegen::InstrKind;
using wick::codegen::Kernel;
using wick::codegen::Phase;
using wick::codegen::Stride;
using wick::ir::OpKind;

/// Variables: d0 positions, p0 parameters, b0 buffers, v0 values, and for a reduction a0 what it
/// has so far. For argmax v0 is the position of the best, best0.
class FunctionEmitter {
 public:
  explicit FunctionEmitter(const Kernel& kernel) : kernel_(kernel) {}

  std::string run(const std::string& symbol) {
    comment();
    line("void {}(void* const* buffers, const int64_t* params,", symbol);
    open("    int64_t task_begin, int64_t task_end, int64_t vector_begin, int64_t vector_end)");
    name_arguments();
    open("for (int64_t task = task_begin; task < task_end; ++task)");
    split_task();
    if (!kernel_.vector_is_inner()) {
      open(fmt::format("for (int64_t d{0} = vector_begin; d{0} < vector_end; ++d{0})",
                       kernel_.vector_dim));
    }
    for (const Phase& phase : kernel_.phases)
      emit(phase);
    while (depth_ > 0)
      close();
    return out_;
  }

 private:
  void comment() {
    std::istringstream text(to_string(kernel_));
    for (std::string each; std::getline(text, each);)
      out_ += "// " + each + "\n";
  }

  void name_arguments() {
    for (size_t b = 0; b < kernel_.buffers.size(); ++b) {
      const auto& buffer = kernel_.buffers[b];
      if (buffer.own_elements > 0) {
        line("{} b{}[{}];", c_type(buffer.dtype), b, buffer.own_elements);
        continue;
      }
      line("{}{}* {}b{} = buffers[{}];",
           buffer.written ? "" : "const ",
           c_type(buffer.dtype),
           buffer.no_alias ? "restrict " : "",
           b,
           b);
    }
    for (int p = 0; p < kernel_.num_params; ++p)
      line("const int64_t p{0} = params[{0}];", p);
  }

  /// The task's number to positions of the task dimensions, the last one running fastest.
  void split_task() {
    std::vector<size_t> dims;
    for (size_t d = 0; d < kernel_.dims.size(); ++d) {
      if (!kernel_.dims[d].inner && static_cast<int>(d) != kernel_.vector_dim) dims.push_back(d);
    }
    std::string rest = "task";
    for (size_t i = dims.size(); i-- > 0;) {
      const int extent = kernel_.dims[dims[i]].extent_param;
      if (i == 0) {
        line("const int64_t d{} = {};", dims[i], rest);
      } else {
        line("const int64_t d{} = {} % p{};", dims[i], rest, extent);
        rest += fmt::format(" / p{}", extent);
      }
    }
  }

  void emit(const Phase& phase) {
    if (!phase.loop) {
      for (const int number : phase.instrs)
        emit_instr(number);
      return;
    }
    for (const int number : phase.instrs)
      start_accumulator(number);
    const int depth = depth_;
    for (size_t d = 0; d < kernel_.dims.size(); ++d) {
      if (kernel_.dims[d].inner) open_inner_loop(static_cast<int>(d));
    }
    for (const int number : phase.instrs)
      emit_instr(number);
    while (depth_ > depth)
      close();
    for (const int number : phase.instrs)
      finish_accumulator(number);
  }

  void open_inner_loop(int d) {
    const std::string extent =
        fmt::format("p{}", kernel_.dims[static_cast<size_t>(d)].extent_param);
    if (!kernel_.blocking || kernel_.blocking->inner != d) {
      return open(fmt::format("for (int64_t d{0} = 0; d{0} < {1}; ++d{0})", d, extent));
    }
    // Only the block that an outer dimension has come to.
    const std::string size = fmt::format("p{}", kernel_.blocking->size_param);
    const std::string begin = fmt::format("d{} * {}", kernel_.blocking->outer, size);
    open(fmt::format("for (int64_t d{0} = {1}; d{0} < {1} + {2} && d{0} < {3}; ++d{0})",
                     d,
                     begin,
                     size,
                     extent));
  }

  void start_accumulator(int number) {
    const Instr& instr = instr_of(number);
    if (instr.kind != InstrKind::accumulate) return;
    if (instr.op == OpKind::argmax) {
      line("int64_t a{} = -1;", number);
      line("{} best{} = 0;", c_type(dtype_of(instr.operands[0])), number);
      return;
    }
    const Accumulation step = accumulation(number);
    line("{} a{} = {};", step.type, number, step.start);
  }

  void accumulate(int number) {
    const Instr& instr = instr_of(number);
    if (instr.op != OpKind::argmax) {
      line("a{} = {};", number, accumulation(number).next);
      return;
    }
    const std::string value = name(instr.operands[0]);
    const std::string best = fmt::format("best{}", number);
    open(fmt::format(
        "if (a{} < 0 || ({}))", number, c_beats(dtype_of(instr.operands[0]), value, best)));
    line("{} = {};", best, value);
    line("a{} = {};", number, name(instr.operands[1]));
    close();
  }

  void finish_accumulator(int number) {
    const Instr& instr = instr_of(number);
    if (instr.kind != InstrKind::accumulate) return;
    const std::string state = fmt::format("a{}", number);
    define(number, instr.op == OpKind::argmax ? state : accumulation(number).result);
  }

  [[nodiscard]] Accumulation accumulation(int number) const {
    const Instr& instr = instr_of(number);
    return c_accumulation(
        instr.op, instr.dtype, fmt::format("a{}", number), name(instr.operands[0]));
  }

  void emit_instr(int number) {
    const Instr& instr = instr_of(number);
    std::vector<std::string> operands;
    for (const int operand : instr.operands)
      operands.push_back(name(operand));
    switch (instr.kind) {
      case InstrKind::constant:
        return define(number, c_constant(instr.value));
      case InstrKind::load:
        return define(number, load(instr));
      case InstrKind::index:
        return define(number, text_of(instr.address));
      case InstrKind::compute:
        return define(number, c_compute(instr.op, dtype_of(instr.operands.back()), operands));
      case InstrKind::cast:
        return define(number, c_cast(operands[0], dtype_of(instr.operands[0]), instr.dtype));
      case InstrKind::bitcast:
        return bitcast(number, operands[0]);
      case InstrKind::random_bits:
        return define(
            number, fmt::format("random_word({}, {}, {})", operands[0], operands[1], operands[2]));
      case InstrKind::accumulate:
        return accumulate(number);
      case InstrKind::store:
        return line("{}{} = {};",
                    instr.predicate >= 0 ? fmt::format("if ({}) ", name(instr.predicate)) : "",
                    element(instr),
                    operands[0]);
    }
  }

  void bitcast(int number, const std::string& value) {
    line("{} v{};", c_type(dtype_of(number)), number);
    line("memcpy(&v{0}, &{1}, sizeof v{0});", number, value);
  }

  [[nodiscard]] std::string load(const Instr& instr) const {
    if (instr.predicate < 0) return element(instr);
    return fmt::format("{} ? {} : 0", name(instr.predicate), element(instr));
  }

  /// What a load or store touches.
  [[nodiscard]] std::string element(const Instr& instr) const {
    std::string at = text_of(instr.address);
    if (instr.dynamic_index >= 0) {
      at += fmt::format(" + {} * p{}", name(instr.dynamic_index), instr.dynamic_stride_param);
    }
    return fmt::format("b{}[{}]", instr.buffer, at);
  }

  [[nodiscard]] std::string text_of(const Affine& address) const {
    std::string text;
    const auto plus = [&](const std::string& term) { text += (text.empty() ? "" : " + ") + term; };
    for (size_t d = 0; d < address.terms.size(); ++d) {
      const Affine::Term& term = address.terms[d];
      if (term.stride == Stride::one) plus(fmt::format("d{}", d));
      if (term.stride == Stride::dynamic) plus(fmt::format("d{} * p{}", d, term.param));
      if (term.stride == Stride::column) plus(fmt::format("d{} % {}", d, row_length_text(kernel_)));
      const std::string length = row_length_text(kernel_);
      if (term.stride == Stride::row) plus(fmt::format("d{} / {}", d, length));
      if (term.stride == Stride::transposed)
        plus(fmt::format("d{} / {} + d{} % {} * p{}", d, length, d, length, term.param));
      if (term.stride == Stride::block) plus(blocks_text(kernel_, term, fmt::format("d{}", d)));
    }
    if (address.offset_param >= 0) plus(fmt::format("p{}", address.offset_param));
    if (address.known_offset != 0) plus(fmt::format("{}", address.known_offset));
    return text.empty() ? "0" : text;
  }

  void define(int number, const std::string& value) {
    line("const {} v{} = {};", c_type(dtype_of(number)), number, value);
  }

  [[nodiscard]] const Instr& instr_of(int number) const {
    return kernel_.instrs[static_cast<size_t>(number)];
  }

  [[nodiscard]] DType dtype_of(int number) const { return instr_of(number).dtype; }

  [[nodiscard]] static std::string name(int number) { return fmt::format("v{}", number); }

  template <typename... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    out_.append(static_cast<size_t>(2 * depth_), ' ');
    out_ += fmt::format(format, std::forward<Parts>(parts)...) + "\n";
  }

  void open(const std::string& head) {
    line("{} {{", head);
    ++depth_;
  }

  void close() {
    --depth_;
    line("}}");
  }

  const Kernel& kernel_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::string c_function(const Kernel& kernel, const std::string& symbol) {
  return FunctionEmitter(kernel).run(symbol);
}

}  // namespace c_backend
