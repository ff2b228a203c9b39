#include <llvm/IR/Intrinsics.h>

#include "wick/codegen/llvm/math.h"

namespace wick::codegen::llvm_jit {

namespace {

/// fn(v...) = { f(v[0]...), f(v[1]...), ... } in a function of its own, so that a kernel has one
/// such loop however often it calls it.
llvm::Function* lane_loop(EmitContext& e,
                          llvm::FunctionCallee scalar,
                          llvm::StringRef name,
                          llvm::Type* vector,
                          size_t arity) {
  const std::string full_name = ("lanes_" + name).str();
  if (llvm::Function* found = e.module.getFunction(full_name)) return found;
  const llvm::SmallVector<llvm::Type*, 2> types(arity, vector);
  auto* type = llvm::FunctionType::get(vector, types, false);
  auto* function =
      llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, full_name, &e.module);
  function->addFnAttr(llvm::Attribute::NoInline);

  llvm::IRBuilder<> b(llvm::BasicBlock::Create(e.b.getContext(), "entry", function));
  auto* element = vector->getScalarType();
  const auto lanes = llvm::cast<llvm::FixedVectorType>(vector)->getNumElements();
  llvm::SmallVector<llvm::Value*, 2> inputs;
  for (llvm::Argument& argument : function->args()) {
    inputs.push_back(b.CreateAlloca(vector));
    b.CreateStore(&argument, inputs.back());
  }
  llvm::Value* output = b.CreateAlloca(vector);
  auto* entry = b.GetInsertBlock();
  auto* body = llvm::BasicBlock::Create(b.getContext(), "lane", function);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "done", function);
  b.CreateBr(body);
  b.SetInsertPoint(body);
  llvm::PHINode* lane = b.CreatePHI(b.getInt64Ty(), 2);
  lane->addIncoming(b.getInt64(0), entry);
  llvm::SmallVector<llvm::Value*, 2> arguments;
  for (llvm::Value* input : inputs) {
    arguments.push_back(b.CreateLoad(element, b.CreateInBoundsGEP(element, input, lane)));
  }
  b.CreateStore(b.CreateCall(scalar, arguments), b.CreateInBoundsGEP(element, output, lane));
  llvm::Value* next = b.CreateAdd(lane, b.getInt64(1));
  lane->addIncoming(next, body);
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(lanes)), body, done);
  b.SetInsertPoint(done);
  b.CreateRet(b.CreateLoad(vector, output));
  return function;
}

}  // namespace

llvm::Value* call_by_lane(EmitContext& e,
                          llvm::StringRef function,
                          llvm::ArrayRef<llvm::Value*> operands) {
  llvm::Type* element = operands[0]->getType()->getScalarType();
  const llvm::SmallVector<llvm::Type*, 2> types(operands.size(), element);
  auto* type = llvm::FunctionType::get(element, types, false);
  const llvm::FunctionCallee scalar = e.module.getOrInsertFunction(function, type);
  if (!is_vector(operands[0])) return e.b.CreateCall(scalar, operands);
  return e.b.CreateCall(lane_loop(e, scalar, function, operands[0]->getType(), operands.size()),
                        operands);
}

llvm::Value* unless_any(EmitContext& e,
                        llvm::Value* condition,
                        llvm::Value* fast,
                        llvm::function_ref<llvm::Value*()> emit_exact) {
  auto& b = e.b;
  llvm::Value* any = is_vector(condition) ? b.CreateOrReduce(condition) : condition;
  auto* before = b.GetInsertBlock();
  auto* function_body = before->getParent();
  auto* slow = llvm::BasicBlock::Create(b.getContext(), "exact", function_body);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "computed", function_body);
  b.CreateCondBr(any, slow, after);
  b.SetInsertPoint(slow);
  llvm::Value* exact = emit_exact();
  slow = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  llvm::PHINode* result = b.CreatePHI(fast->getType(), 2);
  result->addIncoming(fast, before);
  result->addIncoming(exact, slow);
  return result;
}

llvm::Value* by_lane_above(
    EmitContext& e, double largest, llvm::StringRef function, llvm::Value* x, llvm::Value* fast) {
  llvm::Value* is_huge = e.b.CreateFCmpOGT(e.unary(llvm::Intrinsic::fabs, x), real(x, largest));
  return unless_any(e, is_huge, fast, [&] { return call_by_lane(e, function, {x}); });
}

}  // namespace wick::codegen::llvm_jit
