// Ops registered from outside that bring a function to call.

#include <stdexcept>

#include "wick/ir/custom_op.h"
#include "wick/runtime/library_call.h"

namespace wick::runtime {
namespace {

class RegisteredCall final : public HostCall {
 public:
  RegisteredCall(LibraryOp op, ir::CustomCall call) : op_(std::move(op)), call_(call) {}

  std::string_view implementation() const override { return "registered function"; }

  void run(const void* const* operands, void* result, std::byte* /*scratch*/) const override {
    call_(operands, result, {op_.operands, op_.result, op_.attributes});
  }

 private:
  LibraryOp op_;
  ir::CustomCall call_;
};

}  // namespace

std::unique_ptr<HostCall> make_registered_call(const LibraryOp& op) {
  if (op.op != ir::OpKind::custom) return nullptr;
  const std::string_view name = ir::op_name(op.op, op.attributes);
  const ir::CustomOp* registered = ir::find_custom_op(name);
  if (registered == nullptr) throw std::invalid_argument(ir::unregistered_text(name));
  if (registered->call == nullptr) return nullptr;
  return std::make_unique<RegisteredCall>(op, registered->call);
}

}  // namespace wick::runtime
