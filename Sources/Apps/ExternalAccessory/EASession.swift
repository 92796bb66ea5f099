// swift-iap2 · Apache-2.0

import AccessoryPlatform
public import Foundation

/// A session of an EA protocol with an accessory, as two streams.
///
/// There is one session of a protocol of an accessory at a time. It ends when the app has closed or released both
/// streams.
public final class EASession: NSObject {
  /// The accessory.
  public let accessory: EAAccessory?
  /// The name of the protocol.
  public let protocolString: String?
  /// The bytes of the accessory. It is the same object each time.
  public let inputStream: InputStream?
  /// The bytes to the accessory. It is the same object each time.
  public let outputStream: OutputStream?

  private let core: SessionCore

  /// Opens a session. Blocks until the accessory has answered, at most 5 s.
  ///
  /// It returns nil if the app does not declare the protocol, if the accessory does not have it, declines or does not
  /// answer, or if a session of the protocol is open. The reason is on standard error and in the log of
  /// `ExternalAccessoryTesting`. *Unverified*: whether the call blocks on a phone, and for how long.
  public init?(accessory: EAAccessory, forProtocol protocolString: String) {
    guard let core = accessory.connection.open(protocolString) else { return nil }
    self.core = core
    self.accessory = accessory
    self.protocolString = protocolString
    inputStream = AccessoryInputStream(core)
    outputStream = AccessoryOutputStream(core)
    super.init()
  }

  /// Sessions are opened with an accessory.
  @available(*, unavailable, message: "use init(accessory:forProtocol:)")
  public override init() { preconditionFailure() }

  deinit { core.ownerReleased() }
}
