// swift-iap2 · Apache-2.0

public import Basics
import CarPlayPlatform

/// The kinds of events of an app in a car.
private enum Kinds {
  private static let seconds = EventField<Double>("time", "seconds of virtual time")

  static let car = EventKind(
    "car", "One of several cars begins.", .notice, text: "{car}", EventField<String>("car", "the name of the car"))
  static let step = EventKind(
    "step", "A step begins.", .step, text: "{step}", seconds, EventField<String>("step", "the step with its arguments"))
  static let call = EventKind(
    "call", "A call between app and car.", .content, text: "{name}[ {detail}]", seconds,
    EventField<String>("direction", "`toApp`, `fromApp`, `car` for the driver and the car, or `note`"),
    EventField<String?>("object", "the object that is called"), EventField<String>("name", "the method or the event"),
    EventField<String?>("detail", "the arguments that matter"),
    EventField<Bool?>("implemented", "false if the app does not implement the method"))
  static let report = EventKind(
    "report", "A report about the app.", .warning, text: "{kind}: {what}", seconds,
    EventField<String>("kind", "the kind of the report"), EventField<String>("what", "what happened"),
    EventField<String>("carShows", "what the car shows"), EventField<String>("remedy", "the remedy"),
    EventField<String>("place", "the place in the app's code"))
  static let screen = EventKind(
    "screen", "The screen changed.", .content, seconds, EventField<EventGroup>("screen", "the tree of its parts"))
  static let picture = EventKind(
    "picture", "A picture has texts that did not fit.", .warning, text: "{file}", seconds,
    EventField<String>("file", "the picture"), EventField<[String]>("cut", "the texts"))
  static let ended = EventKind(
    "ended", "The system ended the app.", .end, text: "{reason}", seconds, EventField<String>("reason", "the reason"),
    EventField<String>("place", "the place in the app's code"))
  static let output = EventKind(
    "output", "A line of the app's own output.", .detail, text: "{text}", EventField<String>("text", "the line"))
  static let finished = EventKind(
    "finished", "The end of the run.", .end, text: "[{failure}]",
    EventField<Bool>("ok", "whether all went as expected"),
    EventField<String?>("failure", "what did not"), seconds)
}

extension CarLine: Encodable {
  /// The kinds of events of an app in a car.
  public static let declarations = [
    Kinds.car.declaration, Kinds.step.declaration, Kinds.call.declaration, Kinds.report.declaration,
    Kinds.screen.declaration, Kinds.picture.declaration, Kinds.ended.declaration, Kinds.output.declaration,
    Kinds.finished.declaration,
  ]

  /// The line as a record of its kind.
  public var record: EventRecord {
    switch self {
    case .car(let name): Kinds.car(name)
    case .step(let action, let time): Kinds.step(time, action.description)
    case .call(let event):
      Kinds.call(
        event.seconds, event.direction.rawValue, event.object.isEmpty ? nil : event.object, event.name,
        event.detail.isEmpty ? nil : event.detail, event.isImplemented ? nil : false)
    case .diagnostic(let report, let time):
      Kinds.report(time, report.kind.rawValue, report.what, report.carShows, report.remedy, report.place)
    case .screen(let screen, _, let time): Kinds.screen(time, EventGroup(screen.eventValue))
    case .shortened(let file, let texts, let time): Kinds.picture(time, file, texts)
    case .ended(let end, let time): Kinds.ended(time, end.reason, end.place)
    case .output(let text): Kinds.output(text)
    case .finished(let failure, let time): Kinds.finished(failure == nil, failure, time)
    }
  }

  /// Writes the line as one JSON object.
  public func encode(to encoder: any Encoder) throws { try record.encode(to: encoder) }
}

extension ScreenNode {
  /// The part with the parts inside. Default values are omitted.
  fileprivate var eventValue: EventValue {
    var fields = [EventRecord.Value(name: "kind", value: .text(kind.rawValue))]
    func add(_ name: String, _ value: EventValue, if isThere: Bool = true) {
      if isThere { fields.append(EventRecord.Value(name: name, value: value)) }
    }
    add("title", .text(title), if: !title.isEmpty)
    add("detail", .text(detail), if: !detail.isEmpty)
    add("enabled", .flag(false), if: !isEnabled)
    add("focused", .flag(true), if: isFocused)
    add("selected", .flag(true), if: isSelected)
    add("cut", .flag(true), if: isCut)
    add("spinner", .flag(true), if: hasSpinner)
    add("marks", .list(marks.map { .text($0.text) }), if: !marks.isEmpty)
    if let image { add("image", .text(image)) }
    if let accessory { add("accessory", .text(accessory)) }
    add("children", .list(children.map(\.eventValue)), if: !children.isEmpty)
    return .fields(fields)
  }
}
