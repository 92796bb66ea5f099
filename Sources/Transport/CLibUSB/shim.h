#include <libusb-1.0/libusb.h>

// Swift cannot call variadic functions.
static inline int iap2_libusb_without_discovery(void) {
  return libusb_set_option(NULL, LIBUSB_OPTION_NO_DEVICE_DISCOVERY);
}
