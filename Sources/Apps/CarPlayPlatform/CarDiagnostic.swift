// swift-iap2 · Apache-2.0

/// A report about the app under test: an effect that a real car does not show, or a failure that occurs only in the
/// field.
public struct CarDiagnostic: Sendable, CustomStringConvertible {
  /// The kind of a report. The raw names are stable.
  public enum Kind: String, Sendable, Codable, Hashable, CaseIterable {
    /// Content that the car does not show because it exceeds a limit.
    case cut
    /// A text that does not fit, or that has characters the car does not draw.
    case text
    /// An image of the wrong size, scale or content.
    case image
    /// Calls in a wrong order.
    case order
    /// A stack that is too deep.
    case depth
    /// A handler whose completion was not called.
    case completion
    /// A handler that took long on the main thread.
    case slow
    /// A call from the wrong thread.
    case thread
    /// A wrong or missing entitlement, plist value or delegate method.
    case setup
    /// A life cycle fault: a missing root template, a stale object, a watchdog.
    case lifecycle
    /// A call that has no effect in the current state.
    case ignored
    /// Updates that are more frequent than the system accepts.
    case rate
    /// An alert or other modal template that stays.
    case modal
    /// A loss of the scroll position or the focus.
    case focus
    /// A remark without a fault.
    case note
  }

  /// The kind.
  public var kind: Kind
  /// The event, with the numbers.
  public var what: String
  /// The car's reaction.
  public var carShows: String
  /// The remedy.
  public var remedy: String
  /// The place in the app's code.
  public var place: CodePlace

  /// Creates a report.
  public init(_ kind: Kind, what: String, carShows: String, remedy: String, place: CodePlace = .unknown) {
    self.kind = kind
    self.what = what
    self.carShows = carShows
    self.remedy = remedy
    self.place = place
  }

  /// The report in one to four lines.
  public var description: String {
    var lines = ["\(kind.rawValue): \(what)"]
    let place = place.description
    if !place.isEmpty { lines.append("  at \(place)") }
    if !carShows.isEmpty { lines.append("  the car: \(carShows)") }
    if !remedy.isEmpty { lines.append("  remedy: \(remedy)") }
    return lines.joined(separator: "\n")
  }
}

extension CarDiagnostic: Hashable {
  /// Returns whether two reports are equal but for the place.
  public static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.what == right.what && left.carShows == right.carShows
      && left.remedy == right.remedy
  }

  /// Hashes everything but the place.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(what)
  }
}
