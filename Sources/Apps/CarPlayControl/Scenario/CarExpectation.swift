// swift-iap2 · Apache-2.0

public import CarPlayPlatform

/// Conditions of the car that a step waits for. All of them must hold at once.
public struct CarExpectation: Sendable, Hashable {
  /// A part of ``screen``.
  public struct Screen: Sendable, Hashable {
    /// The kind of the whole screen.
    public var kind: ScreenNode.Kind?
    /// The title of a row, a button or another part, or a part's detail.
    public var shows: [String] = []
    /// Texts that no part shows.
    public var hides: [String] = []
    /// The titles of all rows in their order.
    public var rows: [String]?
    /// The titles of all buttons in their order.
    public var buttons: [String]?
    /// The title of the part with the focus.
    public var focus: String?
    /// Whether a spinner turns somewhere.
    public var spinner: Bool?
    /// Texts that are shortened because they do not fit.
    public var cut: [String] = []

    /// Creates conditions that every screen meets.
    public init() {}
  }

  /// A report about the app.
  public struct Report: Sendable, Hashable {
    /// The kind.
    public var kind: CarDiagnostic.Kind
    /// A part of the text; empty for any.
    public var what = ""

    /// Creates a condition.
    public init(kind: CarDiagnostic.Kind, what: String = "") {
      self.kind = kind
      self.what = what
    }
  }

  /// The screen.
  public var screen: Screen?
  /// The dashboard.
  public var dashboard: Screen?
  /// Parts of the names of methods that the app was told, in this order, since the last step of another kind.
  public var told: [String] = []
  /// Parts of the names of methods that the app was not told since then.
  public var notTold: [String] = []
  /// Reports since the start.
  public var reports: [Report] = []
  /// Kinds of reports that were not made since the start.
  public var noReports: [CarDiagnostic.Kind] = []
  /// The part of the screen in front.
  public var front: CarFront?
  /// Whether phone and car are connected.
  public var connected: Bool?
  /// Whether the app believes in a connection that has ended.
  public var ghost: Bool?
  /// The longest wait in seconds of real time.
  public var within = 5.0

  /// Creates an expectation that every car meets.
  public init() {}
}

/// The state of a car as a driving program knows it, for expectations.
public struct CarObservation: Sendable {
  /// The state after the last answer.
  public var state = CarState()
  /// The calls since the last step that is no expectation.
  public var calls: [CarEvent] = []
  /// The reports since the start.
  public var reports: [CarReport.Diagnostic] = []

  /// Creates an observation of a car that is off.
  public init() {}
}

extension CarExpectation {
  /// Returns the first condition that does not hold, in words; nil if all hold.
  public func unmet(by car: CarObservation) -> String? {
    if let front, car.state.front != front {
      return "\(front.rawValue) is not in front, but \(car.state.front.rawValue)"
    }
    if let connected, car.state.isConnected != connected {
      return connected ? "phone and car are not connected" : "phone and car are still connected"
    }
    if let ghost, car.state.hasGhostConnection != ghost {
      return ghost ? "the app does not believe in a connection" : "the app believes in a connection that has ended"
    }
    if let screen, let unmet = screen.unmet(by: car.state.screen) { return "the screen \(unmet)" }
    if let dashboard {
      guard let shown = car.state.dashboard else { return "there is no dashboard" }
      if let unmet = dashboard.unmet(by: shown) { return "the dashboard \(unmet)" }
    }
    return unmetCalls(car.calls) ?? unmetReports(car.reports)
  }

  private func unmetCalls(_ calls: [CarEvent]) -> String? {
    let names = calls.filter { $0.direction == .toApp && $0.isImplemented }.map(\.text)
    if let unwanted = notTold.first(where: { part in names.contains { $0.contains(part) } }) {
      return "the app was told \(unwanted)"
    }
    var rest = names[...]
    for part in told {
      guard let index = rest.firstIndex(where: { $0.contains(part) }) else {
        return names.isEmpty
          ? "the app was not told \(part); it was told nothing"
          : "the app was not told \(part); it was told \(names.joined(separator: ", "))"
      }
      rest = rest[(index + 1)...]
    }
    return nil
  }

  private func unmetReports(_ reports: [CarReport.Diagnostic]) -> String? {
    if let unwanted = reports.first(where: { noReports.contains($0.kind) }) {
      return "there is a report: \(unwanted.kind.rawValue): \(unwanted.what)"
    }
    for wanted in self.reports {
      let isThere = reports.contains {
        $0.kind == wanted.kind && (wanted.what.isEmpty || $0.what.contains(wanted.what))
      }
      if !isThere {
        return "there is no report \(wanted.kind.rawValue)" + (wanted.what.isEmpty ? "" : " with \(wanted.what)")
      }
    }
    return nil
  }
}

extension CarExpectation.Screen {
  /// Returns the first condition that does not hold, in words; nil if all hold.
  func unmet(by screen: ScreenNode) -> String? {
    if let kind, screen.kind != kind { return "is no \(kind.rawValue), but \(screen.kind.rawValue)" }
    if let text = shows.first(where: { !screen.shows($0) }) { return "does not show \"\(text)\"" }
    if let text = hides.first(where: screen.shows) { return "shows \"\(text)\"" }
    if let rows, screen.rows != rows { return "has the rows \(screen.rows), not \(rows)" }
    if let buttons, screen.buttons != buttons { return "has the buttons \(screen.buttons), not \(buttons)" }
    if let focus, screen.focus?.title != focus {
      return "has the focus on \(screen.focus?.line ?? "nothing"), not on \"\(focus)\""
    }
    if let spinner, screen.all.contains(where: \.hasSpinner) || screen.first(.spinner) != nil, !spinner {
      return "has a spinner"
    }
    if spinner == true, !screen.all.contains(where: \.hasSpinner), screen.first(.spinner) == nil {
      return "has no spinner"
    }
    if let text = cut.first(where: { text in !screen.all.contains { $0.isCut && $0.title.hasPrefix(text) } }) {
      return "does not cut \"\(text)\""
    }
    return nil
  }
}
