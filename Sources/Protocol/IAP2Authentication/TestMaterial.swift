// swift-iap2 · Apache-2.0

/// TEST MATERIAL, NOT FOR PRODUCTION. This private key is public, so it proves nothing.
///
/// It is committed so that two processes can authenticate without configuration. `tools/data/make-test-certificates`
/// makes it and does not keep the CA's private key, so the certificates and the key can only be replaced together.
enum TestMaterial {
  /// The test CA, "swift-iap2 TEST CA - not for production", P-256, valid to the year 2099.
  static let certificateAuthority = """
    -----BEGIN CERTIFICATE-----
    MIIB9TCCAZugAwIBAgIUXD+mzSErzLQ5LC9Q84UAg6zhTAswCgYIKoZIzj0EAwIw
    RzETMBEGA1UECgwKc3dpZnQtaWFwMjEwMC4GA1UEAwwnc3dpZnQtaWFwMiBURVNU
    IENBIC0gbm90IGZvciBwcm9kdWN0aW9uMCAXDTI2MTEyMTAzNDIxMVoYDzIwOTkx
    MjMwMDM0MjExWjBHMRMwEQYDVQQKDApzd2lmdC1pYXAyMTAwLgYDVQQDDCdzd2lm
    dC1pYXAyIFRFU1QgQ0EgLSBub3QgZm9yIHByb2R1Y3Rpb24wWTATBgcqhkjOPQIB
    BggqhkjOPQMBBwNCAATMTjkb1vZ36Vif0QUVdZiXPv/lptH1G8PHHkWS+fTLXIsL
    gpi+sY37z1N1PXzQPdYY4vZAJmirNiNPf3ZNrdBzo2MwYTAdBgNVHQ4EFgQU22um
    8ISq10k8uSCvk4XMW9eSo0wwHwYDVR0jBBgwFoAU22um8ISq10k8uSCvk4XMW9eS
    o0wwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwID
    SAAwRQIhANEiigH4H/emFLvp3rJHZcud35Rs8t1NX9ZV0MLj0cmWAiAiYYkL2EQk
    Yk+nWgpg36e/YZ9XK2T1enhZDcLlP8l1vw==
    -----END CERTIFICATE-----
    """

  /// The test accessory, "swift-iap2 TEST ACCESSORY", issued by the test CA.
  static let accessoryCertificate = """
    -----BEGIN CERTIFICATE-----
    MIIB4DCCAYagAwIBAgIQGpIAAAAAAAAAAAAAAAAAoTAKBggqhkjOPQQDAjBHMRMw
    EQYDVQQKDApzd2lmdC1pYXAyMTAwLgYDVQQDDCdzd2lmdC1pYXAyIFRFU1QgQ0Eg
    LSBub3QgZm9yIHByb2R1Y3Rpb24wIBcNMjYxMTIxMDM0MjExWhgPMjA5OTEyMzAw
    MzQyMTFaMDkxEzARBgNVBAoMCnN3aWZ0LWlhcDIxIjAgBgNVBAMMGXN3aWZ0LWlh
    cDIgVEVTVCBBQ0NFU1NPUlkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQA2q0M
    E6iZpUeMesSVhJz+Zpe1EtU6/Snk10XDi393fwIoe/cj9sDg59ps2nYRpoEAG1zR
    QR7yMBL41CccLnFKo2AwXjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDAd
    BgNVHQ4EFgQUFyKRbIeqg0vwQb/5ntMq6klE4AMwHwYDVR0jBBgwFoAU22um8ISq
    10k8uSCvk4XMW9eSo0wwCgYIKoZIzj0EAwIDSAAwRQIhAKg9r0asw3MtKn3iUBoz
    yz3/lUjud8/ekRGZYpr2sJbSAiAAv2YLUnQhdD6RxuFbqHVq4cCe4Bo1EyZWMJh4
    LWbz9g==
    -----END CERTIFICATE-----
    """

  /// The test accessory's private key. It is public and has no value outside tests.
  static let accessoryKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4dxPrOWrEehzqXnW
    qIKWIIp4J/z3pYiPWXs6XYqjqvKhRANCAAQA2q0ME6iZpUeMesSVhJz+Zpe1EtU6
    /Snk10XDi393fwIoe/cj9sDg59ps2nYRpoEAG1zRQR7yMBL41CccLnFK
    -----END PRIVATE KEY-----
    """

  /// A self-signed RSA-1024 certificate in the form of 2.0 chips, for the emulated 2.0C. Its private key was not kept,
  /// so nothing can be signed with it. It was made with `openssl req -x509 -newkey rsa:1024 -sha1`.
  static let oldChipCertificate = """
    -----BEGIN CERTIFICATE-----
    MIICejCCAeOgAwIBAgIUUvXQo5n7OMzc+nnuDyB2zWzttk8wDQYJKoZIhvcNAQEF
    BQAwTjETMBEGA1UECgwKc3dpZnQtaWFwMjE3MDUGA1UEAwwuc3dpZnQtaWFwMiBU
    RVNUIENISVAgMi4wQyAtIG5vdCBmb3IgcHJvZHVjdGlvbjAgFw0yNjExMjExNzM5
    MjVaGA8yMDk4MDEyNzE3MzkyNVowTjETMBEGA1UECgwKc3dpZnQtaWFwMjE3MDUG
    A1UEAwwuc3dpZnQtaWFwMiBURVNUIENISVAgMi4wQyAtIG5vdCBmb3IgcHJvZHVj
    dGlvbjCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEArGp+ATiepoWExJeDUIgj
    lpnSiWH9tNt3HrVF56THeS9JgQm4SBTDKydVw+Aa9DvLYm6AUYMyQjr13kX8qzbP
    XNRpoTBjFgACBGwOb4Fxh9SuwJJrF6c6qV6nPG13XzFkMNcBfantJ3VwOjszg4Lv
    GBFI2fRQRjp8w5H4yBqYZUsCAwEAAaNTMFEwHQYDVR0OBBYEFJr0bbLcRrRIHCYW
    1cCosi898iH7MB8GA1UdIwQYMBaAFJr0bbLcRrRIHCYW1cCosi898iH7MA8GA1Ud
    EwEB/wQFMAMBAf8wDQYJKoZIhvcNAQEFBQADgYEAXxaYQ7m6J57EQ8t4l4gATS8F
    E3cme4MYCrc9pvGWZ7l9RxxVZ91lUw7cKf/jEzPFQjDZ/slH70vrio0tpUs3QXC+
    EJh9aEcUG65H2U9AcgpB4/5Rwl7nHjSJnL/twBeZNOjLQf96D7LKZPH7I8o21GZk
    sEo5y8RIOawuZqcuXfE=
    -----END CERTIFICATE-----
    """
}
