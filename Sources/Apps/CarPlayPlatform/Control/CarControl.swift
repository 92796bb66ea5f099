// swift-iap2 · Apache-2.0

/// The connection between a program that drives an app and the host inside the app. It carries JSON objects, one per
/// line.
///
/// The program starts the app with an open stream socket and names its descriptor in ``variable``. The app's first line
/// is ``CarReport/hello(_:)``. The program's first line is the step `begin`, which makes the car. Each further line of
/// the program is a ``CarRequest``. The app reports the calls as they happen and ends its answer with
/// ``CarReport/done(_:)``. The app ends when the program closes the socket. The lines of a ``CarTransport`` go in both
/// directions at any time, also during a step.
public enum CarControl {
  /// The variable of the environment with the number of the inherited descriptor.
  public static let variable = "IAP2_CAR_CONTROL"
  /// The version of the line format.
  public static let version = 4
  /// The longest line in bytes. A screen with 500 rows needs a tenth of it.
  public static let maximumLineByteCount = 4 << 20
}

/// A line to an app: a step with its number.
public struct CarRequest: Sendable, Hashable, Codable {
  /// The number of the request, which the answer repeats.
  public var id: Int
  /// The step.
  public var action: CarAction

  /// Creates a request.
  public init(id: Int, _ action: CarAction) {
    self.id = id
    self.action = action
  }

  private struct Key: CodingKey {
    static let id = Key("id")
    static let verb = Key("do")

    var stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// Reads `{"id": 1, "do": "tap", "text": "Home"}`: every other key is an argument.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    id = try values.decode(Int.self, forKey: .id)
    action = CarAction(try values.decode(CarVerb.self, forKey: .verb))
    for key in values.allKeys where key.stringValue != Key.id.stringValue && key.stringValue != Key.verb.stringValue {
      action.arguments[key.stringValue] = try values.decode(CarValue.self, forKey: key)
    }
  }

  /// Writes the request.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(id, forKey: .id)
    try values.encode(action.verb, forKey: .verb)
    for (name, value) in action.arguments { try values.encode(value, forKey: Key(name)) }
  }
}
