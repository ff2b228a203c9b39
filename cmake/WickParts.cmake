# Parts of Wick that can be left out. Each has an option of ON, OFF, or AUTO: where its packages are
# found; and sets WICK_HAS_<PART>. Where a part is absent, a small file that says so stands for it.
#
# LLVM and oneDNN are ON unless somebody decides otherwise: without them a program gives the same
# values on the CPU, but slowly, and nobody should find out by its time.

# wick_part(LAPACK AUTO "op linalg.*"): declares WICK_LAPACK.
function(wick_part part default what)
  set(WICK_${part} ${default} CACHE STRING "${what}: ON, OFF, or AUTO: where its packages are found")
  set_property(CACHE WICK_${part} PROPERTY STRINGS ON OFF AUTO)
endfunction()

# wick_part_found(LAPACK ${LAPACK_FOUND} "packages ..." "what happens without it")
function(wick_part_found part found needs without)
  if(WICK_${part} AND NOT found AND NOT WICK_${part} STREQUAL AUTO)
    message(FATAL_ERROR "WICK_${part}=${WICK_${part}} needs ${needs}; with -DWICK_${part}=OFF ${without}")
  endif()
  if(WICK_${part} AND found)
    message(STATUS "${part}: TRUE (WICK_${part}=${WICK_${part}})")
    set(WICK_HAS_${part} TRUE PARENT_SCOPE)
  else()
    message(STATUS "${part}: FALSE (WICK_${part}=${WICK_${part}}): ${without}")
    set(WICK_HAS_${part} FALSE PARENT_SCOPE)
  endif()
endfunction()

wick_part(LLVM ON "Machine code for the CPU")
if(WICK_LLVM)  # AUTO counts as true
  find_package(LLVM 19.1 CONFIG QUIET PATHS /usr/lib/llvm-19)
endif()
wick_part_found(LLVM "${LLVM_FOUND}" "LLVM 19.1 (Debian: llvm-19-dev)"
                "the interpreter is the only backend on the CPU, and the default")

wick_part(ONEDNN ON "Products and convolutions on the CPU by oneDNN")
if(WICK_ONEDNN)
  find_package(dnnl CONFIG QUIET)
endif()
wick_part_found(ONEDNN "${dnnl_FOUND}" "oneDNN (Debian: libdnnl-dev)"
                "products go to BLAS on the CPU and convolutions are interpreted")

wick_part(LAPACK AUTO "Linear algebra, products of f64")
if(WICK_LAPACK)
  set(BLA_VENDOR OpenBLAS)  # shares Wick's OpenMP pool
  find_package(LAPACK QUIET)
  find_path(LAPACK_INCLUDE_DIR lapack.h)
  find_path(CBLAS_INCLUDE_DIR cblas.h)
endif()
if(LAPACK_FOUND AND LAPACK_INCLUDE_DIR AND CBLAS_INCLUDE_DIR)
  set(lapack_found TRUE)
endif()
wick_part_found(LAPACK "${lapack_found}" "OpenBLAS and LAPACKE (Debian: libopenblas-openmp-dev, liblapacke-dev)"
                "ops linalg.* throw when they run, products of f64 are plain loops")

wick_part(FFTW AUTO "Fourier transforms")
if(WICK_FFTW)
  find_path(FFTW_INCLUDE_DIR fftw3.h)
  find_library(FFTW_DOUBLE fftw3)
  find_library(FFTW_SINGLE fftw3f)
endif()
if(FFTW_INCLUDE_DIR AND FFTW_DOUBLE AND FFTW_SINGLE)
  set(fftw_found TRUE)
endif()
wick_part_found(FFTW "${fftw_found}" "FFTW 3 in both precisions (Debian: libfftw3-dev)"
                "ops fft.* throw when they run")
