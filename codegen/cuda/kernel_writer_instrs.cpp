// Instructions as statements and expressions.

#include "wick/codegen/cuda/kernel_writer.h"
#include "wick/codegen/cuda/type_names.h"
#include "wick/ir/check.h"

namespace wick::codegen::cuda {

namespace {

std::string_view name_of_reduction(ir::OpKind op) {
  switch (op) {
    case ir::OpKind::reduce_sum:
      return "Sum";
    case ir::OpKind::reduce_prod:
      return "Product";
    case ir::OpKind::reduce_max:
      return "Max";
    case ir::OpKind::reduce_min:
      return "Min";
    default:
      check(op == ir::OpKind::argmax, "a reduction");
      return "ArgMax";
  }
}

}  // namespace

std::string KernelWriter::reduction_type(const Instr& instr) const {
  const DType dtype = this->instr(instr.operands[0]).dtype;
  return fmt::format("{}<{}>", name_of_reduction(instr.op), register_type(dtype));
}

std::string KernelWriter::address_text(const Affine& address, const std::string& position) const {
  std::string text = address.offset_param < 0 ? "" : fmt::format("p{}", address.offset_param);
  if (address.known_offset != 0)
    text += fmt::format("{}{}", text.empty() ? "" : " + ", address.known_offset);
  for (size_t d = 0; d < address.terms.size(); ++d) {
    const Affine::Term& term = address.terms[d];
    if (term.stride == Stride::zero) continue;
    if (!text.empty()) text += " + ";
    const std::string at = is_vector_dim(d) ? position : fmt::format("d{}", d);
    if (term.stride == Stride::block) {
      text += blocks_text(kernel_, term, at);
      continue;
    }
    text += at;
    if (term.stride == Stride::dynamic) text += fmt::format(" * p{}", term.param);
    if (term.stride == Stride::column) text += " % " + row_length_text(kernel_);
    if (term.stride == Stride::row) text += " / " + row_length_text(kernel_);
    if (term.stride == Stride::transposed) {
      const std::string length = row_length_text(kernel_);
      text += fmt::format(" / {} + {} % {} * p{}", length, at, length, term.param);
    }
  }
  return text.empty() ? "0" : text;
}

/// A pointer to where the instruction reads or writes.
std::string KernelWriter::place_text(const Instr& instr, const std::string& position) const {
  std::string address = address_text(instr.address, position);
  const BufferArg& buffer = kernel_.buffers[static_cast<size_t>(instr.buffer)];
  if (buffer.own_elements > 0 && mapping_ == Mapping::columns) {
    address = fmt::format("({}) * units", address);
  }
  if (instr.dynamic_index >= 0) {
    address = fmt::format(
        "i64({}) + v{} * params.at[{}]", address, instr.dynamic_index, instr.dynamic_stride_param);
  }
  return fmt::format("b{} + ({})", instr.buffer, address);
}

std::string KernelWriter::rounded(DType dtype, std::string value) const {
  if (dtype == DType::f16) return fmt::format("round_to_half({})", value);
  if (dtype == DType::bf16) return fmt::format("round_to_bfloat({})", value);
  return value;
}

std::string KernelWriter::load_text(const Instr& instr) const {
  const std::string read =
      fmt::format("from_memory(*({}))", place_text(instr, fmt::format("d{}", kernel_.vector_dim)));
  if (instr.predicate < 0) return read;
  return fmt::format("v{} ? {} : {}(0)", instr.predicate, read, register_type(instr.dtype));
}

std::string KernelWriter::value_text(const Instr& instr, int number, bool in_loop) const {
  std::string operands;
  for (const int operand : instr.operands)
    operands += fmt::format("{}v{}", operands.empty() ? "" : ", ", operand);
  const std::string_view element = form_.width > 1 ? "e" : "0";
  switch (instr.kind) {
    case InstrKind::constant:
      return literal_text(instr.value);
    case InstrKind::load:
      if (is_staged(instr)) return fmt::format("from_memory(x{}[threadIdx.x][k])", number);
      if (!in_loop || !moves_in_vectors(instr)) return load_text(instr);
      if (held_number(instr) >= 0) {
        return fmt::format("from_memory(h{}[j].at[{}])", held_number(instr), element);
      }
      return fmt::format("from_memory(x{}.at[{}])", number, element);
    case InstrKind::index:
      return fmt::format("i64({})",
                         address_text(instr.address, fmt::format("d{}", kernel_.vector_dim)));
    case InstrKind::compute:
      return rounded(instr.dtype, fmt::format("op_{}({})", ir::to_string(instr.op), operands));
    case InstrKind::cast:
      if (this->instr(instr.operands[0]).dtype == instr.dtype) return operands;
      return fmt::format("Cast<{}>::of({})", memory_type(instr.dtype), operands);
    case InstrKind::bitcast:
      return fmt::format("cast_bits<{}, {}>({})",
                         memory_type(instr.dtype),
                         memory_type(this->instr(instr.operands[0]).dtype),
                         operands);
    case InstrKind::random_bits:
      return fmt::format("random_bits({})", operands);
    case InstrKind::accumulate:
    case InstrKind::store:
      break;
  }
  check(false, "an instruction with a value");
  return {};
}

void KernelWriter::write_instr(int number, bool in_loop) {
  const Instr& instr = this->instr(number);
  if (instr.kind == InstrKind::store) {
    write_store(number, in_loop);
  } else if (instr.kind == InstrKind::accumulate) {
    write_accumulate(number);
  } else {
    // What straight code computed is the same wherever it is listed again.
    const bool is_straight = !in_loop || (mapping_ == Mapping::elementwise && form_.width == 1);
    if (is_straight && !defined_.insert(number).second) return;
    line("const {} v{} = {};",
         register_type(instr.dtype),
         number,
         value_text(instr, number, in_loop));
  }
}

void KernelWriter::write_accumulate(int number) {
  const Instr& instr = this->instr(number);
  const std::string state =
      form_.width > 1 ? fmt::format("lanes{}[e]", number) : fmt::format("r{}", number);
  const std::string value = instr.op == ir::OpKind::argmax
                                ? fmt::format("{{v{}, v{}}}", instr.operands[1], instr.operands[0])
                                : fmt::format("v{}", instr.operands[0]);
  line("{0} = {1}::merge({0}, {2});", state, reduction_type(instr), value);
}

void KernelWriter::write_store(int number, bool in_loop) {
  const Instr& store = instr(number);
  const int value = store.operands[0];
  if (in_loop && moves_in_vectors(store)) {
    const int held = held_number(store);
    const std::string vector = held >= 0 ? fmt::format("h{}[j]", held) : fmt::format("y{}", number);
    line("put(&{}.at[{}], v{});", vector, form_.width > 1 ? "e" : "0", value);
    return;
  }
  std::string guard;
  const auto require = [&](const std::string& condition) {
    guard += guard.empty() ? condition : " && " + condition;
  };
  if (mapping_ != Mapping::elementwise) {
    if (!in_loop) require("t == 0");
    if (!form_.alone) require("is_live");
  }
  if (store.predicate >= 0) require(fmt::format("v{}", store.predicate));
  line("{}put({}, v{});",
       guard.empty() ? "" : fmt::format("if ({}) ", guard),
       place_text(store, fmt::format("d{}", kernel_.vector_dim)),
       value);
}

}  // namespace wick::codegen::cuda
