#pragma once

// Writes one kernel as a CUDA C++ function. Internal to codegen/cuda/.
//
// Names in the text: bN buffers, pN parameters, dN positions, nN extents of inner dimensions, vN
// values, rN reductions, xN and yN vectors that are loaded and to be stored, hN rows held in
// registers.

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "wick/codegen/cuda/kernel_form.h"

namespace wick::codegen::cuda {

class KernelWriter {
 public:
  KernelWriter(const Kernel& kernel, const KernelForm& form, std::string symbol);

  std::string run();

 private:
  // kernel_writer.cpp: the function, and where a thread stands.
  void write_signature();
  void write_params();
  void write_elementwise();
  void write_rest();
  void write_walk();
  void write_shared();
  void write_shared_states();
  void write_own_memory();
  void write_outer_positions(const std::string& from);
  void write_inner_ranges();

  // kernel_writer_tiles.cpp: elementwise kernels that transpose.
  void write_tiles();
  void write_tile_memory();
  void write_tile_corner();
  void open_tile_walk(int along_lanes, int along_rows);
  void write_tile_loads();

  // kernel_writer_phases.cpp: what a thread does there.
  void write_phases();
  void write_straight(const Phase& phase);
  void write_loop(int phase_number);
  void open_loop();
  void write_inner_positions();
  void write_vector_loads(const std::vector<int>& instrs, int phase_number);
  void write_vector_stores(const std::vector<int>& instrs);
  void write_body(const std::vector<int>& instrs);
  void write_merges(const Phase& phase);
  void write_merge(int number);

  // kernel_writer_instrs.cpp: one instruction.
  void write_instr(int number, bool in_loop);
  void write_accumulate(int number);
  void write_store(int number, bool in_loop);
  [[nodiscard]] std::string value_text(const Instr& instr, int number, bool in_loop) const;
  [[nodiscard]] std::string load_text(const Instr& instr) const;
  [[nodiscard]] std::string rounded(DType dtype, std::string value) const;
  /// `position` stands for the vector dimension.
  [[nodiscard]] std::string address_text(const Affine& address, const std::string& position) const;
  [[nodiscard]] std::string place_text(const Instr& instr, const std::string& position) const;
  [[nodiscard]] std::string reduction_type(const Instr& instr) const;

  [[nodiscard]] bool is_staged(const Instr& instr) const {
    return is_transposed(kernel_, instr, form_.tiled_dim);
  }

  [[nodiscard]] bool moves_in_vectors(const Instr& instr) const;
  /// Number of the held stream that the instruction touches; -1: none.
  [[nodiscard]] int held_number(const Instr& instr) const;
  /// Memory of the kernel's own that registers do not hold.
  [[nodiscard]] std::vector<int> own_buffers() const;
  [[nodiscard]] std::string_view type_of_buffer(int buffer) const;

  [[nodiscard]] const Instr& instr(int number) const {
    return kernel_.instrs[static_cast<size_t>(number)];
  }

  [[nodiscard]] bool is_vector_dim(size_t d) const {
    return static_cast<int>(d) == kernel_.vector_dim;
  }

  [[nodiscard]] std::string extent(size_t dim) const {
    return fmt::format("p{}", kernel_.dims[dim].extent_param);
  }

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_.append(static_cast<size_t>(2 * depth_), ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  template <typename... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    line("{} {{", fmt::format(format, std::forward<Args>(args)...));
    ++depth_;
  }

  void close() {
    --depth_;
    line("}}");
  }

  const Kernel& kernel_;
  KernelForm form_;
  Mapping mapping_;
  std::string symbol_;
  std::vector<HeldStream> held_;
  bool reduces_ = false;
  std::vector<int> all_instrs_;  // each once, in the order of the phases
  std::set<int> defined_;        // values of straight code, which the rest of the kernel sees
  std::string out_;
  int depth_ = 0;
};

}  // namespace wick::codegen::cuda
