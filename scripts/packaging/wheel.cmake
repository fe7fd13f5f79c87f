# Parts of the Python wheel that differ from the installed product; scripts/wheel builds them.

# Image codecs with OpenCV inside, so that they share no symbol with `import cv2`.
find_library(opencv_imgproc libopencv_imgproc.a NO_CACHE)
if(opencv_imgproc)
  cmake_path(GET opencv_imgproc PARENT_PATH opencv_folder)
  add_library(detent_wheel_codecs MODULE EXCLUDE_FROM_ALL ${codecs_sources} datasets/codecs/absent_libraries.cpp)
  set_target_properties(detent_wheel_codecs PROPERTIES OUTPUT_NAME detent_codecs LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/wheel)
  target_link_libraries(detent_wheel_codecs PRIVATE detent_options)
  target_include_directories(detent_wheel_codecs SYSTEM PRIVATE ${OPENCV_HEADERS})
  target_compile_options(detent_wheel_codecs PRIVATE ${detent_conversions} -ffunction-sections -fdata-sections)
  target_link_options(detent_wheel_codecs PRIVATE -Wl,-s,-z,defs,--gc-sections,--as-needed
    -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/modules.map)
  target_link_libraries(detent_wheel_codecs PRIVATE ${opencv_imgproc} ${opencv_folder}/libopencv_core.a JPEG::JPEG PNG::PNG TIFF::TIFF ${WEBP}
    lapack blas TBB::tbb ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})
  detent_numeric(detent_wheel_codecs)
endif()
