// swift-iap2 · Apache-2.0

/// A side of a session.
public enum SessionSide: Sendable, Hashable, CaseIterable {
  /// Apple's word is controller.
  case phone
  /// Apple's word is accessory.
  case headUnit

  /// The other side.
  public var other: Self { self == .phone ? .headUnit : .phone }
}

/// A thing that one side has at a time. The raw values are those of the wire (CarPlaySession.md#modes-fields).
public enum ModeResource: Int, Sendable, Hashable, CaseIterable {
  /// The main screen with the user's input devices.
  case screen = 1
  /// The speakers and the microphone, without prompts.
  case mainAudio = 2
}

/// Who may take or borrow a resource from its user.
public enum ModeConstraint: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// Everybody.
  case anytime = 100
  /// Only for what a user did.
  case userInitiated = 500
  /// Nobody.
  case never = 1000

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Whether a request may have the resource of a user with this constraint.
  func admits(_ priority: ModePriority) -> Bool {
    switch self {
    case .anytime: true
    case .userInitiated: priority == .userInitiated
    case .never: false
    }
  }
}

/// Why a resource is wanted.
public enum ModePriority: Int, Sendable, Hashable, CaseIterable {
  /// Nobody asked for it.
  case niceToHave = 100
  /// A user did something.
  case userInitiated = 500
}

/// A wish for a resource.
public enum ModeTransfer: Sendable, Hashable {
  /// For an unlimited time. The constraints say who may take or borrow it afterwards.
  case take(ModePriority, take: ModeConstraint, borrow: ModeConstraint)
  /// Gives up what was taken.
  case untake
  /// To be given back. The constraint says who may have it before that.
  case borrow(ModePriority, unborrow: ModeConstraint)
  /// Gives back.
  case unborrow
}

/// The kind of speech of a side.
public enum SpeechMode: Int, Sendable, Hashable, CaseIterable {
  /// Silence.
  case none = -1
  /// The side speaks.
  case speaking = 1
  /// The side listens.
  case recognizing = 2
}

/// A change of an app state, which one side has at a time.
public enum ModeAppState: Sendable, Hashable {
  /// The side speaks, listens or is silent again.
  case speech(SpeechMode)
  /// A call begins or ends.
  case phoneCall(Bool)
  /// Guidance begins or ends.
  case turnByTurn(Bool)
}

/// A request: wishes for resources and app states, which are granted together or not at all.
public struct ModeRequest: Sendable, Hashable {
  /// A wish for one resource.
  public struct Wish: Sendable, Hashable {
    /// The resource.
    public var resource: ModeResource
    /// The kind of the wish.
    public var transfer: ModeTransfer
  }

  /// The wishes for resources.
  public var wishes: [Wish]
  /// The changes of app states.
  public var appStates: [ModeAppState]
  /// The reason as free text.
  public var reason: String

  /// Creates a request.
  public init(
    _ wishes: [(ModeResource, ModeTransfer)] = [], appStates: [ModeAppState] = [], reason: String = ""
  ) {
    self.wishes = wishes.map { Wish(resource: $0.0, transfer: $0.1) }
    self.appStates = appStates
    self.reason = reason
  }
}
