#include "wick/runtime/run_memory.h"

#include <cstring>
#include <new>

#include "wick/ir/error.h"

namespace wick::runtime {
namespace {

class HostSpace final : public MemorySpace {
 public:
  [[nodiscard]] std::shared_ptr<MemoryManager> manager() const override { return memory_manager(); }

  [[nodiscard]] Ref<Buffer> allocate(size_t bytes, const AllocationTag& tag) const override {
    return Buffer::allocate(bytes, tag);
  }

  void copy(void* to, const void* from, size_t bytes) const override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
};

const void* argument_data(const Argument& argument) {
  return argument.buffer ? argument.buffer->data() : argument.data;
}

/// What `allocate` gives. Where there is no memory, the error names who wanted it.
template <typename Allocate>
auto allocate_for(const AllocationTag& tag, Allocate allocate) {
  try {
    return allocate();
  } catch (const std::bad_alloc& failure) {
    throw Error(tag.where, tag.op, failure.what());
  }
}

}  // namespace

const MemorySpace& host_space() {
  static const HostSpace space;
  return space;
}

RunBlock::RunBlock(std::shared_ptr<MemoryManager> manager, size_t bytes, const AllocationTag& tag) {
  if (bytes == 0) return;
  manager_ = std::move(manager);
  data_ = allocate_for(tag, [&] { return manager_->allocate(bytes, tag); });
}

RunBlock::~RunBlock() {
  if (data_ != nullptr) manager_->free(data_);
}

RunMemory::RunMemory(const Plan& plan,
                     std::span<const Ref<Buffer>> constants,
                     std::span<const Argument> arguments,
                     const MemorySpace& space)
    : plan_(plan),
      constants_(constants),
      arguments_(arguments),
      space_(space),
      arena_(plan.arena_bytes == 0 ? nullptr : space.manager(), plan.arena_bytes, plan.tags.arena) {
  params_.reserve(arguments.size());
  for (const Argument& argument : arguments)
    params_.push_back(const_cast<void*>(argument_data(argument)));
  for (size_t i = 0; i < plan.overwritten.size(); ++i)
    own(static_cast<size_t>(plan.overwritten[i]), plan.tags.overwritten[i]);
  results_.reserve(plan.results.size());
  for (size_t k = 0; k < plan.results.size(); ++k)
    results_.push_back(make_result(k));
}

std::vector<const void*> RunMemory::addresses() const {
  std::vector<const void*> addresses{arena_.data()};
  addresses.insert(addresses.end(), params_.begin(), params_.end());
  for (size_t k = 0; k < results_.size(); ++k) {
    if (plan_.sources[k].kind == ResultSource::Kind::fresh)
      addresses.push_back(results_[k]->data());
  }
  return addresses;
}

std::vector<Ref<Buffer>> RunMemory::take_results() {
  for (size_t k = 0; k < results_.size(); ++k) {
    const ResultSource& source = plan_.sources[k];
    const auto index = static_cast<size_t>(source.index);
    if (source.kind == ResultSource::Kind::result) results_[k] = results_[index];
    if (source.kind == ResultSource::Kind::param) results_[k] = param_as_result(k, index);
  }
  return std::move(results_);
}

/// Steps write over this parameter: where its buffer must not be written, a copy is.
void RunMemory::own(size_t index, const AllocationTag& tag) {
  const Ref<Buffer>& buffer = arguments_[index].buffer;
  if (buffer && buffer->is_writable()) return buffer->forget_host_copy();
  const size_t bytes = plan_.parameters[index].num_bytes();
  Ref<Buffer> copy = space_.allocate(bytes, tag);
  space_.copy(copy->data(), params_[index], bytes);
  params_[index] = copy->data();
  copies_.emplace_back(index, std::move(copy));
}

/// The buffer that a parameter has in this run; null for foreign memory and scalars.
const Ref<Buffer>& RunMemory::buffer_of(size_t index) const {
  for (const auto& [parameter, copy] : copies_) {
    if (parameter == index) return copy;
  }
  return arguments_[index].buffer;
}

Ref<Buffer> RunMemory::make_result(size_t k) const {
  const ResultSource& source = plan_.sources[k];
  if (source.kind == ResultSource::Kind::fresh) {
    const AllocationTag& tag = plan_.tags.results[k];
    return allocate_for(tag, [&] { return space_.allocate(plan_.results[k].num_bytes(), tag); });
  }
  if (source.kind == ResultSource::Kind::constant) {
    return constants_[static_cast<size_t>(source.index)];
  }
  return nullptr;
}

/// Values are immutable, so a result may share its argument's buffer; foreign memory that its
/// owner may change, and scalars, are copied.
Ref<Buffer> RunMemory::param_as_result(size_t k, size_t index) const {
  const Ref<Buffer>& buffer = buffer_of(index);
  if (buffer && buffer->is_writable()) return buffer;
  const size_t bytes = plan_.results[k].num_bytes();
  Ref<Buffer> copy = space_.allocate(bytes, plan_.tags.results[k]);
  space_.copy(copy->data(), params_[index], bytes);
  return copy;
}

}  // namespace wick::runtime
