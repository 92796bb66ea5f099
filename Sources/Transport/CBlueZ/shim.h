#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/l2cap.h>
#include <bluetooth/rfcomm.h>

// The structure Dl_info and the function dladdr of <dlfcn.h>, which declares them only with _GNU_SOURCE. Other names
// avoid a conflict where both are visible.
struct iap2_symbol_place {
  const char *file;
  void *base;
  const char *symbol;
  void *address;
};
extern int iap2_dladdr(const void *address, struct iap2_symbol_place *place) __asm__("dladdr");

// Returns the path of the file that the loader took libbluetooth from, or null if it is unknown. The path is valid
// while the library is loaded.
static inline const char *iap2_bluetooth_library_file(void) {
  struct iap2_symbol_place place;
  return iap2_dladdr((const void *)&str2ba, &place) ? place.file : 0;
}
