// swift-iap2 · Apache-2.0

public import CarPlayPlatform

/// Conditions of the car that a step waits for. All of them must hold at the same time.
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
    /// Whether a part of the screen has a spinner.
    public var spinner: Bool?
    /// Texts that are shortened because they do not fit.
    public var cut: [String] = []

    /// Creates conditions that every screen meets.
    public init() {}
  }

  /// The display of the head unit over iAP2, as a condition.
  public struct HeadUnit: Sendable, Hashable {
    /// A part of the song's title or artist.
    public var song: String?
    /// Whether the song plays.
    public var playing: Bool?
    /// Whether the head unit has the artwork.
    public var artwork: Bool?
    /// The mode of shuffle.
    public var shuffle: HeadUnitDisplay.Song.ShuffleMode?
    /// The mode of repeat.
    public var repeating: HeadUnitDisplay.Song.RepeatMode?
    /// A part of the next maneuver's text or of the road after it.
    public var maneuver: String?
    /// The number of lanes at the next maneuver.
    public var lanes: Int?
    /// A part of the caller's or callee's name or number.
    public var call: String?
    /// The state of that call by its name in the message catalog, such as `Ringing`.
    public var callState: String?
    /// Whether the microphone is muted.
    public var muted: Bool?
    /// Whether the phone has the car's position from the head unit.
    public var location: Bool?
    /// The car's range in kilometers and the outside temperature in degrees Celsius, as the phone received them.
    public var range: Int?, outsideTemperature: Int?
    /// Whether the car warns of a short range, as the phone received it.
    public var rangeWarning: Bool?
    /// Whether the head unit shows nothing of the phone's apps.
    public var empty: Bool?

    /// Creates conditions that every head unit meets.
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
  /// The head unit.
  public var headUnit: HeadUnit?
  /// Parts of the names of app methods that were called, in this order, since the last step of another kind.
  public var called: [String] = []
  /// Parts of the names of app methods that were not called since then.
  public var notCalled: [String] = []
  /// Reports that were made since the start.
  public var reports: [Report] = []
  /// Kinds of reports that were not made since the start.
  public var noReports: [CarDiagnostic.Kind] = []
  /// The part of the screen in front.
  public var front: CarFront?
  /// Whether phone and car are connected.
  public var connected: Bool?
  /// Whether the app still has a connection that has ended.
  public var staleConnection: Bool?
  /// The longest wait in seconds of real time.
  public var within = 5.0

  /// Creates an expectation that every car meets.
  public init() {}
}

/// The state of a car that a driving program has, for expectations.
public struct CarObservation: Sendable {
  /// The state after the last answer.
  public var state = CarState()
  /// The calls since the last step that is not an expectation.
  public var calls: [CarEvent] = []
  /// The reports since the start.
  public var reports: [CarReport.Diagnostic] = []

