// The phases of a kernel at one outer position.

#include <algorithm>

#include "wick/codegen/cuda/kernel_writer.h"
#include "wick/codegen/cuda/type_names.h"

namespace wick::codegen::cuda {

namespace {

/// Whether straight code stores where another thread may still read.
bool overwrites(const Kernel& kernel, const Phase& phase) {
  return std::ranges::any_of(phase.instrs, [&](int number) {
    const Instr& instr = kernel.instrs[static_cast<size_t>(number)];
    return instr.kind == InstrKind::store &&
           !kernel.buffers[static_cast<size_t>(instr.buffer)].no_alias;
  });
}

}  // namespace

void KernelWriter::write_phases() {
  for (size_t h = 0; h < held_.size(); ++h) {
    line("Vec<{}, {}> h{}[{}];",
         memory_type(kernel_.buffers[static_cast<size_t>(held_[h].buffer)].dtype),
         form_.width,
         h,
         form_.held);
  }
  for (size_t p = 0; p < kernel_.phases.size(); ++p) {
    if (kernel_.phases[p].loop) {
      write_loop(static_cast<int>(p));
    } else {
      write_straight(kernel_.phases[p]);
    }
  }
  defined_.clear();
}

/// Every thread computes what all need; one of them stores.
void KernelWriter::write_straight(const Phase& phase) {
  for (const int number : phase.instrs) {
    if (instr(number).kind != InstrKind::store) write_instr(number, false);
  }
  if (overwrites(kernel_, phase)) line("__syncthreads();  // all have read what is overwritten");
  for (const int number : phase.instrs) {
    if (instr(number).kind == InstrKind::store) write_store(number, false);
  }
}

void KernelWriter::write_loop(int phase_number) {
  const Phase& phase = kernel_.phases[static_cast<size_t>(phase_number)];
  for (const int number : phase.instrs) {
    if (instr(number).kind != InstrKind::accumulate) continue;
    const std::string type = reduction_type(instr(number));
    if (form_.width == 1) {
      line("{0}::State r{1} = {0}::start();", type, number);
    } else {
      line("{}::State lanes{}[{}];", type, number, form_.width);
      line("#pragma unroll");
      line("for (int e = 0; e < {}; ++e) lanes{}[e] = {}::start();", form_.width, number, type);
    }
  }
  open_loop();
  write_inner_positions();
  write_vector_loads(phase.instrs, phase_number);
  write_body(phase.instrs);
  close();
  if (form_.held > 0) close();
  write_merges(phase);
}

void KernelWriter::open_loop() {
  if (form_.held == 0) {
    open("for (Index i = t; i < inner; i += threads)");
    return;
  }
  line("#pragma unroll");
  open("for (int j = 0; j < {}; ++j)", form_.held);
  line("const Index i = t + j * threads;");
  open("if (i < inner)");
}

void KernelWriter::write_inner_positions() {
  std::vector<size_t> inner;
  for (size_t d = 0; d < kernel_.dims.size(); ++d) {
    if (kernel_.dims[d].inner) inner.push_back(d);
  }
  std::string rest = "i";
  for (size_t k = inner.size(); k-- > 0;) {
    const size_t d = inner[k];
    const bool is_wide = is_vector_dim(d) && form_.width > 1;
    const bool is_cut = kernel_.blocking && kernel_.blocking->inner == static_cast<int>(d);
    const std::string origin = is_cut ? fmt::format("o{} + ", d) : "";
    const std::string name = is_wide ? "base" : fmt::format("d{}", d);
    const std::string here = k == 0 ? rest : fmt::format("{} % n{}", rest, d);
    const std::string scale = is_wide ? fmt::format(" * {}", form_.width) : "";
    line("const Index {} = {}{}{};", name, origin, here, scale);
    if (k == 0) continue;
    line("const Index rest{} = {} / n{};", d, rest, d);
    rest = fmt::format("rest{}", d);
  }
}

bool KernelWriter::moves_in_vectors(const Instr& instr) const {
  return (form_.width > 1 || held_number(instr) >= 0) && is_stream(kernel_, instr);
}

int KernelWriter::held_number(const Instr& instr) const {
  if (!is_stream(kernel_, instr)) return -1;
  for (size_t h = 0; h < held_.size(); ++h) {
    if (held_[h].buffer == instr.buffer && held_[h].address == instr.address) {
      return static_cast<int>(h);
    }
  }
  return -1;
}

void KernelWriter::write_vector_loads(const std::vector<int>& instrs, int phase_number) {
  const std::string position = form_.width > 1 ? "base" : fmt::format("d{}", kernel_.vector_dim);
  for (const int number : instrs) {
    const Instr& load = instr(number);
    if (!moves_in_vectors(load)) continue;
    if (load.kind == InstrKind::store) {
      if (held_number(load) < 0) {
        line("Vec<{}, {}> y{};", memory_type(load.dtype), form_.width, number);
      }
      continue;
    }
    const std::string place = place_text(load, position);
    const int held = held_number(load);
    if (held < 0) {
      line("const auto x{} = load_vector<{}>({});", number, form_.width, place);
    } else if (held_[static_cast<size_t>(held)].first_phase == phase_number) {
      line("h{}[j] = load_vector<{}>({});", held, form_.width, place);
    }
  }
}

/// What happens at each position, and the vectors that come of it.
void KernelWriter::write_body(const std::vector<int>& instrs) {
  if (form_.width > 1) {
    line("#pragma unroll");
    open("for (int e = 0; e < {}; ++e)", form_.width);
    line("const Index d{} = base + e;", kernel_.vector_dim);
  }
  for (const int number : instrs)
    write_instr(number, true);
  if (form_.width > 1) close();
  write_vector_stores(instrs);
}

void KernelWriter::write_vector_stores(const std::vector<int>& instrs) {
  const std::string position = form_.width > 1 ? "base" : fmt::format("d{}", kernel_.vector_dim);
  for (const int number : instrs) {
    const Instr& store = instr(number);
    if (store.kind != InstrKind::store || !moves_in_vectors(store)) continue;
    const bool is_own = kernel_.buffers[static_cast<size_t>(store.buffer)].own_elements > 0;
    if (is_own && is_held_alone(kernel_, form_, store.buffer)) continue;
    const int held = held_number(store);
    const std::string value = held >= 0 ? fmt::format("h{}[j]", held) : fmt::format("y{}", number);
    // Memory of its own a position has even where it repeats the last.
    const bool guarded = mapping_ != Mapping::elementwise && !form_.alone && !is_own;
    line("{}store_vector({}, {});",
         guarded ? "if (is_live) " : "",
         place_text(store, position),
         value);
  }
}

/// Partial results of the threads become the reduction's value in every thread.
void KernelWriter::write_merges(const Phase& phase) {
  bool any = false;
  for (const int number : phase.instrs) {
    if (instr(number).kind != InstrKind::accumulate) continue;
    any = true;
    const std::string type = reduction_type(instr(number));
    if (form_.width > 1) {
      line("{0}::State r{1} = merge_lanes<{0}>(lanes{1});", type, number);
    }
    if (mapping_ == Mapping::rows) {
      line("r{0} = merge_warp<{1}>(r{0}, threads);", number, type);
      line("if (is_shared && t % 32 == 0) s{0}[place] = r{0};", number);
    } else {
      line("if (is_shared) s{0}[place] = r{0};", number);
    }
  }
  if (!any) return;
  line("if (is_shared) __syncthreads();");
  for (const int number : phase.instrs) {
    if (instr(number).kind == InstrKind::accumulate) write_merge(number);
  }
}

void KernelWriter::write_merge(int number) {
  const Instr& accumulate = instr(number);
  const std::string type = reduction_type(accumulate);
  if (mapping_ == Mapping::rows) {
    line("if (is_shared) r{0} = merge_shared<{1}>(s{0}, threads / 32, 1);", number, type);
  } else {
    line("if (is_shared) r{0} = merge_shared<{1}>(s{0} + unit, threads, units);", number, type);
  }
  line("const {} v{} = {};",
       register_type(accumulate.dtype),
       number,
       rounded(accumulate.dtype, fmt::format("{}::result(r{})", type, number)));
  defined_.insert(number);
}

}  // namespace wick::codegen::cuda
