// swift-iap2 · Apache-2.0

/// The behavior of the emulated phone where Apple's is not known, or where apps have seen more than one.
///
/// Each default is the behavior that open apps rely on. A property that is marked *unverified* has no published
/// evidence for its default.
public struct PlatformOptions: Sendable, Equatable {
  /// A rule for a second session of a protocol that is still open.
  public enum SessionInUse: Sendable, Equatable {
    /// The second session is not opened.
    case refuse
    /// The first session ends, then the second one opens.
    case replace
  }

  /// A rule for calls of `registerForLocalNotifications()`.
  public enum Registration: Sendable, Equatable {
    /// One call of `unregisterForLocalNotifications()` ends the notifications for the whole app.
    case boolean
    /// Notifications end after as many calls of `unregister…` as of `register…`.
    case counting
  }

  /// The last event of the streams of a session that the accessory or the cable has ended.
  public enum StreamEnd: Sendable, Equatable {
    /// Both streams report `endEncountered`, the input stream after its bytes were read.
    case end
    /// Both streams report `errorOccurred`.
    case error
    /// Neither stream reports anything.
    case silent
    /// Only the input stream reports `endEncountered`.
    case inputOnly
  }

  /// The queue of the completion of the Bluetooth picker.
  public enum PickerQueue: Sendable, Equatable {
    /// The main queue.
    case main
    /// A queue of the system.
    case background
  }

  /// The size of an output stream's buffer in bytes. *Unverified*: the size on a real phone is not known.
  public var outputByteCount = 4096
  /// The bytes that an input stream keeps for the app at most. Beyond them, the accessory is held back.
  public var inputByteCount = 65_536
  /// The longest time for which `EASession.init?` blocks. *Unverified*: a real phone's limit is not known.
  public var openTimeout = Duration.seconds(5)
  /// Whether `read` waits for a byte when there is none. *Unverified*; by default it returns 0.
  public var blockingRead = false
  /// The rule for a second session of a protocol. The published texts contradict each other.
  public var sessionInUse = SessionInUse.refuse
  /// The rule for the registration of notifications.
  public var registration = Registration.boolean
  /// The last event of streams. *Unverified*: apps handle both.
  public var streamEnd = StreamEnd.end
  /// Whether the streams end when their `EASession` is released. *Unverified*; by default they keep what they need.
  public var sessionOwnsStreams = false
  /// Whether `accessoryDidDisconnect` needs a registration for notifications. *Unverified*.
  public var delegateNeedsRegistration = false
  /// Whether `connectedAccessories` leaves out accessories without a declared protocol. *Unverified*.
  public var hidesUndeclaredAccessories = false
  /// Whether `connectionID` is 0 after the end of the connection. *Unverified*; by default it keeps its value.
  public var forgetsConnectionID = false
  /// The queue of the completion of the Bluetooth picker. *Unverified*.
  public var pickerQueue = PickerQueue.main
  /// Whether the completion of the Bluetooth picker is called before the connect notification. *Unverified*; by default
  /// it is called after it.
  public var pickerCompletesFirst = false
  /// Whether a browser of unconfigured accessories searches on after a configuration. *Unverified*; by default it stops.
  public var browserSearchesOn = false
  /// The code of a stream's error, in the domain `NSPOSIXErrorDomain`; nil takes the one of its cause. *Unverified*.
  public var streamErrorCode: Int?
  /// The time after which events that no run loop takes are delivered on the main queue; nil waits for the run loop.
  public var undeliveredEventLimit: Duration? = .seconds(2)

  /// Creates the default options.
  public init() {}
}

/// The reason why `EASession.init?` returned nil. On a real phone an app does not learn it.
public enum SessionRefusal: String, Sendable, Equatable, CaseIterable {
  /// The app's Info.plist does not declare the protocol in `UISupportedExternalAccessoryProtocols`.
  case notDeclared
  /// The accessory does not have the protocol.
  case unknownProtocol
  /// A session of the protocol is still open.
  case inUse
  /// The accessory declined the session.
  case refused
  /// The accessory did not answer in time.
  case timedOut
  /// The accessory is not connected, or its end was reported to the app.
  case gone
  /// A fault of the test or the environment refused the session.
  case fault
}
