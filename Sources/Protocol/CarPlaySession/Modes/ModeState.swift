// swift-iap2 · Apache-2.0

/// A side of a session.
public enum SessionSide: Sendable, Hashable, CaseIterable {
  /// The phone, which Apple calls the controller.
  case phone
  /// The head unit, which Apple calls the accessory.
  case headUnit

  /// The other side.
  public var other: Self { self == .phone ? .headUnit : .phone }
}

/// A resource that one side has at a time. The raw values are those of the wire (CarPlaySession.md#modes-fields).
public enum ModeResource: Int, Sendable, Hashable, CaseIterable {
  /// The main screen with the user's input devices.
  case screen = 1
  /// The speakers and the microphone, without prompts.
  case mainAudio = 2
}

/// A constraint on the requests that may take or borrow a resource from its user.
public enum ModeConstraint: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// Any request may have the resource.
  case anytime = 100
  /// Only a request that a user initiated may have the resource.
  case userInitiated = 500
  /// No request may have the resource.
  case never = 1000

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// Returns whether a request may have a resource with this constraint.
  func admits(_ priority: ModePriority) -> Bool {
    switch self {
    case .anytime: true
    case .userInitiated: priority == .userInitiated
    case .never: false
    }
  }
}

/// The priority of a request for a resource.
public enum ModePriority: Int, Sendable, Hashable, CaseIterable {
  /// The request was not initiated by a user.
  case niceToHave = 100
  /// The request was initiated by a user.
  case userInitiated = 500
}

/// A requested transfer of a resource.
public enum ModeTransfer: Sendable, Hashable {
  /// The side takes the resource for an unlimited time. The constraints decide which requests may take or borrow it
  /// afterwards.
  case take(ModePriority, take: ModeConstraint, borrow: ModeConstraint)
  /// The side gives up a resource that it took.
  case untake
  /// The side borrows the resource until it gives it back. The constraint decides which requests may have it before
  /// that.
  case borrow(ModePriority, unborrow: ModeConstraint)
  /// The side gives a borrowed resource back.
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

/// A request for transfers of resources and changes of app states. It is granted as a whole or refused.
public struct ModeRequest: Sendable, Hashable {
  /// A requested transfer of one resource.
  public struct Item: Sendable, Hashable {
    /// The resource.
    public var resource: ModeResource
    /// The transfer.
    public var transfer: ModeTransfer
  }

  /// The requested transfers of resources.
  public var items: [Item]
  /// The changes of app states.
  public var appStates: [ModeAppState]
  /// The reason as free text.
  public var reason: String

  /// Creates a request.
  public init(
    _ items: [(ModeResource, ModeTransfer)] = [], appStates: [ModeAppState] = [], reason: String = ""
  ) {
    self.items = items.map { Item(resource: $0.0, transfer: $0.1) }
    self.appStates = appStates
    self.reason = reason
  }
}
