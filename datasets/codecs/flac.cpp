// FLAC by libFLAC. libsndfile would bring six more libraries (Ogg, Vorbis, Opus, MP3) with it.
#include <FLAC/stream_decoder.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>

#include "datasets/codecs/codec.h"

namespace detent {

namespace {

/// Decodes a stream into a sink. Exceptions of the sink are kept while libFLAC's functions return.
class FlacReader {
 public:
  FlacReader(const std::vector<unsigned char>& bytes, AudioSink& sink) : bytes_(bytes), sink_(sink) {}

  void read() {
    const std::unique_ptr<FLAC__StreamDecoder, void (*)(FLAC__StreamDecoder*)> decoder(FLAC__stream_decoder_new(),
                                                                                       FLAC__stream_decoder_delete);
    if (!decoder) throw std::bad_alloc();
    FLAC__stream_decoder_set_md5_checking(decoder.get(), true);
    if (FLAC__stream_decoder_init_stream(decoder.get(), take_bytes, nullptr, nullptr, nullptr, nullptr, take_frame,
                                         take_metadata, take_error, this) != FLAC__STREAM_DECODER_INIT_STATUS_OK)
      throw Unreadable{"the FLAC cannot be decoded"};
    // Data behind the last sample, such as tags, are not read.
    const auto done = [&] {
      return !problem_.empty() || exception_ || (head_ && head_->frames > 0 && frames_ >= head_->frames) ||
             FLAC__stream_decoder_get_state(decoder.get()) >= FLAC__STREAM_DECODER_END_OF_STREAM;
    };
    while (!done())
      if (!FLAC__stream_decoder_process_single(decoder.get())) break;
    const bool sums_agree = FLAC__stream_decoder_finish(decoder.get());
    if (exception_) std::rethrow_exception(exception_);
    const std::string place = " behind sample " + std::to_string(frames_);
    if (!problem_.empty()) throw Unreadable{"the FLAC is damaged" + place + ": " + problem_};
    if (!head_) throw Unreadable{"the FLAC is truncated: it holds no header"};
    if (frames_ < head_->frames || at_ == 0)
      throw Unreadable{"the FLAC is truncated" + place + " of " + std::to_string(head_->frames)};
    if (!sums_agree) throw Unreadable{"the FLAC is damaged: its samples have another checksum than its header says"};
  }

 private:
  template <class Work>
  bool guarded(Work&& work) {
    try {
      work();
      return true;
    } catch (...) {
      exception_ = std::current_exception();
      return false;
    }
  }

  static FlacReader& self(void* reader) { return *static_cast<FlacReader*>(reader); }

  static FLAC__StreamDecoderReadStatus take_bytes(const FLAC__StreamDecoder* /*decoder*/, FLAC__byte buffer[],
                                                  size_t* count, void* reader) {
    FlacReader& my = self(reader);
    *count = std::min(*count, my.bytes_.size() - my.at_);
    if (*count == 0) return FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM;
    std::memcpy(buffer, my.bytes_.data() + my.at_, *count);
    my.at_ += *count;
    return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE;
  }

  static FLAC__StreamDecoderWriteStatus take_frame(const FLAC__StreamDecoder* /*decoder*/, const FLAC__Frame* frame,
                                                   const FLAC__int32* const buffer[], void* reader) {
    FlacReader& my = self(reader);
    const auto& header = frame->header;
    const bool fits = my.head_ && header.channels == my.head_->channels && header.sample_rate == my.head_->rate &&
                      header.bits_per_sample == my.bits_;
    if (!fits && my.problem_.empty()) my.problem_ = "the channels, the rate or the bits change";
    const bool taken = fits && my.guarded([&] {
      std::vector<float> values(header.channels);
      for (unsigned i = 0; i < header.blocksize; ++i) {
        for (unsigned c = 0; c < header.channels; ++c)
          values[c] = static_cast<float>(std::ldexp(static_cast<double>(buffer[c][i]), 1 - static_cast<int>(my.bits_)));
        my.sink_.add(values);
        ++my.frames_;
      }
    });
    return taken ? FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE : FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
  }

  static void take_metadata(const FLAC__StreamDecoder* /*decoder*/, const FLAC__StreamMetadata* metadata,
                            void* reader) {
    if (metadata->type != FLAC__METADATA_TYPE_STREAMINFO) return;
    FlacReader& my = self(reader);
    const auto& info = metadata->data.stream_info;
    my.bits_ = info.bits_per_sample;
    my.guarded([&] {
      my.sink_.begin({info.sample_rate, info.channels, info.total_samples});
      my.head_ = {info.sample_rate, info.channels, info.total_samples};
    });
  }

  static void take_error(const FLAC__StreamDecoder* /*decoder*/, FLAC__StreamDecoderErrorStatus status, void* reader) {
    FlacReader& my = self(reader);
    if (!my.problem_.empty()) return;
    switch (status) {
      case FLAC__STREAM_DECODER_ERROR_STATUS_LOST_SYNC: my.problem_ = "no frame begins where one must"; break;
      case FLAC__STREAM_DECODER_ERROR_STATUS_BAD_HEADER: my.problem_ = "the header of a frame is wrong"; break;
      case FLAC__STREAM_DECODER_ERROR_STATUS_FRAME_CRC_MISMATCH:
        my.problem_ = "the checksum of a frame is wrong";
        break;
      default: my.problem_ = "a frame cannot be decoded"; break;
    }
  }

  const std::vector<unsigned char>& bytes_;
  AudioSink& sink_;
  size_t at_ = 0;
  uint64_t frames_ = 0;
  std::optional<AudioHead> head_;
  unsigned bits_ = 0;
  std::string problem_;
  std::exception_ptr exception_;
};

}  // namespace

void decode_flac(const std::vector<unsigned char>& bytes, AudioSink& sink) { FlacReader(bytes, sink).read(); }

}  // namespace detent
