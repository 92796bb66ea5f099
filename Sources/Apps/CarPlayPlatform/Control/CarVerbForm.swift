// swift-iap2 · Apache-2.0

/// The arguments of a step, for scenario readers, for error messages and for help.
public struct CarVerbForm: Sendable {
  /// An argument.
  public struct Argument: Sendable {
    /// The name.
    public var name: String
    /// The allowed values.
    public var values: Values
    /// Whether the step needs the argument.
    public var isRequired: Bool
  }

  /// The allowed values of an argument.
  public enum Values: Sendable, Hashable {
    /// A text with at most this number of bytes.
    case text(Int)
    /// A whole number.
    case whole(ClosedRange<Int>)
    /// A number.
    case number(ClosedRange<Double>)
    /// True or false.
    case flag
    /// One of these texts.
    case choice([String])
    /// A list of these texts.
    case choices([String])
    /// At most this number of bytes in Base64.
    case bytes(Int)
  }

  /// The meaning of the step.
  public var summary: String
  /// The argument that may stand alone, without its name.
  public var main: String?
  /// The arguments.
  public var arguments: [Argument]

  /// Whether the step can stand without arguments, as `true`.
  public var isComplete: Bool { !arguments.contains(where: \.isRequired) }

  private init(_ summary: String, main: String? = nil, _ arguments: [Argument] = []) {
    self.summary = summary
    self.main = main
    self.arguments = arguments
  }

  /// The longest text of an argument in bytes; titles are shorter.
  public static let maximumTextByteCount = 1024
  /// The longest line of a part in bytes: its texts and marks.
  public static let maximumLineByteCount = 1 << 16
  /// The longest profile of a car in bytes.
  public static let maximumProfileByteCount = 1 << 18
  /// The longest wait in seconds of virtual time: a day.
  public static let maximumWait = 86_400.0

  /// The latitudes and the longitudes of the earth in degrees.
  package static let latitudes = -90.0...90.0, longitudes = -180.0...180.0
  /// The accepted altitudes in meters, with a margin beyond those of roads.
  package static let altitudes = -1000.0...10_000.0
  /// The courses in degrees clockwise from north.
  package static let courses = 0.0...360.0
  /// The accepted speeds in meters per second, with a margin above those of cars.
  package static let speeds = 0.0...200.0
  /// The ranges in kilometers that the message can carry.
  package static let ranges = 0...Int(UInt16.max)
  /// The accepted outside temperatures in degrees Celsius, with a margin on both sides.
  package static let outsideTemperatures = -100...100

  private static func optional(_ name: String, _ values: Values) -> Argument {
    Argument(name: name, values: values, isRequired: false)
  }

  private static func required(_ name: String, _ values: Values) -> Argument {
    Argument(name: name, values: values, isRequired: true)
  }

