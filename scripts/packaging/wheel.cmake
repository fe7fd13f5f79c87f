# Parts of the Python wheel that differ from the installed product; scripts/wheel builds them.

# Image codecs with OpenCV inside, so that they load 30 libraries instead of 140 and share no symbol with `import cv2`.
find_library(opencv_codecs libopencv_imgcodecs.a NO_CACHE)
if(opencv_codecs)
  cmake_path(GET opencv_codecs PARENT_PATH opencv_folder)
  add_library(detent_wheel_codecs MODULE EXCLUDE_FROM_ALL datasets/codecs/image_codecs.cpp datasets/codecs/absent_libraries.cpp)
  set_target_properties(detent_wheel_codecs PROPERTIES OUTPUT_NAME detent_codecs LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/wheel)
  target_link_libraries(detent_wheel_codecs PRIVATE detent_options)
  target_include_directories(detent_wheel_codecs SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS})
  target_compile_options(detent_wheel_codecs PRIVATE ${detent_conversions} -ffunction-sections -fdata-sections)
  # Debian has no link libopenjp2.so without another package of headers.
  target_link_options(detent_wheel_codecs PRIVATE -Wl,-s,-z,defs,--gc-sections,--as-needed
    -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/modules.map)
  target_link_libraries(detent_wheel_codecs PRIVATE ${opencv_codecs} ${opencv_folder}/libopencv_imgproc.a ${opencv_folder}/libopencv_core.a
    jpeg webp png16 tiff -l:libopenjp2.so.7 OpenEXR Imath Iex IlmThread gdcmMSFF gdcmDSED lapack blas TBB::tbb ZLIB::ZLIB
    Threads::Threads ${CMAKE_DL_LIBS})
  detent_numeric(detent_wheel_codecs)
endif()
