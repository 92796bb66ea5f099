// swift-iap2 · Apache-2.0

/// Faults of the phone around the app, which apps in the field have met. By default there are none.
///
/// They are set by a test, or as text behind a `#` of `EXTERNAL_ACCESSORY`, where each has a name:
/// `space=7,linger=500`. Faults of streams and sessions apply to sessions that open after they were set. The article
/// `ExternalAccessoryTesting/FieldFailures` has the failures of the field that they play.
public struct PhoneFaults: Sendable, Equatable {
  /// Requests for a session that fail although the accessory has opened it.
  public struct OpenRefusal: Sendable, Equatable {
    /// The number of requests that fail; nil for all.
    public var count: Int?
    /// The protocol of the requests; nil for any.
    public var protocolName: String?

    /// Creates a refusal.
    public init(count: Int? = nil, protocolName: String? = nil) {
      self.count = count
      self.protocolName = protocolName
    }
  }

  /// A protocol of which another app has the session.
  public struct HeldProtocol: Sendable, Equatable {
    /// The protocol.
    public var name: String
    /// The time from the connection of the accessory until the other app ends its session; nil for never.
    public var duration: Duration?

    /// Creates a held protocol.
    public init(_ name: String, for duration: Duration? = nil) {
      self.name = name
      self.duration = duration
    }
  }

  /// `refuse-open=COUNT|always[:PROTOCOL]`: `EASession.init?` returns nil, with the reason `fault`.
  public var refuseOpen: OpenRefusal?
  /// `slow-open=MS`: the time that `EASession.init?` blocks before it asks the accessory.
  public var slowOpen: Duration?
  /// `held=PROTOCOL[+MS]`: protocols of which another app has the session. The reason is `inUse`.
  public var held: [HeldProtocol] = []
  /// `linger=MS`: the time for which a session stays in use after the app has closed both streams.
  public var linger: Duration?
  /// `swallow=BYTES`: the first bytes that the app writes to a session, which the accessory never gets.
  public var swallow: Int?
  /// `space=BYTES`: the size of an output stream's buffer, in the place of ``PlatformOptions/outputByteCount``.
  public var space: Int?
  /// `short-read=BYTES`: the bytes that one call of `read` returns at most.
  public var shortRead: Int?
  /// `mute-input=COUNT`: the number of `hasBytesAvailable` events after which an input stream reports nothing more.
  public var muteInput: Int?
  /// `mute-output=COUNT`: the number of `hasSpaceAvailable` events after which an output stream reports nothing more.
  public var muteOutput: Int?
  /// `hang-property=MS`: the time for which `hasBytesAvailable`, `hasSpaceAvailable` and `read` block their caller.
  public var hangProperty: Duration?
  /// `end-as=end|error|silent|one`: the last event of streams, in the place of ``PlatformOptions/streamEnd``.
  public var endAs: PlatformOptions.StreamEnd?
  /// `order=notice-first`: the app is notified of a disconnect before its streams end. By default streams end first.
  public var noticeFirst = false
  /// `delay-notice=MS`: the time from the end of the streams until the app is notified of the disconnect.
  public var delayNotice: Duration?
  /// `lose-connect=PROBABILITY`: the probability, 0…1, that a connected accessory is in the list without a
  /// notification.
  public var loseConnect = 0.0
  /// `lose-notice=PROBABILITY`: the probability, 0…1, that a pull is not noticed. The accessory stays in the list, and
  /// its streams report nothing.
  public var loseNotice = 0.0
  /// `early-connect=MS`: the time for which an accessory is there without protocols before it connects.
  public var earlyConnect: Duration?
  /// `ghost=MS`: the time for which a disconnected accessory stays in the list and opens sessions that carry nothing.
  public var ghost: Duration?
  /// `hidden=COUNT`: the number of connections that the app never learns of.
  public var hidden = 0
  /// `empty-until-registration`: the list is empty until the app registers for notifications.
  public var emptyUntilRegistration = false
  /// `strict-thread`: a use of a stream outside the thread of its run loop is a line on standard error and in the log.
  public var strictThread = false
  /// `picker=select:NAME|cancel|none|fail|already[+MS]`: the user's answer to the Bluetooth picker.
  public var picker: PickerAnswer?
  /// The time until the user answers the picker.
  public var pickerDelay: Duration?
  /// The seed of the random numbers for probabilities.
  public var seed: UInt64 = 1

  /// Creates a phone without faults.
  public init() {}

  /// Returns whether another app has the session of a protocol.
  func isHeld(_ name: String, since connection: ContinuousClock.Instant?) -> Bool {
    held.contains { held in
      guard held.name == name else { return false }
      guard let duration = held.duration, let connection else { return true }
      return ContinuousClock.now < connection + duration
    }
  }

  /// Takes one refusal of a protocol. Returns false if there is none.
  mutating func takeRefusal(of name: String) -> Bool {
    guard let refusal = refuseOpen, refusal.protocolName.map({ $0 == name }) ?? true else { return false }
    guard let count = refusal.count else { return true }
    guard count > 0 else { return false }
    refuseOpen?.count = count - 1
    return true
  }
}
