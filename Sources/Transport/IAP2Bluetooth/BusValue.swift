// swift-iap2 · Apache-2.0

/// What came over D-Bus, as far as BlueZ's interfaces have need of it: a variant is what is in it, a structure a list.
enum BusValue: Sendable, Equatable {
  /// Strings, paths and signatures.
  case text(String)
  /// Every kind of whole number.
  case number(Int64)
  case boolean(Bool)
  case real(Double)
  /// An open file, which belongs to whoever takes the message.
  case descriptor(Int32)
  case list([BusValue])
  /// By keys that are text.
  case dictionary([String: BusValue])

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  var list: [BusValue] { if case .list(let values) = self { values } else { [] } }
  var dictionary: [String: BusValue] { if case .dictionary(let values) = self { values } else { [:] } }
}

/// What goes over D-Bus.
enum BusArgument: Sendable {
  enum Option: Sendable {
    case text(String)
    case number(UInt16)
    case boolean(Bool)
  }

  case text(String)
  case path(String)
  /// `a{sv}`.
  case options([String: Option])
}

/// A call or a signal from the bus.
struct BusMessage: Sendable {
  var path: String
  var interface: String
  var member: String
  var arguments: [BusValue]
}

/// What the other side of D-Bus says instead of an answer.
struct BusFailure: Error, Equatable, Sendable {
  /// For example `org.bluez.Error.NotPermitted`.
  var name: String
  var text: String
}
