# Headers, libraries, tools and the package config that find_package(wick) reads.
include(CMakePackageConfigHelpers)

install(TARGETS wick EXPORT wick-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(tool wick-opt wick-run wick-reduce)
  if(TARGET ${tool})
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/wick DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(layer ${WICK_LAYERS})
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/${layer}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/wick
    FILES_MATCHING
    PATTERN "*.h"
    PATTERN "*.def"
    PATTERN "cuda" EXCLUDE
    PATTERN "llvm" EXCLUDE
    PATTERN "fftw" EXCLUDE
    PATTERN "lapack" EXCLUDE
    PATTERN "onednn" EXCLUDE
    PATTERN "report" EXCLUDE)
endforeach()

install(EXPORT wick-targets NAMESPACE wick:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wick)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/wick-config.cmake.in ${PROJECT_BINARY_DIR}/wick-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wick)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/wick-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wick-config.cmake ${PROJECT_BINARY_DIR}/wick-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wick)
