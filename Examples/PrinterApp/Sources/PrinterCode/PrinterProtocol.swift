import ExternalAccessory
import Foundation

/// The protocol of an invented printer. The app sends a length of four bytes, big end first, and the document. The
/// printer answers with one byte when it has printed.
public enum PrinterProtocol {
  public static let name = "com.example.printer"
  public static let printed: UInt8 = 6

  public static func message(_ document: [UInt8]) -> [UInt8] {
    let count = UInt32(document.count)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + document
  }

  /// Opens a session with the first printer; nil without one, or if the printer is in use.
  static func openSession() -> EASession? {
    let accessories = EAAccessoryManager.shared().connectedAccessories
    guard let printer = accessories.first(where: { $0.protocolStrings.contains(name) }) else { return nil }
    return EASession(accessory: printer, forProtocol: name)
  }
}