  /// Creates an observation of a car without a phone.
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
    if let staleConnection, car.state.hasGhostConnection != staleConnection {
      return staleConnection
        ? "the app holds no connection that has ended" : "the app holds a connection that has ended"
    }
    if let screen, let unmet = screen.unmet(by: car.state.screen) { return "the screen \(unmet)" }
    if let dashboard {
      guard let shown = car.state.dashboard else { return "there is no dashboard" }
      if let unmet = dashboard.unmet(by: shown) { return "the dashboard \(unmet)" }
    }
    if let headUnit {
      guard let shown = car.state.headUnit else {
        return "there is no head unit in memory: add the step policy before the car connects, without a transport"
      }
      if let unmet = headUnit.unmet(by: shown) { return "the head unit \(unmet)" }
    }
    return unmetCalls(car.calls) ?? unmetReports(car.reports)
  }

  private func unmetCalls(_ calls: [CarEvent]) -> String? {
    let names = calls.filter { $0.direction == .toApp && $0.isImplemented }.map(\.text)
    if let unwanted = notCalled.first(where: { part in names.contains { $0.contains(part) } }) {
      return "\(unwanted) was called"
    }
    var rest = names[...]
    for part in called {
      guard let index = rest.firstIndex(where: { $0.contains(part) }) else {
        return names.isEmpty
          ? "\(part) was not called; no method of the app was"
          : "\(part) was not called; these were: \(names.joined(separator: ", "))"
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
    if let spinner, screen.turns != spinner { return spinner ? "has no spinner" : "has a spinner" }
    if let text = cut.first(where: { text in !screen.all.contains { $0.isCut && $0.title.hasPrefix(text) } }) {
      return "does not cut \"\(text)\""
    }
    return nil
  }
}

extension CarExpectation.HeadUnit {
  /// Returns the first condition that does not hold, in words; nil if all hold.
  func unmet(by shown: HeadUnitDisplay) -> String? {
    let isEmpty = shown.song == nil && shown.guidance == nil && shown.calls.isEmpty
    if let empty, empty != isEmpty { return empty ? "shows something of the phone's apps" : "shows nothing" }
    if let muted, shown.isMuted != muted { return muted ? "shows no muted microphone" : "shows a muted microphone" }
    return unmetSong(shown.song) ?? unmetGuidance(shown.guidance) ?? unmetCall(shown.calls)
      ?? unmetVehicle(shown.vehicle ?? HeadUnitDisplay.Vehicle())
  }

  private func unmetSong(_ shown: HeadUnitDisplay.Song?) -> String? {
    guard song != nil || playing != nil || artwork != nil || shuffle != nil || repeating != nil else { return nil }
    guard let shown else { return "shows no song" }
    if let song, !shown.title.contains(song), !shown.artist.contains(song) {
      return "shows the song \"\(shown.title)\" of \"\(shown.artist)\", not \"\(song)\""
    }
    if let playing, shown.isPlaying != playing { return playing ? "shows a paused song" : "shows a song that plays" }
    if let artwork, (shown.artworkByteCount > 0) != artwork {
      return artwork ? "has no artwork" : "has artwork of \(shown.artworkByteCount) bytes"
    }
    if let shuffle, shown.shuffleMode != shuffle { return "shows shuffle \(shown.shuffleMode), not \(shuffle)" }
    if let repeating, shown.repeatMode != repeating { return "shows repeat \(shown.repeatMode), not \(repeating)" }
    return nil
  }

  private func unmetGuidance(_ shown: HeadUnitDisplay.Guidance?) -> String? {
    guard maneuver != nil || lanes != nil else { return nil }
    guard let shown else { return "shows no guidance" }
    if let maneuver, !shown.maneuver.contains(maneuver), !shown.roadAfter.contains(maneuver) {
      return "shows the maneuver \"\(shown.maneuver)\", not \"\(maneuver)\""
    }
    if let lanes, shown.lanes.count != lanes { return "shows \(shown.lanes.count) lanes, not \(lanes)" }
    return nil
  }

  private func unmetCall(_ shown: [HeadUnitDisplay.Call]) -> String? {
    guard call != nil || callState != nil else { return nil }
    let calls = shown.filter { one in call.map { one.name.contains($0) || one.number.contains($0) } ?? true }
    guard let first = calls.first else {
      return shown.isEmpty
        ? "shows no call" : "shows a call of \"\(shown[0].name)\", not of \"\(call ?? "")\""
    }
    if let callState, !calls.contains(where: { $0.state == callState }) {
      return "shows the call of \"\(first.name)\" as \(first.state), not as \(callState)"
    }
    return nil
  }

  private func unmetVehicle(_ known: HeadUnitDisplay.Vehicle) -> String? {
    if let location, location != (known.location != nil) {
      return location ? "has reported no position" : "has reported a position"
    }
    let unmet = [
      Self.unmet(range, known.range, "range"),
      Self.unmet(outsideTemperature, known.outsideTemperature, "outside temperature"),
      Self.unmet(rangeWarning, known.rangeWarning, "range warning"),
    ]
    return unmet.compactMap { $0 }.first
  }

  private static func unmet<Value: Equatable>(_ wanted: Value?, _ known: Value?, _ name: String) -> String? {
    guard let wanted, wanted != known else { return nil }
    return known.map { "has reported the \(name) \($0), not \(wanted)" } ?? "has reported no \(name)"
  }
}
