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

# wick_library(passes SOURCES cse.cpp ... PUBLIC wick_ir PRIVATE fmt::fmt PRECOMPILE <wick/ir/...>)
#
# One object library a folder. Its include root is a folder of the build tree that holds a link to
# this folder alone, so an include that the layering forbids finds no file. A folder inside another
# (codegen/cuda) is seen through the include root of that one.
function(wick_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE;PRECOMPILE" ${ARGN})
  string(REPLACE / _ target wick_${name})
  add_library(${target} OBJECT ${ARG_SOURCES})
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
