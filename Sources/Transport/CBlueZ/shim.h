#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>
#include <bluetooth/rfcomm.h>

// Dl_info and dladdr of <dlfcn.h>, which shows them only with _GNU_SOURCE; another name, so that both may be seen.
struct iap2_symbol_place {
  const char *file;
  void *base;
  const char *symbol;
  void *address;
};
extern int iap2_dladdr(const void *address, struct iap2_symbol_place *place) __asm__("dladdr");

// The file that the loader took libbluetooth from; null when it cannot tell. Valid while the library is loaded.
static inline const char *iap2_bluetooth_library_file(void) {
  struct iap2_symbol_place place;
  return iap2_dladdr((const void *)&str2ba, &place) ? place.file : 0;
}