  private static func choice<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) -> Values
  where Value.RawValue == String { .choice(type.allCases.map(\.rawValue)) }

  private static let text = Values.text(maximumTextByteCount)
  /// The longest sound of the microphone in a step, in characters of Base64. A phone sends a fifth of it at once.
  private static let maximumSoundByteCount = 65_536
  /// The largest distance of a drag in points; a screen is smaller.
  private static let points = Values.number(-10_000...10_000)

  /// Returns the form of a step.
  public static func form(of verb: CarVerb) -> CarVerbForm {
    switch verb {
    case .launch, .start, .plug, .unplug, .notice, .open, .policy: connection(verb)
    case .tap, .tapAt, .touchPart, .tapDashboard, .back, .touchMap, .pan, .panButton, .movePointMap: touch(verb)
    case .turn, .press, .type, .searchKey, .nowPlaying, .key, .voiceKey: keys(verb)
    case .home, .otherApp, .bringBack, .dashboard, .cluster, .endGuidance, .alert: front(verb)
    case .headUnit, .siri: requests(verb)
    case .transport: transport
    case .resize: Self("Changes the screen of a car, as JSON of `CarScreen`.", [required("screen", text)])
    case .fromHeadUnit:
      Self(
        "Passes what the phone got in a session: over iAP2, as JSON of types in IAP2Roles, and sound of the microphone.",
        [optional("request", text), optional("location", text), optional("microphone", .text(maximumSoundByteCount))])
    default: conditions(verb)
    }
  }

  private static func connection(_ verb: CarVerb) -> CarVerbForm {
    switch verb {
    case .launch:
      Self("Connects the car, starts the app and opens it; without a phone scene, a cold start.", [phoneScene])
    case .start: Self("Starts the app on the phone.", [phoneScene])
    case .plug: Self("Connects phone and car. The app that was in front opens again.")
    case .unplug:
      Self(
        "Disconnects phone and car; noticed: whether the app is told; power: whether the battery state follows.",
        [optional("noticed", .flag), optional("power", .flag)])
    case .notice: Self("Delivers the notice of a disconnection that the phone has not noticed.")
    case .policy:
      Self(
        "Lets an iAP2 connection decide when the app is told of a disconnection; before the car connects.",
        main: "name",
        [
          required("name", choice(CarLinkPolicy.self)), optional("battery", .whole(0...100)),
          optional("powerBank", .whole(0...10_000)),
        ])
    default: Self("Opens the app from the home screen.")
    }
  }

  private static var phoneScene: Argument { optional("phoneScene", .flag) }

  private static func touch(_ verb: CarVerb) -> CarVerbForm {
    switch verb {
    case .tap:
      Self(
        "Taps the first part that shows a text.", main: "text",
        [required("text", text), optional("kind", choice(ScreenNode.Kind.self))])
    case .tapAt:
      Self(
        "Taps the part with an index, from 0, among those of a kind.",
        [required("kind", choice(ScreenNode.Kind.self)), required("index", .whole(0...10_000))])
    case .touchPart:
      Self(
        "Taps the part with an index among all parts of the screen, if it still has a line.",
        [required("part", .whole(0...100_000)), required("line", .text(maximumLineByteCount))])
    case .tapDashboard: Self("Taps a button of the dashboard.", main: "text", [required("text", text)])
    case .back: Self("Presses the back button.")
    case .touchMap: Self("Touches the map beside buttons and cards.")
    case .pan:
      Self("Drags a finger over the map by a distance in points.", [required("x", points), required("y", points)])
    case .panButton:
      Self(
        "Presses an arrow of the panning interface.", main: "direction",
        [required("direction", .choices(CarPanDirection.allCases.map(\.rawValue))), optional("held", .flag)])
    default: Self("Moves the map of the points of interest.")
    }
  }

  private static func keys(_ verb: CarVerb) -> CarVerbForm {
    switch verb {
    case .turn:
      Self("Turns the knob; negative steps turn back.", main: "steps", [required("steps", .whole(-1000...1000))])
    case .press: Self("Presses the knob.")
    case .type: Self("Types a text into the search field.", main: "text", [required("text", text)])
    case .searchKey: Self("Presses the search key of the keyboard.")
    case .nowPlaying: Self("Opens the Now Playing screen.")
    case .key:
      Self("Presses a media key of the steering wheel.", main: "name", [required("name", choice(CarMediaKey.self))])
    default: Self("Presses the voice key of the steering wheel.")
    }
  }

  private static func front(_ verb: CarVerb) -> CarVerbForm {
    switch verb {
    case .home: Self("Goes to the home screen.")
    case .otherApp: Self("Opens another app, such as a call.")
    case .bringBack: Self("Brings the app back to the front.")
    case .dashboard: Self("Shows or hides the app's dashboard.", main: "shown", [required("shown", .flag)])
    case .cluster:
      Self("Shows or hides the app in the instrument cluster.", main: "shown", [required("shown", .flag)])
    case .alert:
      Self(
        "Presents an alert with a button OK over the app, as the app itself can.", main: "text",
        [required("text", text)])
    default: Self("Ends the guidance by the car's own button.")
    }
  }

  private static func requests(_ verb: CarVerb) -> CarVerbForm {
    switch verb {
    case .headUnit:
      Self(
        "Lets the head unit ask the phone for something, or report the car's position or status, over the iAP2 "
          + "connection of the step policy. night, day, limit and unlimited need no such connection.",
        main: "request",
        [
          optional("request", choice(HeadUnitRequest.self)), optional("position", .number(0...maximumWait)),
          optional("latitude", .number(latitudes)), optional("longitude", .number(longitudes)),
          optional("altitude", .number(altitudes)), optional("course", .number(courses)),
          optional("speed", .number(speeds)), optional("range", .whole(ranges)),
          optional("outsideTemperature", .whole(outsideTemperatures)), optional("rangeWarning", .flag),
        ])
    default:
      Self(
        "Says something to Siri: to read the new messages, to send a text to a person or a group, or to make a call.",
        [
          optional("read", .flag), optional("send", text), optional("to", text), optional("group", .flag),
          optional("call", text),
        ])
    }
  }

  private static var transport: CarVerbForm {
    Self(
      "Puts the phone on a transport, or tells what happened there. There is no answer to the line itself.",
      main: "input",
      [
        required("input", choice(CarTransport.Input.self)),
        optional("connection", .whole(0...CarTransport.maximumConnection)), optional("address", text),
        optional("seconds", .number(0...maximumWait)), optional("bytes", .bytes(CarTransport.maximumByteCount)),
        optional("reason", text),
      ])
  }

  private static func conditions(_ verb: CarVerb) -> CarVerbForm {
    switch verb {
    case .lock: Self("Locks the phone.")
    case .unlock: Self("Unlocks the phone.")
    case .ask: Self("Opens a question about a permission on the phone.")
    case .answer: Self("Answers the question on the phone.")
    case .drive: Self("Drives: the car's limits apply.")
    case .park: Self("Stops.")
    case .interrupt:
      Self(
        "Interrupts the app's sound, as a call or the car does, or gives it back.", main: "interrupted",
        [required("interrupted", .flag)])
    case .appearance:
      Self("Changes the style of the user interface.", main: "style", [required("style", choice(CarStyle.self))])
    case .contentStyle: Self("Changes the style of maps.", main: "style", [required("style", choice(CarStyle.self))])
    case .drivingSide: Self("Changes the driver's side.", main: "side", [required("side", choice(DrivingSide.self))])
    case .viewArea:
      Self(
        "Gives the app another part of the display, as a car with several view areas does: its size in pixels.",
        [required("width", .whole(CarScreen.sides)), required("height", .whole(CarScreen.sides))])
    case .faults:
      Self(
        "Switches failures of the field on and off; a number is a chance.",
        CarFaults.switches.map { optional($0.name, $0.isChance ? .number(0...1) : .flag) })
    case .wait:
      Self("Passes virtual time.", main: "seconds", [required("seconds", .number(0...maximumWait))])
    case .begin:
      Self(
        "Makes the car, before any other line: the name of a profile, a profile's text with its file's name, or settings "
          + "as JSON; behavior: the settings of the profile's behavior that are changed, as YAML. A live car runs in "
          + "real time, and no step waits for the app. A tap reports the bytes of the iAP2 connection.",
        [
          optional("car", text), optional("file", text), optional("yaml", .text(maximumProfileByteCount)),
          optional("settings", .text(maximumProfileByteCount)), optional("behavior", text), optional("live", .flag),
          optional("seed", .whole(0...Int(UInt32.max))), optional("images", .flag),
          optional("tap", .flag),
        ])
    default:
      Self(
        "Waits in real time until something changes or another step waits, at most this long.",
        [required("seconds", .number(0...maximumWait))])
    }
  }
}
