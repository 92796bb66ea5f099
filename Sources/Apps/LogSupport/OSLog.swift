// swift-iap2 · Apache-2.0

// An app gets Foundation with OSLog on Apple's systems.
@_exported public import Foundation
import PortingSupport

/// The object under a ``Logger``, and the log of `os_log`.
public final class OSLog: Sendable {
  /// A category with a meaning for Instruments.
  public struct Category: Sendable {
    let name: String

    /// Events that mark a place in a trace.
    public static let pointsOfInterest = Self(name: "PointsOfInterest")
  }

  private let name: String
  private let writes: Bool

  /// The log without a name.
  public static let `default` = OSLog(name: "", writes: true)
  /// A log that writes nothing.
  public static let disabled = OSLog(name: "", writes: false)

  /// Creates a log with a name.
  public convenience init(subsystem: String, category: String) {
    self.init(name: "\(subsystem)/\(category) ", writes: true)
  }

  /// Creates a log for a tool.
  public convenience init(subsystem: String, category: Category) {
    self.init(subsystem: subsystem, category: category.name)
  }

  private init(name: String, writes: Bool) { (self.name, self.writes) = (name, writes) }

  /// Whether messages of a level are written: of all levels, except to ``disabled``.
  public func isEnabled(type: OSLogType) -> Bool { writes }

  func write(_ text: String, _ level: OSLogType) {
    guard writes else { return }
    // Standard error cannot be written when the process ends; nothing is left to do then.
    try? FileHandle.standardError.write(contentsOf: Data("\(name)\(level.rawValue): \(text)\n".utf8))
  }
}

/// Writes a message in the form of C, such as `"track %{public}@ at %.1f s"`. A value without a place is left out, and a
/// place without a value stays as it is.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func os_log(
  _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
  _ arguments: Any...
) {
  log.write(FormatText.text("\(message)", arguments), type)
}

/// Writes a message in the form of C with a level.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func os_log(
  _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
  _ arguments: Any...
) {
  log.write(FormatText.text("\(message)", arguments), type)
}

/// Writes a message with values in it.
// swift-format-ignore: AlwaysUseLowerCamelCase
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(message.text, .default) }

/// Writes a message with values in it, with a level.
// swift-format-ignore: AlwaysUseLowerCamelCase
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
  log.write(message.text, type)
}
