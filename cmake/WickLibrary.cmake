# What nearly every source file includes is parsed once a target: parsing is half of a build's time.
function(wick_precompile target)
  target_precompile_headers(
    ${target}
    PRIVATE
    <algorithm>
    <functional>
    <memory>
    <optional>
    <span>
    <string>
    <unordered_map>
    <vector>
    <fmt/format.h>
    ${ARGN})
endfunction()

# For a source that all of CLI11 is compiled with and that runs once.
function(wick_compile_quickly source)
  set_source_files_properties(
    ${source} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Og>" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

function(wick_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# For a program that opens these at run time, where they are built.
function(wick_depend_on_parts target)
  foreach(part wick-llvm wick-lapack wick-fftw)
    if(TARGET ${part})
      add_dependencies(${target} ${part})
    endif()
  endforeach()
endfunction()

# wick_library(passes SOURCES cse.cpp ... ALONE plugin.cpp ... PUBLIC wick_ir PRIVATE fmt::fmt
#              PRECOMPILE <wick/ir/...>)
#
# Where CMAKE_UNITY_BUILD is on, sources are compiled several at a time, which halves the time of a
# build; those under ALONE have names that others of the folder have too.
#
# One object library a folder. Its include root is a folder of the build tree that holds a link to
# this folder alone, so an include that the layering forbids finds no file. A folder inside another
# (codegen/cuda) is seen through the include root of that one.
function(wick_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;PUBLIC;PRIVATE;PRECOMPILE" ${ARGN})
  string(REPLACE / _ target wick_${name})
  add_library(${target} OBJECT ${ARG_SOURCES} ${ARG_ALONE})
  wick_compile_alone(${ARG_ALONE})
  if(NOT name MATCHES /)
    set(root ${PROJECT_BINARY_DIR}/include/${name})
    file(MAKE_DIRECTORY ${root}/wick)
    if(NOT EXISTS ${root}/wick/${name})
      file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name} ${root}/wick/${name} SYMBOLIC)
    endif()
    target_include_directories(${target} PUBLIC ${root})
  endif()
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE wick_options ${ARG_PRIVATE})
  wick_precompile(${target} ${ARG_PRECOMPILE})
  set_property(GLOBAL APPEND PROPERTY WICK_LIBRARIES ${target})
endfunction()
