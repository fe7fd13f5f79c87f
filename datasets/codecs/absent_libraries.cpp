// A function of GLX that OpenCV's static library refers to, for the wheel's codecs, which show nothing on a screen.
extern "C" {
void* glXGetProcAddressARB(const void*);
void* glXGetProcAddressARB(const void*) { return nullptr; }
}
