// swift-iap2 · Apache-2.0

/// The reason why a run of an app in a car failed.
public struct CarFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of a failure.
  public enum Kind: Sendable, Hashable {
    /// An expectation was not met, or a step failed.
    case expectation
    /// The app was killed or trapped, did not answer, or uses another protocol than this program.
    case app
    /// The user stopped the run.
    case stopped
    /// The user must choose one of several possibilities.
    case usage
    /// A file has a fault.
    case badInput
    /// A file is missing.
    case noInput
    /// A file cannot be written.
    case noOutput
    /// The user has no permission for a device.
    case noPermission
    /// A required program cannot be started or built.
    case unavailable
    /// The system provides no more descriptors or threads.
    case system
  }

  /// The kind.
  public var kind: Kind
  /// The reason in one line.
  public var description: String
  /// More lines, such as the screen.
  public var details: [String]

  /// Creates a failure.
  public init(_ kind: Kind, _ description: String, details: [String] = []) {
    self.kind = kind
    self.description = description
    self.details = details
  }

  /// The exit code of a command with this failure; a code of sysexits.h if one fits.
  public var exitCode: Int32 {
    switch kind {
    case .expectation, .app, .stopped: 1
    case .usage: 64
    case .badInput: 65
    case .noInput: 66
    case .unavailable: 69
    case .system: 71
    case .noOutput, .noPermission: 77
    }
  }
}
