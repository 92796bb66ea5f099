// swift-iap2 · Apache-2.0

@_exported public import Foundation

/// A way to reach someone.
open class CXHandle: NSObject, @unchecked Sendable {
  // Invariant for `@unchecked Sendable`: all properties are constant.

  /// The kind of a handle.
  public enum HandleType: Int, Sendable {
    /// Another kind.
    case generic = 1
    /// The number of a telephone.
    case phoneNumber = 2
    /// An address of e-mail.
    case emailAddress = 3
  }

  /// The kind.
  public let type: CXHandle.HandleType
  /// The text.
  public let value: String

  /// Creates a handle.
  public init(type: CXHandle.HandleType, value: String) {
    self.type = type
    self.value = value
    super.init()
  }

  /// Whether another handle has the same kind and text.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CXHandle else { return false }
    return type == other.type && value == other.value
  }

  /// The hash of the kind and the text.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(type)
    hasher.combine(value)
    return hasher.finalize()
  }
}

/// New values of a call. A property that the app does not set keeps its value.
open class CXCallUpdate: NSObject {
  private var holding, grouping, ungrouping, tones, video: Bool?
  /// The other side.
  open var remoteHandle: CXHandle?
  /// The name of the other side.
  open var localizedCallerName: String?

  /// Creates an update.
  public override init() { super.init() }

  /// Whether the call can be held.
  open var supportsHolding: Bool {
    get { holding ?? CallValues().supportsHolding }
    set { holding = newValue }
  }

  /// Whether the call can join another one.
  open var supportsGrouping: Bool {
    get { grouping ?? CallValues().supportsGrouping }
    set { grouping = newValue }
  }

  /// Whether the call can leave others.
  open var supportsUngrouping: Bool {
    get { ungrouping ?? CallValues().supportsUngrouping }
    set { ungrouping = newValue }
  }

  /// Whether the call has tones of the keypad.
  open var supportsDTMF: Bool {
    get { tones ?? CallValues().supportsDTMF }
    set { tones = newValue }
  }

  /// Whether the call has video.
  open var hasVideo: Bool {
    get { video ?? CallValues().hasVideo }
    set { video = newValue }
  }

  /// Changes the values that the app has set.
  func apply(to values: inout CallValues) {
    values.handle = remoteHandle ?? values.handle
    values.callerName = localizedCallerName ?? values.callerName
    values.supportsHolding = holding ?? values.supportsHolding
    values.supportsGrouping = grouping ?? values.supportsGrouping
    values.supportsUngrouping = ungrouping ?? values.supportsUngrouping
    values.supportsDTMF = tones ?? values.supportsDTMF
    values.hasVideo = video ?? values.hasVideo
  }
}

/// The values of a call that the app reported.
package struct CallValues: Hashable, Sendable {
  package var handle: CXHandle?
  package var callerName: String?
  package var supportsHolding = true
  package var supportsGrouping = true
  package var supportsUngrouping = true
  package var supportsDTMF = true
  package var hasVideo = false
}

/// The reason of a call's end that was not the user's.
public enum CXCallEndedReason: Int, Sendable {
  /// It could not be connected.
  case failed = 1
  /// The other side ended it.
  case remoteEnded = 2
  /// The call was not answered.
  case unanswered = 3
  /// Another device answered it.
  case answeredElsewhere = 4
  /// Another device declined it.
  case declinedElsewhere = 5
}

/// The name and the limits of the app's calls.
open class CXProviderConfiguration: NSObject {
  /// The name of the app on the call's screen.
  public let localizedName: String?
  /// The groups of calls at most.
  open var maximumCallGroups = 2
  /// The calls of a group at most.
  open var maximumCallsPerCallGroup = 5
  /// Whether calls may have video.
  open var supportsVideo = false
  /// The kinds of handles.
  open var supportedHandleTypes: Set<CXHandle.HandleType> = []

  /// Creates a configuration with the name of the app.
  public convenience override init() { self.init(name: nil) }

  /// Creates a configuration with a name.
  public convenience init(localizedName: String) { self.init(name: localizedName) }

  private init(name: String?) {
    localizedName = name
    super.init()
  }
}
