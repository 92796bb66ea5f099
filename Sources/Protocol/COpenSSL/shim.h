#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

// The form of RFC 4514 for names, with letters beyond ASCII as they are. The macros have casts that Swift does not
// import.
static const unsigned long COpenSSL_nameForm = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;
