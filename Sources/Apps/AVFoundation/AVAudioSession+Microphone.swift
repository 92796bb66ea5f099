// swift-iap2 · Apache-2.0

// The user always lets the app record here. The values of the decisions are the codes undt, deny and grnt. (unverified)

/// The user's decision whether the app may use the microphone.
open class AVAudioApplication: NSObject, @unchecked Sendable {
  // swift-format-ignore: TypeNamesShouldBeCapitalized
  /// The decision.
  public enum recordPermission: Int, Sendable {
    /// The user was not asked.
    case undetermined = 0x756E_6474
    /// The user has refused.
    case denied = 0x6465_6E79
    /// The user lets the app record.
    case granted = 0x6772_6E74
  }

  /// The application.
  public static let shared = AVAudioApplication()

  private override init() { super.init() }

  /// The decision: `granted`.
  open var recordPermission: recordPermission { .granted }

  /// Asks the user. The closure gets whether the app may record.
  open class func requestRecordPermission(completionHandler response: @escaping @Sendable (Bool) -> Void) {
    PlaybackClock.shared.after(0) { response(true) }
  }

  /// Asks the user. Returns whether the app may record.
  open class func requestRecordPermission() async -> Bool { true }
}

extension AVAudioSession {
  /// The user's decision whether the app may use the microphone.
  public enum RecordPermission: UInt, Sendable {
    /// The user was not asked.
    case undetermined = 0x756E_6474
    /// The user has refused.
    case denied = 0x6465_6E79
    /// The user lets the app record.
    case granted = 0x6772_6E74
  }

  /// The decision: `granted`.
  public var recordPermission: RecordPermission { .granted }

  /// Asks the user. The closure gets whether the app may record.
  public func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
    AVAudioApplication.requestRecordPermission(completionHandler: response)
  }

  /// Whether there is a microphone.
  public var isInputAvailable: Bool { true }

  /// The samples in a second.
  public var sampleRate: Double { Double(Microphone.rate) }

  /// The channels of the microphone; none if the category does not open it.
  public var inputNumberOfChannels: Int { category.records ? 1 : 0 }

  /// Sets the preferred rate, which has no effect.
  public func setPreferredSampleRate(_ sampleRate: Double) throws {}

  /// Sets the preferred duration of a buffer, which has no effect.
  public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {}

  /// Sets the preferred number of the microphone's channels, which has no effect.
  public func setPreferredInputNumberOfChannels(_ count: Int) throws {}
}
