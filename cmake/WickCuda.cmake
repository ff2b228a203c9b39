# Wick's CUDA parts need the toolkit's headers to build and no library to link: libraries are opened
# at first use. Sets WICK_HAS_CUDA, and where it is true the target wick_cuda_headers.
set(WICK_CUDA AUTO CACHE STRING "CUDA support: ON, OFF, or AUTO: where cuda.h and nvrtc.h are found")
set_property(CACHE WICK_CUDA PROPERTY STRINGS ON OFF AUTO)

set(WICK_HAS_CUDA FALSE)
if(WICK_CUDA)  # AUTO counts as true
  set(cuda_folders $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
  find_path(CUDA_INCLUDE_DIR cuda.h HINTS ${cuda_folders} PATH_SUFFIXES include)
  find_path(NVRTC_INCLUDE_DIR nvrtc.h HINTS ${cuda_folders} PATH_SUFFIXES include)
  if(CUDA_INCLUDE_DIR AND NVRTC_INCLUDE_DIR)
    set(WICK_HAS_CUDA TRUE)
  elseif(NOT WICK_CUDA STREQUAL AUTO)
    message(FATAL_ERROR "WICK_CUDA=${WICK_CUDA} needs cuda.h and nvrtc.h: set CUDA_HOME to a CUDA toolkit")
  endif()
endif()
message(STATUS "CUDA support: ${WICK_HAS_CUDA} (WICK_CUDA=${WICK_CUDA})")

if(WICK_HAS_CUDA)
  add_library(wick_cuda_headers INTERFACE)
  target_include_directories(wick_cuda_headers SYSTEM INTERFACE ${CUDA_INCLUDE_DIR}
                                                                ${NVRTC_INCLUDE_DIR})
endif()
