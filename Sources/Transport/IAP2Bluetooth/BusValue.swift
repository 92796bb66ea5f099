// swift-iap2 · Apache-2.0

/// A value received over D-Bus, in the detail that BlueZ's interfaces need: a variant is its content, a structure is a
/// list.
enum BusValue: Sendable, Equatable {
  /// A string, path or signature.
  case text(String)
  /// An integer of any size.
  case number(Int64)
  case boolean(Bool)
  case real(Double)
  /// An open file descriptor. The receiver of the message owns it.
  case descriptor(Int32)
  case list([BusValue])
  /// A dictionary with text keys.
  case dictionary([String: BusValue])

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  var list: [BusValue] { if case .list(let values) = self { values } else { [] } }
  var dictionary: [String: BusValue] { if case .dictionary(let values) = self { values } else { [:] } }
}

/// An argument of a D-Bus call.
enum BusArgument: Sendable {
  enum Option: Sendable {
    case text(String)
    case number(UInt16)
    case boolean(Bool)
  }

  case text(String)
  case path(String)
  /// A dictionary of the type `a{sv}`.
  case options([String: Option])
}

/// A method call or a signal from the bus.
struct BusMessage: Sendable {
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue]
}

/// An error that D-Bus returns instead of an answer.
struct BusFailure: Error, Equatable, Sendable {
  /// The name of the error, for example `org.bluez.Error.NotPermitted`.
  var name: String
  var text: String
}
