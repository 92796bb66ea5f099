// swift-iap2 · Apache-2.0

/// The level of a message.
public struct OSLogType: Sendable, Hashable {
  /// The word before the message.
  public let rawValue: String

  /// The default level.
  public static let `default` = Self(rawValue: "notice")
  /// Informational.
  public static let info = Self(rawValue: "info")
  /// For debugging.
  public static let debug = Self(rawValue: "debug")
  /// An error.
  public static let error = Self(rawValue: "error")
  /// A mistake in the code.
  public static let fault = Self(rawValue: "fault")
}

/// A log with the name of its subsystem and category.
///
/// It has the shape of the loggers that apps get from `os` and `OSLog`, and writes each message as a line to standard
/// error, where a test run shows it: `com.example.radio/player error: no signal`.
public struct Logger: Sendable {
  private let log: OSLog

  /// Creates a log without a name.
  public init() { log = .default }

  /// Creates a log with a name.
  public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

  /// Creates a log that writes to another one.
  public init(_ log: OSLog) { self.log = log }

  /// Writes a message of the default level.
  public func log(_ message: OSLogMessage) { log.write(message.text, .default) }

  /// Writes a message of a level.
  public func log(level: OSLogType, _ message: OSLogMessage) { log.write(message.text, level) }

  /// Writes a message for debugging.
  public func trace(_ message: OSLogMessage) { log.write(message.text, .debug) }

  /// Writes a message for debugging.
  public func debug(_ message: OSLogMessage) { log.write(message.text, .debug) }

  /// Writes an informational message.
  public func info(_ message: OSLogMessage) { log.write(message.text, .info) }

  /// Writes a message of the default level.
  public func notice(_ message: OSLogMessage) { log.write(message.text, .default) }

  /// Writes a warning, which a device stores as an error.
  public func warning(_ message: OSLogMessage) { log.write(message.text, .error) }

  /// Writes an error.
  public func error(_ message: OSLogMessage) { log.write(message.text, .error) }

  /// Writes a message about a mistake in the code.
  public func critical(_ message: OSLogMessage) { log.write(message.text, .fault) }

  /// Writes a message about a mistake in the code.
  public func fault(_ message: OSLogMessage) { log.write(message.text, .fault) }
}
