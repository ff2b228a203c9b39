#include "wick/codegen/cuda/kernel_writer.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "wick/codegen/cuda/launch_geometry.h"
#include "wick/codegen/cuda/type_names.h"

namespace wick::codegen::cuda {

namespace {

/// Parameters that the text names, in order; offsets and strides of memory and extents.
std::set<int> used_params(const Kernel& kernel) {
  std::set<int> used;
  for (const Dim& dim : kernel.dims)
    used.insert(dim.extent_param);
  if (kernel.blocking) used.insert(kernel.blocking->size_param);
  used.insert(kernel.row_length_param);
  for (const Instr& instr : kernel.instrs) {
    used.insert(instr.address.offset_param);
    for (const Affine::Term& term : instr.address.terms)
      used.insert(term.param);
  }
  used.erase(-1);
  return used;
}

/// Each instruction once, in the order of the phases.
std::vector<int> all_instrs(const Kernel& kernel) {
  std::vector<int> all;
  for (const Phase& phase : kernel.phases) {
    for (const int number : phase.instrs) {
      if (std::ranges::find(all, number) == all.end()) all.push_back(number);
    }
  }
  return all;
}

std::string product_of(const std::vector<std::string>& factors) {
  return factors.empty() ? "1" : fmt::format("{}", fmt::join(factors, " * "));
}

bool has_own_memory(const Kernel& kernel) {
  return std::ranges::any_of(kernel.buffers,
                             [](const BufferArg& buffer) { return buffer.own_elements > 0; });
}

}  // namespace

KernelWriter::KernelWriter(const Kernel& kernel, const KernelForm& form, std::string symbol)
    : kernel_(kernel),
      form_(form),
      mapping_(mapping_of(kernel)),
      symbol_(std::move(symbol)) {
  all_instrs_ = all_instrs(kernel);
  if (form_.held > 0) held_ = held_streams(kernel);
  reduces_ = std::ranges::any_of(
      kernel.instrs, [](const Instr& instr) { return instr.kind == InstrKind::accumulate; });
}

std::string KernelWriter::run() {
  write_signature();
  line("using Index = {};", form_.wide_index ? "i64" : "int");
  write_params();
  if (form_.tiled_dim >= 0) {
    write_tiles();
  } else if (mapping_ == Mapping::elementwise) {
    write_elementwise();
  } else {
    write_walk();
  }
  close();
  return std::move(out_);
}

std::vector<int> KernelWriter::own_buffers() const {
  std::vector<int> own;
  for (size_t b = 0; b < kernel_.buffers.size(); ++b) {
    const auto number = static_cast<int>(b);
    if (kernel_.buffers[b].own_elements > 0 && !is_held_alone(kernel_, form_, number)) {
      own.push_back(number);
    }
  }
  return own;
}

std::string_view KernelWriter::type_of_buffer(int buffer) const {
  return memory_type(kernel_.buffers[static_cast<size_t>(buffer)].dtype);
}

void KernelWriter::write_signature() {
  std::string arguments;
  for (size_t b = 0; b < kernel_.buffers.size(); ++b) {
    const BufferArg& buffer = kernel_.buffers[b];
    if (buffer.own_elements > 0) continue;
    arguments += fmt::format("{}{}*{} b{}, ",
                             buffer.written ? "" : "const ",
                             memory_type(buffer.dtype),
                             buffer.no_alias ? " __restrict__" : "",
                             b);
  }
  if (has_own_memory(kernel_)) arguments += "char* workspace, ";
  const int threads = mapping_ == Mapping::elementwise ? kElementwiseThreads : kReductionThreads;
  // One block a multiprocessor is enough: otherwise ptxas spills to fit more.
  line("extern \"C\" __global__ void __launch_bounds__({}, 1)", threads);
  open("{}({}const Params<{}> params)", symbol_, arguments, std::max(1, kernel_.num_params));
}

void KernelWriter::write_params() {
  for (const int param : used_params(kernel_))
    line("const Index p{0} = Index(params.at[{0}]);", param);
}

void KernelWriter::write_elementwise() {
  const auto vector_dim = static_cast<size_t>(kernel_.vector_dim);
  const std::string accesses =
      form_.has_rest
          ? fmt::format("({} + {}) / {}", extent(vector_dim), form_.width - 1, form_.width)
          : fmt::format("{} / {}", extent(vector_dim), form_.width);
  std::vector<std::string> factors = {accesses};
  for (size_t d = 0; d < kernel_.dims.size(); ++d) {
    if (!is_vector_dim(d)) factors.push_back(extent(d));
  }
  line("const Index count = {};", product_of(factors));
  line("const Index step = Index(gridDim.x) * blockDim.x;");
  open("for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)");
  write_outer_positions("i");
  if (form_.has_rest) open("if (base + {} <= {})", form_.width, extent(vector_dim));
  write_vector_loads(all_instrs_, 0);
  write_body(all_instrs_);
  if (form_.has_rest) {
    close();
    write_rest();
  }
  close();
}

/// What is no whole access, instead of one.
void KernelWriter::write_rest() {
  const auto dim = static_cast<size_t>(kernel_.vector_dim);
  open("else for (Index d{0} = base; d{0} < {1}; ++d{0})", dim, extent(dim));
  form_.width = 1;
  write_body(all_instrs_);
  close();
}

/// Row-major positions of the outer dimensions. An outer vector dimension is counted in accesses.
void KernelWriter::write_outer_positions(const std::string& from) {
  std::vector<size_t> outer;
  for (size_t d = 0; d < kernel_.dims.size(); ++d) {
    if (!kernel_.dims[d].inner) outer.push_back(d);
  }
  std::string rest = from;
  for (size_t k = outer.size(); k-- > 0;) {
    const size_t d = outer[k];
    const bool is_wide = is_vector_dim(d) && form_.width > 1;
    const std::string name = is_wide ? "base" : fmt::format("d{}", d);
    const std::string scale = is_wide ? fmt::format(" * {}", form_.width) : "";
    const std::string extents =
        is_wide ? fmt::format("({} / {})", extent(d), form_.width) : extent(d);
    if (k == 0) {
      line("const Index {} = {}{};", name, rest, scale);
      continue;
    }
    line("const Index {} = {} % {}{};", name, rest, extents, scale);
    const std::string next = fmt::format("rest{}", d);
    line("const Index {} = {} / {};", next, rest, extents);
    rest = next;
  }
}

/// Rows and columns: a thread is number `t` of `threads` that share outer position `u`.
void KernelWriter::write_walk() {
  const bool rows = mapping_ == Mapping::rows;
  line("const int t = threadIdx.{};", rows ? "x" : "y");
  line("const int threads = blockDim.{};", rows ? "x" : "y");
  line("const int unit = threadIdx.{};", rows ? "y" : "x");
  line("const int units = blockDim.{};", rows ? "y" : "x");
  write_shared();
  std::vector<std::string> outer;
  for (size_t d = 0; d < kernel_.dims.size(); ++d) {
    if (!kernel_.dims[d].inner) outer.push_back(extent(d));
  }
  line("const Index count = {};", product_of(outer));
  line("const Index step = Index(gridDim.x) * units;");
  open("for (Index first = Index(blockIdx.x) * units; first < count; first += step)");
  if (form_.alone) {
    line("const bool is_live = true;");
    line("const Index u = first;");
  } else {
    // All threads take part in exchanges; those without a position of their own repeat the last.
    line("const bool is_live = first + unit < count;");
    line("const Index u = is_live ? first + unit : count - 1;");
  }
  write_outer_positions("u");
  write_inner_ranges();
  write_phases();
  if (reduces_)
    line("if (is_shared) __syncthreads();  // before the next position overwrites what is shared");
  close();
}

/// Shared memory: partial results of reductions, then the kernel's own memory if it fits.
void KernelWriter::write_shared() {
  const bool has_own = !own_buffers().empty();
  if (!reduces_ && !has_own) return;
  line("extern __shared__ i64 shared_words[];");
  line("char* const shared = reinterpret_cast<char*>(shared_words);");
  if (reduces_) write_shared_states();
  if (has_own) write_own_memory();
}

void KernelWriter::write_shared_states() {
  const bool rows = mapping_ == Mapping::rows;
  // What one warp shares goes from lane to lane, what one thread has needs no exchange at all.
  line("const bool is_shared = threads > {};", rows ? 32 : 1);
  line("const int partials = {};", rows ? "threads / 32 * units" : "threads * units");
  line("const int place = {};", rows ? "unit * (threads / 32) + t / 32" : "t * units + unit");
  for (const SharedStates::Entry& entry : shared_states(kernel_).entries) {
    const std::string state = reduction_type(instr(entry.instr)) + "::State";
    line("{0}* const s{1} = reinterpret_cast<{0}*>(shared + {2} * partials);",
         state,
         entry.instr,
         entry.offset);
  }
}

/// Rows lie behind each other, columns side by side.
void KernelWriter::write_own_memory() {
  std::vector<std::string> inner = {"i64(1)"};
  for (size_t d = 0; d < kernel_.dims.size(); ++d) {
    if (kernel_.dims[d].inner) inner.push_back(extent(d));
  }
  line("const i64 own_count = {};", product_of(inner));
  line("i64 own_bytes = 0;");
  for (const int b : own_buffers()) {
    line("const i64 at{} = own_bytes;", b);
    line("own_bytes += (own_count * i64(sizeof({})) + 15) / 16 * 16;", type_of_buffer(b));
  }
  const int state_bytes = shared_states(kernel_).bytes;
  line("char* const own = workspace == nullptr ? shared + {}",
       reduces_ ? fmt::format("({} * partials + 15) / 16 * 16", state_bytes) : "0");
  line("                                       : workspace + own_bytes * units * blockIdx.x;");
  for (const int b : own_buffers()) {
    line("{0}* const b{1} = reinterpret_cast<{0}*>(own + at{1} * units) + {2};",
         type_of_buffer(b),
         b,
         mapping_ == Mapping::rows ? "own_count * unit" : "unit");
  }
}

/// nN accesses from position oN on, of each inner dimension; their product is `inner`.
void KernelWriter::write_inner_ranges() {
  std::vector<std::string> lengths;
  for (size_t d = 0; d < kernel_.dims.size(); ++d) {
    if (!kernel_.dims[d].inner) continue;
    std::string length = extent(d);
    if (kernel_.blocking && kernel_.blocking->inner == static_cast<int>(d)) {
      line(
          "const Index o{} = d{} * p{};", d, kernel_.blocking->outer, kernel_.blocking->size_param);
      line("const Index left{0} = {1} - o{0};", d, length);
      line(
          "const Index cut{0} = left{0} < p{1} ? left{0} : p{1};", d, kernel_.blocking->size_param);
      length = fmt::format("(cut{0} > 0 ? cut{0} : 0)", d);
    }
    if (is_vector_dim(d) && form_.width > 1) length += fmt::format(" / {}", form_.width);
    line("const Index n{} = {};", d, length);
    lengths.push_back(fmt::format("n{}", d));
  }
  line("const Index inner = {};", product_of(lengths));
}

}  // namespace wick::codegen::cuda
