// The compiler that libwick opens: kernel IR to LLVM IR to an object.

#include <mutex>
#include <stdexcept>

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "wick/codegen/kernel_compiler.h"
#include "wick/codegen/llvm/host_target.h"
#include "wick/codegen/llvm/kernel_emitter.h"
#include "wick/codegen/llvm/object_linker.h"

namespace wick::codegen::llvm_jit {

namespace {

// Bumped whenever the same kernel IR would compile to other code: objects on disk are keyed by it.
constexpr int kEmitterVersion = 160;
constexpr const char* kTextSymbol = "kernel";

/// Measured (docs/codegen.md): None keeps accumulators in memory, Default costs more and gains
/// nothing. WICK_CODEGEN_OPT=0..2 overrides it for that measurement.
llvm::CodeGenOptLevel optimization_level() {
  const char* text = std::getenv("WICK_CODEGEN_OPT");
  if (text == nullptr || *text == '\0') return llvm::CodeGenOptLevel::Less;
  return llvm::CodeGenOpt::getLevel(*text - '0').value_or(llvm::CodeGenOptLevel::Less);
}

/// Addresses come out of the emitter in the form that the machine wants; looking for a better one
/// takes a third of the compile time and finds none. There is no other way to say so than LLVM's
/// own flag, which is the process's.
void disable_loop_strength_reduction() {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find("disable-lsr");
  if (found == options.end()) return;
  static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
}

/// A TargetMachine is not thread-safe: each compile makes its own.
std::unique_ptr<llvm::TargetMachine> make_target_machine() {
  const HostTarget& host = host_target();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  if (target == nullptr) throw std::runtime_error("no LLVM target for this machine: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(host.triple,
                                                                          host.cpu,
                                                                          host.features,
                                                                          options,
                                                                          llvm::Reloc::PIC_,
                                                                          llvm::CodeModel::Small,
                                                                          optimization_level()));
}

/// A module with the kernel, in a context of its own so that threads compile independently.
struct Compilation {
  Compilation(const Kernel& kernel, const std::string& symbol) : machine(make_target_machine()) {
    if (const auto broken = verify(kernel)) throw std::logic_error("unsound kernel: " + *broken);
    module->setTargetTriple(host_target().triple);
    module->setDataLayout(machine->createDataLayout());
    KernelEmitter(kernel, *module, host_target()).emit(symbol);
    for (llvm::Function& function : *module) {
      if (function.isDeclaration()) continue;
      function.addFnAttr("target-cpu", host_target().cpu);
      function.addFnAttr("target-features", host_target().features);
      if (host_target().avx512) {
        // CPUs that default to 256 bits are faster here with 512.
        function.addFnAttr("prefer-vector-width", "512");
        function.addFnAttr("min-legal-vector-width", "512");
      }
      function.addFnAttr(llvm::Attribute::NoUnwind);
      // LLVM finds out that registers are spilled when it is too late to align the stack for them.
      // A vector across two pages costs AMD a hundred nanoseconds for each time it is stored.
      function.addFnAttr(llvm::Attribute::getWithStackAlignment(function.getContext(), kCacheLine));
    }
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (llvm::verifyModule(*module, &stream)) {
      throw std::logic_error("the emitter made invalid LLVM IR: " + problem);
    }
  }

  llvm::SmallVector<char, 0> generate(llvm::CodeGenFileType type) {
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, type)) {
      throw std::runtime_error("LLVM cannot write this kind of file");
    }
    passes.run(*module);
    return bytes;
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = std::make_unique<llvm::Module>("kernel", context);
  std::unique_ptr<llvm::TargetMachine> machine;
};

class LlvmCompiler final : public KernelCompiler {
 public:
  [[nodiscard]] std::string target_id() const override {
    const HostTarget& host = host_target();
    return fmt::format("llvm {} emitter {} opt {} {} {} {} caches {} {} {}",
                       LLVM_VERSION_STRING,
                       kEmitterVersion,
                       static_cast<int>(optimization_level()),
                       host.triple,
                       host.cpu,
                       host.features,
                       host.own_cache_bytes,
                       host.cache_bytes,
                       host.cache_bytes_of_threads);
  }

  std::vector<std::byte> compile(const Kernel& kernel, const std::string& symbol) override {
    const auto bytes = Compilation(kernel, symbol).generate(llvm::CodeGenFileType::ObjectFile);
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    return {begin, begin + bytes.size()};
  }

  KernelFunction load(std::span<const std::byte> object, const std::string& symbol) override {
    return linker_.load(object, symbol);
  }

  std::string llvm_ir(const Kernel& kernel) override {
    const Compilation compilation(kernel, kTextSymbol);
    std::string text;
    llvm::raw_string_ostream stream(text);
    compilation.module->print(stream, nullptr);
    return text;
  }

  std::string assembly(const Kernel& kernel) override {
    const auto text =
        Compilation(kernel, kTextSymbol).generate(llvm::CodeGenFileType::AssemblyFile);
    return {text.begin(), text.end()};
  }

 private:
  ObjectLinker linker_;
};

}  // namespace

}  // namespace wick::codegen::llvm_jit

/// Never destroyed: kernels may run until the very end of the process.
extern "C" __attribute__((visibility("default"))) wick::codegen::KernelCompiler*
wick_create_llvm_compiler() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  wick::codegen::llvm_jit::disable_loop_strength_reduction();
  return new wick::codegen::llvm_jit::LlvmCompiler();
}
