// A function of GLX that OpenCV's core refers to; nothing here draws on a screen.
extern "C" {
void* glXGetProcAddressARB(const void*);
void* glXGetProcAddressARB(const void*) { return nullptr; }
}
