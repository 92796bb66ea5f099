// swift-iap2 · Apache-2.0

#if Bluetooth
  import CBlueZ
  import Glibc
#endif

/// Bluetooth of this machine, through BlueZ.
public enum BlueZ {
  /// The version of the shared library loaded at run time, for example `3.19.8`; nil in a build without the trait
  /// `Bluetooth`.
  ///
  /// BlueZ has no call that returns its release (5.66 and so on). Neither the library nor its headers contain it, and
  /// the number in `bluez.pc` is known only where the program is compiled. The running program can find the file that
  /// the loader took. The version is the end of that file's name after symbolic links are resolved. If the name has
  /// no number, the value is the whole name.
  public static var libraryVersion: String? {
    #if Bluetooth
      guard let file = unsafe iap2_bluetooth_library_file() else { return "of unknown version" }
      let resolved = unsafe realpath(file, nil)
      defer { unsafe free(resolved) }
      let path = unsafe resolved.map { unsafe String(cString: $0) } ?? String(cString: file)
      let name = path.split(separator: "/").last.map(String.init) ?? path
      let version = name.drop { !$0.isNumber }
      return version.isEmpty ? name : String(version)
    #else
      return nil
    #endif
  }
}
