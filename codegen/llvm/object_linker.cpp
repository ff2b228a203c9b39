#include "wick/codegen/llvm/object_linker.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include "wick/codegen/llvm/host_target.h"

// Of the compiler's support library. Half arguments travel in vector registers, and C++ has no name
// for their type here: only the addresses are used.
extern "C" void __extendhfsf2();
extern "C" void __truncsfhf2();

namespace wick::codegen::llvm_jit {

namespace {

template <typename T>
T value_of(llvm::Expected<T> result, const char* what) {
  if (result) return std::move(*result);
  throw std::runtime_error(std::string(what) + ": " + llvm::toString(result.takeError()));
}

void require(llvm::Error error, const char* what) {
  if (error) throw std::runtime_error(std::string(what) + ": " + llvm::toString(std::move(error)));
}

template <typename Function>
llvm::orc::ExecutorSymbolDef symbol_of(Function* function) {
  return {llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
}

/// All that a kernel may call; nothing else of the process is visible to it.
llvm::orc::SymbolMap callable_symbols(llvm::orc::LLJIT& jit) {
  using Unary = double(double);
  using Binary = double(double, double);
  using UnaryFloat = float(float);
  using BinaryFloat = float(float, float);
  llvm::orc::SymbolMap symbols;
  const auto add = [&](const char* name, auto* function) {
    symbols[jit.mangleAndIntern(name)] = symbol_of(function);
  };
  add("exp", static_cast<Unary*>(std::exp));
  add("log", static_cast<Unary*>(std::log));
  add("sin", static_cast<Unary*>(std::sin));
  add("cos", static_cast<Unary*>(std::cos));
  add("atan", static_cast<Unary*>(std::atan));
  add("tanh", static_cast<Unary*>(std::tanh));
  add("erf", static_cast<Unary*>(std::erf));
  add("pow", static_cast<Binary*>(std::pow));
  add("fmod", static_cast<Binary*>(std::fmod));
  add("fmodf", static_cast<BinaryFloat*>(std::fmod));
  add("powf", static_cast<BinaryFloat*>(std::pow));
  add("sinf", static_cast<UnaryFloat*>(std::sin));
  add("tanf", static_cast<UnaryFloat*>(std::tan));
  add("cosf", static_cast<UnaryFloat*>(std::cos));
  // What instruction selection falls back to where the machine lacks an instruction.
  add("floor", static_cast<Unary*>(std::floor));
  add("ceil", static_cast<Unary*>(std::ceil));
  add("trunc", static_cast<Unary*>(std::trunc));
  add("roundeven", static_cast<Unary*>(std::nearbyint));
  add("floorf", static_cast<UnaryFloat*>(std::floor));
  add("ceilf", static_cast<UnaryFloat*>(std::ceil));
  add("truncf", static_cast<UnaryFloat*>(std::trunc));
  add("roundevenf", static_cast<UnaryFloat*>(std::nearbyint));
  add("__extendhfsf2", &__extendhfsf2);
  add("__truncsfhf2", &__truncsfhf2);
  add("memcpy", &std::memcpy);
  add("memset", &std::memset);
  return symbols;
}

}  // namespace

ObjectLinker::ObjectLinker() {
  llvm::orc::JITTargetMachineBuilder target((llvm::Triple(host_target().triple)));
  target.setRelocationModel(llvm::Reloc::PIC_);
  target.setCodeModel(llvm::CodeModel::Small);
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(target));
  builder.setLinkProcessSymbolsByDefault(false);
  builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);  // kernels have no initializers
  builder.setObjectLinkingLayerCreator(
      [](llvm::orc::ExecutionSession& session,
         const llvm::Triple&) -> llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>> {
        return std::make_unique<llvm::orc::ObjectLinkingLayer>(session);
      });
  jit_ = value_of(builder.create(), "cannot start the linker of kernels");
  // Failures come back as exceptions; LLVM would print them as well.
  jit_->getExecutionSession().setErrorReporter(
      [](llvm::Error error) { llvm::consumeError(std::move(error)); });
  require(jit_->getMainJITDylib().define(llvm::orc::absoluteSymbols(callable_symbols(*jit_))),
          "cannot define what kernels call");
}

ObjectLinker::~ObjectLinker() = default;

KernelFunction ObjectLinker::load(std::span<const std::byte> object, const std::string& symbol) {
  const std::lock_guard lock(mutex_);
  const std::string name = "kernel" + std::to_string(num_loaded_++);
  auto made = jit_->createJITDylib(name);
  require(made.takeError(), "cannot link a kernel");
  llvm::orc::JITDylib& dylib = *made;
  dylib.addToLinkOrder(jit_->getMainJITDylib());
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  require(jit_->addObjectFile(dylib, llvm::MemoryBuffer::getMemBufferCopy(bytes, name)),
          "cannot link a kernel");
  const auto address = value_of(jit_->lookup(dylib, symbol), "cannot link a kernel");
  return address.toPtr<KernelFunction>();
}

}  // namespace wick::codegen::llvm_jit
