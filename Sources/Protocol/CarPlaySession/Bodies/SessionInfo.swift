// swift-iap2 · Apache-2.0

/// The answer to `/info`: a head unit's name, policy, screens, sounds and input devices.
///
/// Source: CarPlaySession.md#info-keys.
public struct SessionInfo: PropertyBody {
  public var values: [String: PropertyValue]

  public init(values: [String: PropertyValue] = [:]) { self.values = values }
}

extension SessionInfo {
  /// The MAC address of the head unit.
  public var deviceID: String? {
    get { self["deviceID"] }
    set { self["deviceID"] = newValue }
  }
  /// The feature bits.
  public var features: UInt64? {
    get { self["features"] }
    set { self["features"] = newValue }
  }
  /// The name; `CarPlay` in most head units.
  public var name: String? {
    get { self["name"] }
    set { self["name"] = newValue }
  }
  /// The name of the model.
  public var model: String? {
    get { self["model"] }
    set { self["model"] = newValue }
  }
  /// The maker.
  public var manufacturer: String? {
    get { self["manufacturer"] }
    set { self["manufacturer"] = newValue }
  }
  /// The version of the session's protocol, such as `320.17`.
  public var sourceVersion: String? {
    get { self["sourceVersion"] }
    set { self["sourceVersion"] = newValue }
  }
  /// Whether the driver sits on the right.
  public var rightHandDrive: Bool? {
    get { self["rightHandDrive"] }
    set { self["rightHandDrive"] = newValue }
  }
  /// Whether the car shows its night colors.
  public var nightMode: Bool? {
    get { self["nightMode"] }
    set { self["nightMode"] = newValue }
  }
  /// Whether the car limits what the user may do.
  public var limitedUI: Bool? {
    get { self["limitedUI"] }
    set { self["limitedUI"] = newValue }
  }
  /// The parts that are limited, such as `softKeyboard`.
  public var limitedUIElements: [String]? {
    get { self["limitedUIElements"] }
    set { self["limitedUIElements"] = newValue }
  }
  /// The request for the screen and the speakers at the start of the session.
  public var modes: ModeRequest? {
    get { values["modes"].flatMap(ModeRequest.init(propertyValue:)) }
    set { values["modes"] = newValue?.propertyValue }
  }
  /// The screens.
  public var displays: [DisplayInfo]? {
    get { self["displays"] }
    set { self["displays"] = newValue }
  }
  /// The formats of sound by stream and kind.
  public var audioFormats: [AudioFormatOffer]? {
    get { self["audioFormats"] }
    set { self["audioFormats"] = newValue }
  }
  /// The input devices.
  public var inputDevices: [InputDevice]? {
    get { self["hidDevices"] }
    set { self["hidDevices"] = newValue }
  }
  /// Whether the icon of the car's maker is on the home screen.
  public var oemIconVisible: Bool? {
    get { self["oemIconVisible"] }
    set { self["oemIconVisible"] = newValue }
  }
  /// The text below the icon.
  public var oemIconLabel: String? {
    get { self["oemIconLabel"] }
    set { self["oemIconLabel"] = newValue }
  }
  /// Whether the head unit accepts statistics as the body of a heartbeat.
  public var wantsStatistics: Bool? {
    get { self["keepAliveSendStatsAsBody"] }
    set { self["keepAliveSendStatsAsBody"] = newValue }
  }

  /// The first key that our phone demands and that is missing or wrong; nil if there is none. Ours
  /// (CarPlaySession.md#info-demands).
  public var problem: ValueProblem? { problems.first }

  /// The keys that our phone demands and that are missing or wrong: `deviceID`, `features`, and those of a display.
  package var problems: [ValueProblem] {
    var problems: [ValueProblem] = []
    if deviceID == nil {
      problems.append(ValueProblem("/info", "deviceID", values["deviceID"], expected: "a MAC address"))
    }
    if features == nil {
      problems.append(
        ValueProblem("/info", "features", values["features"], expected: "the number of the feature bits"))
    }
    guard let displays, let first = displays.first else {
      return problems + [
        ValueProblem("/info", "displays", values["displays"], expected: "a list of at least one display")
      ]
    }
    if let problem = first.problem(in: "displays[0]"), displays.allSatisfy({ $0.problem(in: "") != nil }) {
      problems.append(problem)
    }
    return problems
  }
}

/// A screen of a head unit.
public struct DisplayInfo: PropertyBody {
  public var values: [String: PropertyValue]

  public init(values: [String: PropertyValue] = [:]) { self.values = values }
}

