#pragma once

// cuBLASLt for tests without a GPU: it computes, on the fake driver's streams, what descriptors and
// layouts ask for in cuBLASLt's column-major words; products of other types than f32 it only
// records.

#include <map>
#include <string>
#include <vector>

#include "runtime_cuda/fake_driver.h"

#include "wick/runtime/cuda/cublaslt.h"

namespace wick::runtime::cuda {

/// One at a time, as its driver.
class FakeCublasLt {
 public:
  explicit FakeCublasLt(FakeDriver& driver);
  FakeCublasLt(const FakeCublasLt&) = delete;
  FakeCublasLt& operator=(const FakeCublasLt&) = delete;
  ~FakeCublasLt();

  [[nodiscard]] const CublasLtApi& api() const { return api_; }

  [[nodiscard]] int num_searches() const { return num_searches_; }

  [[nodiscard]] int num_live_descriptors() const { return static_cast<int>(attributes_.size()); }

  /// Attributes of the last search's operation, operands (A, B, D) and preference.
  struct Search {
    std::map<int, uint64_t> operation;
    std::map<int, uint64_t> a;
    std::map<int, uint64_t> b;
    std::map<int, uint64_t> d;
    std::map<int, uint64_t> preference;
  };

  [[nodiscard]] const Search& last_search() const { return last_search_; }

  /// What searches give.
  void set_workspace_bytes(size_t bytes) { workspace_bytes_ = bytes; }

  /// One for each algorithm, in the library's order: what it takes of the time that the others do.
  void set_costs(std::vector<int> costs) { costs_ = std::move(costs); }

  /// The number of the algorithm of the last product.
  [[nodiscard]] size_t last_algorithm() const { return last_algorithm_; }

  void find_nothing() { finds_ = false; }

  void fail_search(cublasStatus_t status) { search_status_ = status; }

  void fail_matmul(cublasStatus_t status) { matmul_status_ = status; }

 private:
  using Attributes = std::map<int, uint64_t>;

  template <typename Opaque>
  Opaque* make(Attributes attributes);
  template <typename Opaque>
  cublasStatus_t destroy(Opaque* descriptor);
  cublasStatus_t set(const void* descriptor, int attribute, const void* value, size_t bytes);
  void fill_descriptors();
  void fill_calls();

  FakeDriver& driver_;
  CublasLtApi api_;
  std::map<const void*, Attributes> attributes_;
  Search last_search_;
  int num_searches_ = 0;
  size_t workspace_bytes_ = 0;
  std::vector<int> costs_ = {1};
  size_t last_algorithm_ = 0;
  bool finds_ = true;
  cublasStatus_t search_status_ = CUBLAS_STATUS_SUCCESS;
  cublasStatus_t matmul_status_ = CUBLAS_STATUS_SUCCESS;
};

}  // namespace wick::runtime::cuda
