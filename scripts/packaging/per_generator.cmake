# Read by cpack once for each kind of package: an archive is unpacked anywhere, so its folders begin at its own.
if(CPACK_GENERATOR STREQUAL "TXZ")
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
endif()
