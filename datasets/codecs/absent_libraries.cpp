// Functions of GDAL and GLX that OpenCV's static library refers to, for the wheel's codecs. Debian links OpenCV with
// GDAL, whose hundred libraries would triple the wheel; GDAL reads only maps (NITF, DTED) for OpenCV. Here GDAL has no
// drivers and opens no file, so the functions that abort are never called.
#include <cstdlib>

// Names, types and parameters are those of GDAL's ABI.
enum GDALRWFlag : int;
enum GDALDataType : int;
struct GDALRasterIOExtraArg;

class GDALRasterBand {
 public:
  GDALDataType GetRasterDataType();
  int GetXSize();
  int GetYSize();
  int RasterIO(GDALRWFlag, int, int, int, int, void*, int, int, GDALDataType, long long, long long,
               GDALRasterIOExtraArg*);
};

class GDALDataset {
 public:
  GDALRasterBand* GetRasterBand(int);
  int GetRasterCount();
  int GetRasterXSize();
  int GetRasterYSize();
};

class GDALColorTable {
 public:
  [[nodiscard]] const void* GetColorEntry(int) const;
  [[nodiscard]] int GetPaletteInterpretation() const;
};

GDALDataType GDALRasterBand::GetRasterDataType() { std::abort(); }
int GDALRasterBand::GetXSize() { std::abort(); }
int GDALRasterBand::GetYSize() { std::abort(); }
int GDALRasterBand::RasterIO(GDALRWFlag, int, int, int, int, void*, int, int, GDALDataType, long long, long long,
                             GDALRasterIOExtraArg*) {
  std::abort();
}
GDALRasterBand* GDALDataset::GetRasterBand(int) { std::abort(); }
int GDALDataset::GetRasterCount() { std::abort(); }
int GDALDataset::GetRasterXSize() { std::abort(); }
int GDALDataset::GetRasterYSize() { std::abort(); }
const void* GDALColorTable::GetColorEntry(int) const { std::abort(); }
int GDALColorTable::GetPaletteInterpretation() const { std::abort(); }

extern "C" {
void GDALAllRegister();
void* GDALOpen(const char*, int);
void GDALClose(void*);
const char* GDALGetDataTypeName(int);
void* glXGetProcAddressARB(const void*);

void GDALAllRegister() {}
void* GDALOpen(const char*, int) { return nullptr; }
void GDALClose(void*) { std::abort(); }
const char* GDALGetDataTypeName(int) { std::abort(); }
void* glXGetProcAddressARB(const void*) { return nullptr; }
}