extension DisplayInfo {
  /// The name of the screen.
  public var uuid: String? {
    get { self["uuid"] }
    set { self["uuid"] = newValue }
  }
  /// The type of its stream.
  public var type: Int? {
    get { self["type"] }
    set { self["type"] = newValue }
  }
  /// The pixels of a row.
  public var width: Int? {
    get { self["widthPixels"] }
    set { self["widthPixels"] = newValue }
  }
  /// The pixels of a column.
  public var height: Int? {
    get { self["heightPixels"] }
    set { self["heightPixels"] = newValue }
  }
  /// The width in millimeters.
  public var physicalWidth: Int? {
    get { self["widthPhysical"] }
    set { self["widthPhysical"] = newValue }
  }
  /// The height in millimeters.
  public var physicalHeight: Int? {
    get { self["heightPhysical"] }
    set { self["heightPhysical"] = newValue }
  }
  /// The highest number of pictures per second.
  public var maximumFrameRate: Int? {
    get { self["maxFPS"] }
    set { self["maxFPS"] = newValue }
  }
  /// The kinds of input: 2 knobs, 4 coarse touch, 8 fine touch, 16 touchpad. The values 4 and 16 are inferred.
  public var features: Int? {
    get { self["features"] }
    set { self["features"] = newValue }
  }
  /// The input device for which the phone makes its user interface: 1 touchscreen, 2 touchpad, 3 knob. The values 1 and
  /// 2 are those of one program.
  public var primaryInputDevice: Int? {
    get { self["primaryInputDevice"] }
    set { self["primaryInputDevice"] = newValue }
  }
  /// The view areas between which a session may change.
  public var viewAreas: [ViewArea]? {
    get { self["viewAreas"] }
    set { self["viewAreas"] = newValue }
  }
  /// The index of the first view area that is used.
  public var initialViewArea: Int? {
    get { self["initialViewArea"] }
    set { self["initialViewArea"] = newValue }
  }
  /// The content of the instrument cluster at the start.
  public var initialURL: String? {
    get { self["initialURL"] }
    set { self["initialURL"] = newValue }
  }

  /// Returns the first key that a screen needs and that is missing or wrong; nil if there is none.
  ///
  /// - Parameter path: The place of the display in `/info`.
  fileprivate func problem(in path: String) -> ValueProblem? {
    if uuid == nil { return ValueProblem("/info", in: path, "uuid", values["uuid"], expected: "a text") }
    for (key, count) in [("widthPixels", width), ("heightPixels", height)] where (count ?? 0) <= 0 {
      return ValueProblem("/info", in: path, key, values[key], expected: "a number of pixels")
    }
    return nil
  }
}

/// A part of a screen, with a safe area inside it that nothing covers.
public struct ViewArea: PropertyBody {
  public var values: [String: PropertyValue]

  public init(values: [String: PropertyValue] = [:]) { self.values = values }

  /// Creates a part whose safe area is the whole part, in pixels.
  public init(x: Int = 0, y: Int = 0, width: Int, height: Int) {
    let place: [String: PropertyValue] = [
      "widthPixels": .integer(Int64(width)), "heightPixels": .integer(Int64(height)),
      "originXPixels": .integer(Int64(x)), "originYPixels": .integer(Int64(y)),
    ]
    values = place
    values["safeArea"] = .dictionary(place.merging(["drawUIOutsideSafeArea": false]) { $1 })
  }

  /// The pixels of a row.
  public var width: Int? { self["widthPixels"] }
  /// The pixels of a column.
  public var height: Int? { self["heightPixels"] }
}

/// The formats of one kind of sound of one stream.
public struct AudioFormatOffer: PropertyBody {
  public var values: [String: PropertyValue]

  public init(values: [String: PropertyValue] = [:]) { self.values = values }

  /// Creates an offer. Some cars leave out the kind.
  public init(_ type: StreamType, _ kind: String?, input: UInt64 = 0, output: UInt64) {
    values = ["type": .integer(Int64(type.rawValue)), "audioOutputFormats": output.propertyValue]
    if input != 0 { values["audioInputFormats"] = input.propertyValue }
    if let kind { values["audioType"] = .text(kind) }
  }

  /// The number of the stream's type.
  public var type: Int? { self["type"] }
  /// The kind of sound, such as `media` or `telephony`; nil stands for all.
  public var kind: String? { self["audioType"] }
  /// The bits of the formats that the head unit plays.
  public var outputs: UInt64 { self["audioOutputFormats"] ?? 0 }
  /// The bits of the formats of the microphone.
  public var inputs: UInt64 { self["audioInputFormats"] ?? 0 }

  /// Whether the offer includes sound of a stream in a format. One without a list of formats includes all, as that of a
  /// real car.
  func includes(_ format: AudioFormat, of type: StreamType) -> Bool {
    self.type == type.rawValue && (values["audioOutputFormats"] == nil || outputs & format.rawValue != 0)
  }
}

extension InputDevice: PropertyConvertible {
  /// Reads an element of `hidDevices`.
  public init?(propertyValue: PropertyValue) { self.init(propertyValue) }
  /// The element of `hidDevices`.
  public var propertyValue: PropertyValue { properties }
}
