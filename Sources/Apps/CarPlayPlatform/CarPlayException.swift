// swift-iap2 · Apache-2.0

/// An exception that the real framework raises. It ends an app, because Swift cannot catch it.
///
/// The texts are those that app teams found in crash logs, so a search for a text finds them
/// (CarPlay/Frameworks.md#errors).
public struct CarPlayException: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the exception, such as `NSGenericException`.
  public var name: String
  /// The text.
  public var reason: String

  /// Creates an exception.
  public init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }

  /// The name and the text in one line, as a crash log prints them.
  public var description: String { "\(name): \(reason)" }

  /// The name of exceptions about an argument.
  public static let invalidArgument = "NSInvalidArgumentException"
  /// The name of exceptions about an operation.
  public static let generic = "NSGenericException"
  /// The name of assertions.
  public static let internalInconsistency = "NSInternalInconsistencyException"

  /// The exception for a template of a class that is not allowed (S0, S1, flutter_carplay 7).
  ///
  /// - Parameters:
  ///   - template: The template's description.
  ///   - method: The method in Objective-C's spelling, such as `pushTemplate:animated:completion:`.
  ///   - allowed: The names of the allowed classes; empty without an entitlement.
  public static func unsupported(_ template: String, method: String, allowed: [String]) -> Self {
    let classes = allowed.isEmpty ? "(null)" : "{( \(allowed.joined(separator: ", ")) )}"
    return Self(
      name: invalidArgument,
      reason: "Unsupported object \(template) passed to \(method). Allowed classes: \(classes)")
  }

  /// The exception for a stack that is too deep (react-native-audio-browser 90).
  public static let tooDeep = Self(name: generic, reason: "Application exceeded the hierarchy depth limit.")

  /// Returns the exception for a failed operation without a completion handler (react-native-carplay 25).
  public static func noCompletion(error: String) -> Self {
    Self(
      name: generic,
      reason: "An error was encountered during a template operation, but no completion block was specified. "
        + "Error: \(error)")
  }

  /// The exception for a template that is on the stack already (plappa 268).
  public static let sameTemplate = Self(
    name: generic, reason: "Pushing the same template instance more than once is not supported.")

  /// The exception for a scene delegate without a method to connect (mapbox 3355, react-native-carplay 30).
  public static let noLifecycleMethods = Self(
    name: generic,
    reason: "Application does not implement CarPlay template application lifecycle methods in its scene delegate.")

  /// Returns the exception for a pushed modal template (S0, S1). Unverified: the sources give the meaning, not the
  /// words.
  public static func mustBePresented(_ className: String) -> Self {
    Self(name: internalInconsistency, reason: "\(className) must be presented modally.")
  }

  /// Returns the exception for a template that cannot be presented. Unverified: the words are ours.
  public static func cannotBePresented(_ className: String) -> Self {
    Self(name: internalInconsistency, reason: "\(className) cannot be presented modally.")
  }

  /// Returns the exception for a tab bar with more tabs than the maximum (D, amperfy 309). Unverified: the words are
  /// ours.
  public static func tooManyTabs(_ count: Int, maximum: Int) -> Self {
    Self(name: invalidArgument, reason: "A tab bar template has \(count) templates; the maximum is \(maximum).")
  }

  /// The exception for bar buttons on the Now Playing template (D). Unverified: the words are ours.
  public static let nowPlayingBarButtons = Self(
    name: invalidArgument, reason: "CPNowPlayingTemplate does not support navigation bar buttons.")

  /// Returns the exception for a voice state that does not exist or is not visible. Unverified: the words are ours.
  public static func voiceState(_ identifier: String) -> Self {
    Self(name: invalidArgument, reason: "No voice control state with the identifier \(identifier) can be activated.")
  }

  /// The exception for a controller of a disconnected car (react-native-carplay 184). Unverified: the words are ours.
  public static let staleController = Self(
    name: generic, reason: "The interface controller is not connected to a CarPlay screen.")

  /// Returns the exception for a misused handler of the old content API (Xamarin demo 3). Unverified: the words are
  /// ours.
  public static func contentHandler(_ text: String) -> Self {
    Self(name: internalInconsistency, reason: text)
  }
}

/// An error of a template operation: domain `CarPlayErrorDomain`, code −1.
public struct TemplateError: Error, Sendable, Hashable {
  /// The description.
  public var text: String

  /// Creates an error.
  public init(_ text: String) { self.text = text }

  /// The domain of every error.
  public static let domain = "CarPlayErrorDomain"
  /// The code of every error (react-native-carplay 25).
  public static let code = -1

  /// The error of a pop without a template above the root (react-native-carplay 25, cachly 5388).
  public static let nothingToPop = Self("No templates were available to be popped.")
  /// The error of a second modal template. Unverified: the words are ours.
  public static let alreadyPresenting = Self("A template is already presented.")
  /// The error of a push below a modal template. Unverified: the words are ours.
  public static let coveredByModal = Self("The stack cannot change while a template is presented.")
  /// The error of a call during another change. Unverified: the words are ours.
  public static let changeInProgress = Self("Another template operation is in progress.")
  /// The error of a target that is not on the stack. Unverified: the words are ours.
  public static let notOnStack = Self("The template is not on the stack.")
  /// The error of a change that still waits when the car disconnects. Unverified: the error and the words are ours.
  public static let disconnected = Self("The interface controller is no longer connected to a CarPlay screen.")
  /// Returns the error of a template at a place where its class is not allowed. Unverified: the words are ours.
  public static func wrongPlace(_ className: String, _ place: TemplatePlace) -> Self {
    Self("\(className) cannot be \(place == .root ? "the root" : place == .tab ? "a tab" : "\(place.rawValue)").")
  }

  /// The error as the text of an exception prints it.
  public var printed: String {
    "Error Domain=\(Self.domain) Code=\(Self.code) \"\(text)\" UserInfo={NSLocalizedDescription=\(text)}"
  }
}
