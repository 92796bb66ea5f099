// swift-iap2 · Apache-2.0

#if USB
  import CLibUSB
#endif

/// The libusb library of this build.
public enum LibUSB {
  /// The version of the library loaded at run time, for example `1.0.26`; nil in a build without the trait `USB`.
  public static var version: String? {
    #if USB
      guard let version = unsafe libusb_get_version() else { return nil }
      return unsafe "\(version.pointee.major).\(version.pointee.minor).\(version.pointee.micro)"
    #else
      return nil
    #endif
  }
}
