// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// A request of the app, the phone or the car that changes a call.
///
/// Invariant for `@unchecked Sendable`: the properties are constant, and the state is used under its lock.
open class CXAction: NSObject, @unchecked Sendable {
  /// The state of an action.
  package enum State: Sendable {
    /// The app has not answered.
    case pending
    /// The app did it.
    case fulfilled
    /// The app could not do it.
    case failed
  }

  private struct Progress {
    var state = State.pending
    var onCompletion: (@Sendable (CXAction) -> Void)?
  }

  /// The identifier.
  public let uuid = UUID()
  private let progress = Mutex(Progress())

  /// Creates an action.
  public override init() { super.init() }

  /// Whether the app has answered.
  open var isComplete: Bool { state != .pending }

  /// The state.
  package var state: State { progress.withLock { $0.state } }

  /// Answers that the app did it.
  open func fulfill() { complete(.fulfilled) }

  /// Answers that the app could not do it.
  open func fail() { complete(.failed) }

  /// Sets the closure that is called once, after the app has answered.
  func begin(_ onCompletion: @escaping @Sendable (CXAction) -> Void) {
    progress.withLock { $0.onCompletion = onCompletion }
  }

  /// A second answer changes nothing.
  func complete(_ state: State) {
    let onCompletion: (@Sendable (CXAction) -> Void)? = progress.withLock { progress in
      guard progress.state == .pending else { return nil }
      progress.state = state
      defer { progress.onCompletion = nil }
      return progress.onCompletion
    }
    onCompletion?(self)
  }
}

/// An action of one call.
open class CXCallAction: CXAction, @unchecked Sendable {
  /// The call.
  public let callUUID: UUID

  /// Creates an action of a call.
  public init(call callUUID: UUID) {
    self.callUUID = callUUID
    super.init()
  }
}

/// Begins a call.
open class CXStartCallAction: CXCallAction, @unchecked Sendable {
  /// The other side.
  public let handle: CXHandle

  /// Creates an action that begins a call.
  public init(call callUUID: UUID, handle: CXHandle) {
    self.handle = handle
    super.init(call: callUUID)
  }

  /// Answers that the app did it, with the time of the begin.
  open func fulfill(withDateStarted dateStarted: Date) { fulfill() }
}

/// Answers a call.
open class CXAnswerCallAction: CXCallAction, @unchecked Sendable {
  /// Answers that the app did it, with the time of the connection.
  open func fulfill(withDateConnected dateConnected: Date) { fulfill() }
}

/// Ends a call, or declines it.
open class CXEndCallAction: CXCallAction, @unchecked Sendable {
  /// Answers that the app did it, with the time of the end.
  open func fulfill(withDateEnded dateEnded: Date) { fulfill() }
}

/// Holds a call, or takes it back.
open class CXSetHeldCallAction: CXCallAction, @unchecked Sendable {
  /// Whether the call is to be held.
  public let isOnHold: Bool

  /// Creates an action that holds a call or takes it back.
  public init(call callUUID: UUID, onHold: Bool) {
    isOnHold = onHold
    super.init(call: callUUID)
  }
}

/// Mutes the microphone of a call.
open class CXSetMutedCallAction: CXCallAction, @unchecked Sendable {
  /// Whether the microphone is to be muted.
  public let isMuted: Bool

  /// Creates an action that mutes a call.
  public init(call callUUID: UUID, muted: Bool) {
    isMuted = muted
    super.init(call: callUUID)
  }
}

/// Joins a call with another one, or takes it out.
open class CXSetGroupCallAction: CXCallAction, @unchecked Sendable {
  /// The other call; nil to take the call out.
  public let callUUIDToGroupWith: UUID?

  /// Creates an action that joins calls.
  public init(call callUUID: UUID, callUUIDToGroupWith: UUID?) {
    self.callUUIDToGroupWith = callUUIDToGroupWith
    super.init(call: callUUID)
  }
}

/// Sends tones of the keypad.
open class CXPlayDTMFCallAction: CXCallAction, @unchecked Sendable {
  /// The timing of tones.
  public enum ActionType: Int, Sendable {
    /// One tone.
    case singleTone = 1
    /// Tones after a short wait.
    case softPause = 2
    /// Tones when the user lets them go on.
    case hardPause = 3
  }

  /// The tones.
  public let digits: String
  /// The timing of the tones.
  public let type: CXPlayDTMFCallAction.ActionType

  /// Creates an action that sends tones.
  public init(call callUUID: UUID, digits: String, type: CXPlayDTMFCallAction.ActionType) {
    self.digits = digits
    self.type = type
    super.init(call: callUUID)
  }
}

/// Actions that belong together.
///
/// Invariant for `@unchecked Sendable`: the actions are used under the lock only.
open class CXTransaction: NSObject, @unchecked Sendable {
  /// The identifier.
  public let uuid = UUID()
  private let list: Mutex<[CXAction]>

  /// Creates a transaction of one action.
  public convenience init(action: CXAction) { self.init(actions: [action]) }

  /// Creates a transaction.
  public init(actions: [CXAction]) {
    list = Mutex(actions)
    super.init()
  }

  /// The actions.
  open var actions: [CXAction] { list.withLock { $0 } }

  /// Whether the app has answered every action.
  open var isComplete: Bool { actions.allSatisfy(\.isComplete) }

  /// Adds an action.
  open func addAction(_ action: CXAction) { list.withLock { $0.append(action) } }
}
