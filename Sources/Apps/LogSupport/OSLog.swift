// swift-iap2 · Apache-2.0

import Foundation

/// The object under a ``Logger``, and the log of `os_log`.
public final class OSLog: Sendable {
  private let name: String
  private let isEnabled: Bool

  /// The log without a name.
  public static let `default` = OSLog(name: "", isEnabled: true)
  /// A log that writes nothing.
  public static let disabled = OSLog(name: "", isEnabled: false)

  /// Creates a log with a name.
  public convenience init(subsystem: String, category: String) {
    self.init(name: "\(subsystem)/\(category) ", isEnabled: true)
  }

  private init(name: String, isEnabled: Bool) { (self.name, self.isEnabled) = (name, isEnabled) }

  func write(_ text: String, _ type: OSLogType) {
    guard isEnabled else { return }
    // Standard error cannot be written when the process ends; nothing is left to do then.
    try? FileHandle.standardError.write(contentsOf: Data("\(name)\(type.rawValue): \(text)\n".utf8))
  }
}

/// Writes a message in the form of C, such as `"track %{public}@ at %.1f s"`. A value without a place is left out, and a
/// place without a value stays as it is.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func os_log(
  _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
  _ arguments: Any...
) {
  log.write(OSLogFormat.text("\(message)", arguments), type)
}

/// Writes a message in the form of C with a weight.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func os_log(
  _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
  _ arguments: Any...
) {
  log.write(OSLogFormat.text("\(message)", arguments), type)
}

/// The form of messages of `os_log`. Foundation's own function trusts that values and places fit, and crashes otherwise.
enum OSLogFormat {
  /// Returns a message with its values.
  static func text(_ message: String, _ arguments: [Any]) -> String {
    var text = ""
    var values = arguments[...]
    var rest = message[...]
    while let start = rest.firstIndex(of: "%") {
      text += rest[..<start]
      rest = rest[start...]
      guard let place = unsafe rest.prefixMatch(of: place) else {
        text += "%"
        rest = rest.dropFirst()
        continue
      }
      rest = rest[place.range.upperBound...]
      let kind = place.output.2
      if kind == "%" {
        text += "%"
      } else {
        text += values.popFirst().map { word($0, kind, place.output.1) } ?? String(place.output.0)
      }
    }
    return text + rest
  }

  /// A place of a value: words in braces, flags and width, digits behind the point, the size of the value, its kind.
  nonisolated(unsafe) private static let place =
    #/%(?:\{[^}]*\})?[-+ 0#]*[0-9]*(?:\.([0-9]{1,2}))?(?:hh|h|ll|l|q|z|t|j)?([@a-zA-Z%])/#

  private static func word(_ value: Any, _ kind: Substring, _ digits: Substring?) -> String {
    switch (kind, value) {
    case ("f", let number as Double): String(format: "%.\(digits ?? "6")f", number)
    case ("x", let number as any BinaryInteger), ("X", let number as any BinaryInteger): String(number, radix: 16)
    default: String(describing: value)
    }
  }
}
