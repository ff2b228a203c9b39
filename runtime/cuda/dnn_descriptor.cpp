#include "wick/runtime/cuda/dnn_descriptor.h"

#include <utility>

namespace wick::runtime::cuda {
namespace {

constexpr auto kDescribing = "describing an operation";

}  // namespace

DnnDescriptor::DnnDescriptor(const Dnn& dnn, cudnnBackendDescriptorType_t type) : dnn_(&dnn) {
  dnn.call(kDescribing, dnn.api().cudnnBackendCreateDescriptor, type, &handle_);
}

DnnDescriptor::DnnDescriptor(DnnDescriptor&& other) noexcept
    : dnn_(other.dnn_),
      handle_(std::exchange(other.handle_, nullptr)) {}

DnnDescriptor::~DnnDescriptor() {
  if (handle_ != nullptr) dnn_->api().cudnnBackendDestroyDescriptor(handle_);
}

DnnDescriptor& DnnDescriptor::set_raw(cudnnBackendAttributeName_t name,
                                      cudnnBackendAttributeType_t type,
                                      int64_t count,
                                      const void* values) {
  dnn_->call(kDescribing, dnn_->api().cudnnBackendSetAttribute, handle_, name, type, count, values);
  return *this;
}

void DnnDescriptor::finalize() {
  dnn_->call(kDescribing, dnn_->api().cudnnBackendFinalize, handle_);
}

bool DnnDescriptor::try_finalize() {
  dnn_->device().activate();
  return dnn_->api().cudnnBackendFinalize(handle_) == CUDNN_STATUS_SUCCESS;
}

int64_t DnnDescriptor::get(cudnnBackendAttributeName_t name,
                           cudnnBackendAttributeType_t type,
                           int64_t wanted,
                           void* values) const {
  int64_t count = 0;
  dnn_->call("asking cuDNN",
             dnn_->api().cudnnBackendGetAttribute,
             handle_,
             name,
             type,
             wanted,
             &count,
             values);
  return count;
}

int64_t DnnDescriptor::integer(cudnnBackendAttributeName_t name) const {
  int64_t value = 0;
  get(name, CUDNN_TYPE_INT64, 1, &value);
  return value;
}

std::vector<cudnnBackendNumericalNote_t> DnnDescriptor::notes(
    cudnnBackendAttributeName_t name) const {
  std::vector<cudnnBackendNumericalNote_t> notes(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  const int64_t count =
      get(name, CUDNN_TYPE_NUMERICAL_NOTE, static_cast<int64_t>(notes.size()), notes.data());
  notes.resize(static_cast<size_t>(count));
  return notes;
}

DnnDescriptor DnnDescriptor::part(cudnnBackendAttributeName_t name,
                                  cudnnBackendDescriptorType_t type) const {
  DnnDescriptor part(*dnn_, type);
  get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &part.handle_);
  return part;
}

std::vector<DnnDescriptor> DnnDescriptor::parts(cudnnBackendAttributeName_t name,
                                                cudnnBackendDescriptorType_t type) const {
  const int64_t count = get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr);
  std::vector<DnnDescriptor> parts;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (int64_t i = 0; i < count; ++i) {
    parts.emplace_back(*dnn_, type);
    handles.push_back(parts.back().handle_);
  }
  const int64_t filled = get(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, handles.data());
  while (static_cast<int64_t>(parts.size()) > filled)
    parts.pop_back();
  return parts;
}

}  // namespace wick::runtime::cuda
