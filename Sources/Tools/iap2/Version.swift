// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2Bluetooth
import IAP2USB

/// The text of `iap2 --version`.
enum Version {
  static var text: String {
    """
    iap2 \(ProgramVersion.number)
    libusb\(LibUSB.version.map { " \($0)" } ?? ": built without USB")
    BlueZ\(BlueZ.libraryVersion.map { " library \($0)" } ?? ": built without Bluetooth")
    compiled by Swift \(compiler)
    """
  }

  /// The compiler's release, as far as conditional compilation can determine it.
  private static var compiler: String {
    #if compiler(>=6.4)
      "6.4 or later"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }
}
