// swift-iap2 · Apache-2.0

import Basics
public import CarPlayPlatform

/// A line of a run, for people and for programs.
public enum CarLine: Sendable {
  /// The start of one of several cars.
  case car(String)
  /// The start of a step.
  case step(CarAction, time: Double)
  /// A call between app and car.
  case call(CarEvent)
  /// A report about the app.
  case diagnostic(CarReport.Diagnostic, time: Double)
  /// A change of the screen.
  case screen(ScreenNode, before: ScreenNode, time: Double)
  /// A picture with texts that did not fit.
  case shortened(file: String, texts: [String], time: Double)
  /// The end of the app by the system.
  case ended(CarReport.End, time: Double)
  /// A line of the app's own output.
  case output(String)
  /// The end of the run.
  case finished(failure: String?, time: Double)
}

/// The meaning of a line. The raw value is the name of its color.
public enum CarTone: String, Sendable, Hashable, CaseIterable {
  /// An action of the driver.
  case user = "magenta"
  /// A call from the phone to the app's code.
  case toApp = "green"
  /// A call from the app to the framework.
  case fromApp = "blue"
  /// A part of the screen.
  case screen = "cyan"
  /// A report.
  case report = "yellow"
  /// An end because of a fault.
  case failure = "red"
  /// Less important text.
  case dim
}

extension CarLine {
  /// A row for people. A row without a time and a name continues the one before.
  public struct Row: Sendable {
    /// The time in seconds; nil for a row without one.
    public var time: Double?
    /// The part that the row is about.
    public var who: String
    /// The event in words.
    public var text: String
    /// The meaning.
    public var tone: CarTone

    init(_ time: Double?, _ who: String, _ text: String, _ tone: CarTone) {
      (self.time, self.who, self.text, self.tone) = (time, who, text, tone)
    }
  }

  /// The lines of the text output with their tones.
  public var ladder: [(text: String, tone: CarTone)] {
    rows.map { row in
      let time = Self.padded(row.time.map(Self.seconds) ?? "", 9, leading: true)
      return ("\(time)  \(Self.padded(row.who, 12))  \(row.text)", row.tone)
    }
  }

  /// The rows of the line; none for steps and for the end, which have no text.
  public var rows: [Row] {
    switch self {
    case .car(let name): [Row(nil, "car", name, .user)]
    case .step: []
    case .call(let event): [Self.rung(event)]
    case .diagnostic(let report, let time):
      [Row(time, "report", "\(report.kind.rawValue): \(report.what)", .report)]
        + [("at", report.place), ("the car:", report.carShows), ("remedy:", report.remedy)].filter { !$1.isEmpty }
        .map { Row(nil, "", "  \($0) \($1)", .dim) }
    case .screen(let screen, let before, let time): Self.rows(screen, before, time)
    case .shortened(let file, let texts, let time):
      [Row(time, "picture", "\(file) shortens " + texts.map { "\"\($0)\"" }.joined(separator: ", "), .report)]
    case .ended(let end, let time): [Row(time, "end", end.reason, .failure)]
    case .output(let text): [Row(nil, "app", text, .dim)]
    case .finished: []
    }
  }

  private static func rung(_ event: CarEvent) -> Row {
    let receiver = event.object.isEmpty ? "" : "  (\(event.object))"
    let isMissing = event.isImplemented ? "" : "  not implemented"
    return switch event.direction {
    case .toApp:
      Row(event.seconds, "car ───► app", event.text + receiver + isMissing, event.isImplemented ? .toApp : .dim)
    case .fromApp: Row(event.seconds, "car ◄─── app", event.text + receiver, .fromApp)
    case .car: Row(event.seconds, "car", event.object.isEmpty ? event.text : "\(event.object) \(event.text)", .user)
    case .note: Row(event.seconds, "note", event.text, .dim)
    }
  }

  /// Returns the lines of a changed screen: the whole screen if it is another one, otherwise the difference.
  private static func rows(_ screen: ScreenNode, _ before: ScreenNode, _ time: Double) -> [Row] {
    let isOther = screen.kind != before.kind || screen.title != before.title
    let text = isOther ? screen.description : screen.difference(from: before)
    return text.split(separator: "\n").enumerated().map { index, line in
      Row(index == 0 ? time : nil, index == 0 ? "screen" : "", String(line), .screen)
    }
  }

  private static func padded(_ text: String, _ count: Int, leading: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, count - text.count))
    return leading ? space + text : text + space
  }

  /// Returns a time in seconds with milliseconds, such as `12.050`.
  public static func seconds(_ time: Double) -> String {
    Duration.seconds(max(0, min(time, 1e12))).secondsText
  }
}
