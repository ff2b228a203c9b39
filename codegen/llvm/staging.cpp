#include "wick/codegen/llvm/staging.h"

#include <algorithm>

namespace wick::codegen::llvm_jit {

namespace {

/// The first cache and small stacks hold few tiles, and strips are smaller.
constexpr size_t kMostTiles = 4;
constexpr size_t kMostStrips = 8;

/// An elementwise kernel whose vector dimension is short is staged in strips.
bool is_in_strips(const Kernel& kernel) {
  const auto accumulates = [](const Instr& at) { return at.kind == InstrKind::accumulate; };
  return kernel.short_vector && !kernel.has_short_rows() && kernel.phases.size() == 1 &&
         std::ranges::none_of(kernel.instrs, accumulates);
}

bool stores_short_rows(const Kernel& kernel) {
  if (!kernel.has_short_rows()) return false;
  return std::ranges::any_of(kernel.instrs, [&](const Instr& at) {
    return at.kind == InstrKind::store &&
           at.address.terms[static_cast<size_t>(kernel.vector_dim)].stride == Stride::dynamic;
  });
}

class Stager {
 public:
  explicit Stager(const Kernel& kernel)
      : given_(kernel),
        staged_{.kernel = kernel, .accesses = {}},
        has_strips_(is_in_strips(kernel)),
        stores_rows_(stores_short_rows(kernel)) {}

  StagedKernel run() {
    if (!find_cross_dim()) return std::move(staged_);
    for (const Phase& phase : given_.phases) {
      for (const int number : phase.instrs)
        visit(number);
    }
    return std::move(staged_);
  }

 private:
  /// The dimension along which memory is staged in one piece.
  bool find_cross_dim() {
    const int last = static_cast<int>(given_.dims.size()) - 1;
    const auto inner = std::ranges::count(given_.dims, true, &Dim::inner);
    if (has_strips_) {
      cross_ = last;
      return inner == 1;
    }
    cross_ = given_.has_short_rows() ? last : last - 1;
    if (given_.blocking || cross_ < 0) return false;
    return inner == (given_.has_short_rows() ? 1 : 0);
  }

  [[nodiscard]] bool crosses(const Instr& instr) const {
    if (instr.kind != InstrKind::load && instr.kind != InstrKind::store) return false;
    const bool is_wanted =
        instr.predicate < 0 || (has_strips_ && is_same_in_strip(instr.predicate));
    return is_wanted && instr.dynamic_index < 0 &&
           instr.address.terms[static_cast<size_t>(given_.vector_dim)].stride == Stride::dynamic &&
           !is_in_few_vectors(instr) &&
           instr.address.terms[static_cast<size_t>(cross_)].stride == Stride::one;
  }

  /// Whether each lane has one value of the instruction in all of a strip.
  [[nodiscard]] bool is_same_in_strip(int number) const {
    const Instr& instr = given_.instrs[static_cast<size_t>(number)];
    if (instr.dynamic_index >= 0) return false;
    const std::vector<Affine::Term>& terms = instr.address.terms;
    if (!terms.empty() && terms[static_cast<size_t>(cross_)].stride != Stride::zero) return false;
    if (instr.predicate >= 0 && !is_same_in_strip(instr.predicate)) return false;
    return std::ranges::all_of(instr.operands, [&](int used) { return is_same_in_strip(used); });
  }

  /// Whether lanes are picked from few vectors as fast: not where rows are stored, which would be
  /// element by element. Rows that many tasks read are staged once for all.
  [[nodiscard]] bool is_in_few_vectors(const Instr& instr) const {
    constexpr int64_t kShortest = 4;  // of rows that are walked side by side
    const int64_t known = instr.address.terms[static_cast<size_t>(given_.vector_dim)].known;
    if (known <= 0) return false;
    if (!given_.has_short_rows()) return true;
    bool is_shared = given_.vector_dim > 0;
    for (int dim = 0; dim < given_.vector_dim; ++dim)
      is_shared &= instr.address.terms[static_cast<size_t>(dim)].stride == Stride::zero;
    return known < kShortest && !is_shared && !stores_rows_;
  }

  /// What is written is staged as a whole, or some of it would be out of date.
  [[nodiscard]] bool can_stage(const Instr& instr) const {
    if (!crosses(instr)) return false;
    // Copies of single lanes take elements of four bytes alone.
    if (has_strips_ && size_of(instr.dtype) != sizeof(float)) return false;
    if (!given_.buffers[static_cast<size_t>(instr.buffer)].written) return true;
    return given_.has_short_rows() && std::ranges::all_of(given_.instrs, [&](const Instr& other) {
             return other.buffer != instr.buffer ||
                    (crosses(other) && other.address == instr.address);
           });
  }

  void visit(int number) {
    const Instr& instr = given_.instrs[static_cast<size_t>(number)];
    if (!can_stage(instr)) return;
    auto found = std::ranges::find_if(staged_.accesses, [&](const Staged& access) {
      return access.buffer == instr.buffer && access.address == instr.address &&
             access.predicate == instr.predicate;
    });
    if (found == staged_.accesses.end()) {
      if (staged_.accesses.size() == (has_strips_ ? kMostStrips : kMostTiles)) return;
      staged_.accesses.push_back(make_access(instr));
      found = staged_.accesses.end() - 1;
    }
    if (instr.kind == InstrKind::store) {
      found->writes = true;
    } else if (!found->writes) {
      found->reads = true;
    }
    Instr& moved = staged_.kernel.instrs[static_cast<size_t>(number)];
    moved.buffer = found->own;
    moved.address = own_address();
  }

  Staged make_access(const Instr& instr) {
    const BufferArg& buffer = given_.buffers[static_cast<size_t>(instr.buffer)];
    std::vector<BufferArg>& buffers = staged_.kernel.buffers;
    buffers.push_back({.dtype = buffer.dtype,
                       .written = buffer.written,
                       .no_alias = true,
                       .own_elements = own_elements()});
    return {.buffer = instr.buffer,
            .address = instr.address,
            .predicate = instr.predicate,
            .own = static_cast<int>(buffers.size()) - 1,
            .reads = false,
            .writes = false};
  }

  [[nodiscard]] int64_t own_elements() const {
    if (given_.has_short_rows()) return given_.longest_row;
    return has_strips_ ? kStrip : kTileTasks * kTilePitch;
  }

  [[nodiscard]] Affine own_address() const {
    Affine address;
    address.terms.resize(given_.dims.size());
    Affine::Term& cross = address.terms[static_cast<size_t>(cross_)];
    if (given_.has_short_rows() || has_strips_) {
      cross = {.stride = Stride::one, .param = -1};
    } else {
      cross = {.stride = Stride::dynamic, .param = given_.num_params};
      address.terms[static_cast<size_t>(given_.vector_dim)] = {.stride = Stride::one, .param = -1};
    }
    return address;
  }

  const Kernel& given_;
  StagedKernel staged_;
  bool has_strips_;
  bool stores_rows_;
  int cross_ = -1;
};

}  // namespace

StagedKernel stage(const Kernel& kernel) {
  return Stager(kernel).run();
}

}  // namespace wick::codegen::llvm_jit
