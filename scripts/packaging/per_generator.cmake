# Read by cpack once for each kind of package.
set(CPACK_COMPONENTS_ALL runtime development)
if(CPACK_GENERATOR STREQUAL "TXZ")
  set(CPACK_PACKAGING_INSTALL_PREFIX /)  # an archive is unpacked anywhere, so its folders have no prefix
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(debug debug)
else()
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY OFF)
  set(debug dbgsym)
endif()
if(CPACK_DETENT_DEBUG_FILES)
  list(APPEND CPACK_COMPONENTS_ALL ${debug})
endif()
