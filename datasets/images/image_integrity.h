#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// The format of an image file.
enum class ImageFormat : uint8_t { Unknown, Jpeg, Png, WebP, Bmp, Pnm, Tiff };

/// Recognises a file by its first bytes and checks that it is complete: JPEG by following the markers to the end
/// marker, PNG chunk by chunk with checksums, and that its data can hold so many pixels, WebP by the length in its
/// header. The other formats' decoders do the same. Errors  InvalidData, without a file name: a truncated file, a wrong
/// checksum, an animated WebP, another format; it is named if it is one that image readers know.
ImageFormat check_image_complete(const std::vector<unsigned char>& bytes);

/// Calls `visit(code, begin, end)` for each marker of a JPEG behind the first, with the place of its segment's content,
/// until it returns false or the end marker was visited.
/// Errors  InvalidData, without a file name, when the file ends before.
void walk_jpeg(const std::vector<unsigned char>& bytes,
               const std::function<bool(unsigned char code, size_t begin, size_t end)>& visit);

/// Calls `visit(type, begin, end)` for each chunk of a PNG up to the end chunk; begin and end span the whole chunk.
/// Errors  InvalidData, without a file name, when the file ends before.
void walk_png(const std::vector<unsigned char>& bytes,
              const std::function<void(std::string_view type, size_t begin, size_t end)>& visit);

}  // namespace detent
