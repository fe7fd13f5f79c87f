# Installs and packs the program, the library, manual, completions and examples (`cmake --install`, CPack).
include(CMakePackageConfigHelpers)

# ---- Manual and completions, made of the options --------------------------------------------------------------------
file(GLOB manual_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} src/manual/*.cpp)
add_executable(detent_manual ${manual_sources})
target_link_libraries(detent_manual PRIVATE detent_cli)
target_compile_options(detent_manual PRIVATE ${detent_conversions})
detent_batches(detent_manual)
if(DETENT_DEBUG_FILES)
  target_link_options(detent_manual PRIVATE -Wl,--strip-debug)
endif()
set(manual ${CMAKE_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/man/detent.1 COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
  COMMAND detent_manual ${manual}
  COMMAND sh -c "gzip -9nk ${manual}/man/*.1" DEPENDS detent_manual VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/man/detent.1)

# ---- JSON Schemas and the types of Python's stubs, made of the fields of reports ------------------------------------
file(GLOB schemas_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} src/schemas/*.cpp)
add_executable(detent_schemas ${schemas_sources})
target_link_libraries(detent_schemas PRIVATE detent_report nlohmann_json::nlohmann_json)
set(reports ${CMAKE_BINARY_DIR}/reports)
add_custom_command(OUTPUT ${reports}/_reports.pyi COMMAND ${CMAKE_COMMAND} -E rm -rf ${reports} COMMAND detent_schemas ${reports}
  DEPENDS detent_schemas VERBATIM)
add_custom_target(schemas ALL DEPENDS ${reports}/_reports.pyi)

if(DETENT_SANITIZE)
  return()  # only for tests: a shared library would not link
endif()

# ---- The library: all rooms as one file, static and shared ----------------------------------------------------------
get_property(rooms GLOBAL PROPERTY DETENT_ROOMS)
set(objects "")
foreach(room ${rooms})
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
endforeach()
add_library(detent_static STATIC EXCLUDE_FROM_ALL ${objects})
add_library(detent_shared SHARED ${objects})
set_target_properties(detent_static detent_shared PROPERTIES OUTPUT_NAME detent)
set_target_properties(detent_static PROPERTIES EXCLUDE_FROM_ALL OFF EXPORT_NAME detent_static)
# A minor version below 1.0 may break programs built against another.
set_target_properties(detent_shared PROPERTIES EXPORT_NAME detent VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(detent_dnnl "")
if(DETENT_ONEDNN)
  set(detent_dnnl DNNL::dnnl)
endif()
set(third_parties fmt::fmt ZLIB::ZLIB zip utf8proc pcre2-8 pugixml::pugixml nlohmann_json::nlohmann_json onnx onnx_proto protobuf::libprotobuf ${detent_dnnl}
  OpenMP::OpenMP_CXX Eigen3::Eigen hwy::hwy TBB::tbb Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(detent_shared PRIVATE ${third_parties})
target_link_libraries(detent_static INTERFACE fmt::fmt ZLIB::ZLIB zip utf8proc pcre2-8 pugixml::pugixml onnx onnx_proto protobuf::libprotobuf ${detent_dnnl}
  OpenMP::OpenMP_CXX hwy::hwy TBB::tbb Threads::Threads ${CMAKE_DL_LIBS})
# Keeps symbols of third parties inside that their headers mark as shown (templates of protobuf and the C++ library).
target_link_options(detent_shared PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/symbols.map -Wl,--no-undefined)
set_property(TARGET detent_shared APPEND PROPERTY LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/symbols.map)
if(DETENT_DEBUG_FILES)
  add_custom_command(TARGET detent_static POST_BUILD VERBATIM COMMAND ${CMAKE_OBJCOPY} --strip-debug $<TARGET_FILE:detent_static>)
endif()
foreach(library detent_static detent_shared)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${library} INTERFACE cxx_std_20)
endforeach()

# Everything that is installed; src/python/CMakeLists.txt adds its module.
add_custom_target(product DEPENDS detent detent_codecs detent_shared detent_static manual schemas)

# ---- Installed places
# -------------------------------------------------------------------------------------------------
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/detent)
install(TARGETS detent COMPONENT runtime)
install(TARGETS detent_codecs LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/detent COMPONENT runtime)
install(TARGETS detent_shared EXPORT detentTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(TARGETS detent_static EXPORT detentStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/detent DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT detentTargets NAMESPACE detent:: DESTINATION ${cmake_folder} COMPONENT development)
install(EXPORT detentStaticTargets NAMESPACE detent:: DESTINATION ${cmake_folder} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/detentConfig.cmake.in ${CMAKE_BINARY_DIR}/detentConfig.cmake
  INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/detentConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/detentConfig.cmake ${CMAKE_BINARY_DIR}/detentConfigVersion.cmake DESTINATION ${cmake_folder}
  COMPONENT development)
file(RELATIVE_PATH above_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/detent.pc.in ${CMAKE_BINARY_DIR}/detent.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/detent.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime FILES_MATCHING PATTERN "*.gz")
install(FILES ${manual}/bash/detent DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
install(FILES ${manual}/zsh/_detent DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT runtime)
install(FILES ${manual}/fish/detent.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
install(DIRECTORY tests/examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT development)
install(DIRECTORY datasets/samples/shapes_unet DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT development)
install(DIRECTORY ${reports}/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/detent COMPONENT runtime)
configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright.in ${CMAKE_BINARY_DIR}/copyright @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME detent
  COMPONENT runtime)
detent_debug_file(detent ${CMAKE_INSTALL_BINDIR})
detent_debug_file(detent_codecs ${CMAKE_INSTALL_LIBDIR}/detent)
detent_debug_file(detent_shared ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/detent-dbgsym COMPONENT dbgsym EXCLUDE_FROM_ALL)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides-dbgsym DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
  RENAME detent-dbgsym COMPONENT dbgsym EXCLUDE_FROM_ALL)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# ---- Packages: `cpack -G DEB` and `cpack -G TXZ` in the build folder ------------------------------------------------
set(CPACK_PACKAGE_NAME detent)
set(CPACK_PACKAGE_VENDOR Detent)
set(CPACK_PACKAGE_CONTACT "Detent <detent@localhost>")
if(CMAKE_CROSSCOMPILING)
  set(parts "command, its manual and the library")
else()
  set(parts "command, its manual, the library and a Python module")
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-numpy, python3-onnx")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "post-training quantization of ONNX models")
set(CPACK_PACKAGE_DESCRIPTION "A trained ONNX model and a folder of real inputs go in, a deployable INT8
model comes out, for TensorRT or ONNX Runtime. Calibrators, placement and
what each layer costs are measured and explained. The package holds the
${parts}.")
set(CPACK_STRIP_FILES ON)  # only without debug files; otherwise the files are stripped already
set(CPACK_PACKAGE_FILE_NAME detent-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # dependencies follow from the linked libraries
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_THREADS 0)  # all cores: the debug files double what is to be compressed
set(CPACK_DEBIAN_MAIN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/per_generator.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)
# One package, and one with the debug files if they are made; per_generator.cmake chooses the components.
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_MAIN_PACKAGE_NAME detent)
set(CPACK_DEBIAN_MAIN_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_DEBIAN_DBGSYM_PACKAGE_NAME detent-dbgsym)
set(CPACK_DEBIAN_DBGSYM_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_DBGSYM_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DBGSYM_PACKAGE_DEPENDS "detent (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DBGSYM_PACKAGE_SUGGESTS "")
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_MAIN_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})
set(CPACK_DETENT_DEBUG_FILES ${DETENT_DEBUG_FILES})
include(CPack)
cpack_add_component(runtime GROUP main)
cpack_add_component(development GROUP main)
cpack_add_component(dbgsym DESCRIPTION "Line tables of the package detent, for stack traces")
