#include "wick/runtime/onednn/primitive_call.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "wick/runtime/division.h"
#include "wick/runtime/onednn/ways.h"
#include "wick/runtime/parallel.h"

namespace wick::runtime::onednn {
namespace {

/// An argument whose format may differ from the plain one, with its place in the scratch.
struct BoundArg {
  PrimitiveArg arg;
  std::optional<dnnl::reorder> reorder;
  size_t offset = 0;
};

class PrimitiveCall final : public HostCall {
 public:
  explicit PrimitiveCall(PrimitiveSpec spec)
      : implementation_(std::move(spec.implementation)),
        primitive_(std::move(spec.primitive)),
        multiplications_(spec.multiplications),
        scratchpad_(std::move(spec.scratchpad)) {
    for (PrimitiveArg& operand : spec.operands) {
      operands_.push_back(bind(std::move(operand), /*is_result=*/false));
    }
    result_ = bind(std::move(spec.result), /*is_result=*/true);
    scratchpad_offset_ = scratch_bytes_;
    scratch_bytes_ += aligned(scratchpad_.get_size());
  }

  std::string_view implementation() const override { return implementation_; }

  size_t scratch_bytes() const override { return scratch_bytes_; }

  void run(const void* const* operands, void* result, std::byte* scratch) const override {
    const ThreadCountScope threads = no_more_threads_than_worth(multiplications_);
    dnnl::stream& queue = stream();
    std::unordered_map<int, dnnl::memory> args;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const BoundArg& bound = operands_[i];
      // oneDNN has no const memory; it does not write its sources.
      dnnl::memory value = plain_memory(bound, const_cast<void*>(operands[i]));
      if (bound.reorder) {
        dnnl::memory wanted = wanted_memory(bound, scratch);
        dnnl::reorder(*bound.reorder).execute(queue, value, wanted);
        value = std::move(wanted);
      }
      args.emplace(bound.arg.id, std::move(value));
    }
    const dnnl::memory plain_result = plain_memory(result_, result);
    dnnl::memory made = result_.reorder ? wanted_memory(result_, scratch) : plain_result;
    args.emplace(result_.arg.id, made);
    args.emplace(DNNL_ARG_SCRATCHPAD,
                 dnnl::memory(scratchpad_, engine(), scratch + scratchpad_offset_));
    primitive_.execute(queue, args);
    if (result_.reorder) {
      dnnl::memory target = plain_result;
      dnnl::reorder(*result_.reorder).execute(queue, made, target);
    }
    queue.wait();
  }

 private:
  BoundArg bind(PrimitiveArg arg, bool is_result) {
    BoundArg bound{.arg = std::move(arg), .reorder = {}, .offset = scratch_bytes_};
    if (bound.arg.plain == bound.arg.wanted) return bound;
    const dnnl::memory::desc& from = is_result ? bound.arg.wanted : bound.arg.plain;
    const dnnl::memory::desc& to = is_result ? bound.arg.plain : bound.arg.wanted;
    bound.reorder.emplace(dnnl::reorder::primitive_desc(engine(), from, engine(), to));
    scratch_bytes_ += aligned(bound.arg.wanted.get_size());
    return bound;
  }

  static dnnl::memory plain_memory(const BoundArg& bound, void* data) {
    return {bound.arg.plain, engine(), data};
  }

  static dnnl::memory wanted_memory(const BoundArg& bound, std::byte* scratch) {
    return {bound.arg.wanted, engine(), scratch + bound.offset};
  }

  std::string implementation_;
  dnnl::primitive primitive_;
  int64_t multiplications_;
  dnnl::memory::desc scratchpad_;
  std::vector<BoundArg> operands_;
  BoundArg result_;
  size_t scratch_bytes_ = 0;
  size_t scratchpad_offset_ = 0;
};

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

dnnl::stream& stream() {
  thread_local dnnl::stream instance(engine());
  return instance;
}

dnnl::memory::dims to_dims(std::span<const int64_t> extents) {
  return {extents.begin(), extents.end()};
}

dnnl::memory::dims row_major_strides(const Shape& shape) {
  return to_dims(wick::row_major_strides(shape));
}

std::string description() {
  const dnnl::version_t* version = dnnl::version();
  return fmt::format("onednn {}.{}.{} isa {}",
                     version->major,
                     version->minor,
                     version->patch,
                     static_cast<int>(dnnl::get_effective_cpu_isa()));
}

bool has_avx512() {
  const auto bits = [](dnnl::cpu_isa isa) { return static_cast<unsigned>(isa); };
  constexpr auto kWanted = dnnl::cpu_isa::avx512_core;
  return (bits(dnnl::get_effective_cpu_isa()) & bits(kWanted)) == bits(kWanted);
}

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

std::unique_ptr<HostCall> make_primitive_call(PrimitiveSpec spec) {
  return std::make_unique<PrimitiveCall>(std::move(spec));
}

std::unique_ptr<HostCall> make_reorder(const dnnl::memory::desc& from,
                                       const dnnl::memory::desc& to) {
  const dnnl::reorder::primitive_desc desc(engine(), from, engine(), to, user_scratchpad());
  return make_primitive_call({.implementation = "onednn reorder",
                              .primitive = dnnl::reorder(desc),
                              .operands = {{DNNL_ARG_FROM, from, from}},
                              .result = {DNNL_ARG_TO, to, to},
                              .scratchpad = desc.scratchpad_desc()});
}

}  // namespace wick::runtime::onednn
