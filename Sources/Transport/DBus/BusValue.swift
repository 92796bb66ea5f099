// swift-iap2 · Apache-2.0

/// A value received over D-Bus, in the detail that BlueZ and Avahi need: a variant is its content, a structure is a list.
package enum BusValue: Sendable, Equatable {
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

  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var number: Int64? { if case .number(let number) = self { number } else { nil } }
  package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  package var list: [BusValue] { if case .list(let values) = self { values } else { [] } }
  package var dictionary: [String: BusValue] { if case .dictionary(let values) = self { values } else { [:] } }
}

/// An argument of a D-Bus call.
package enum BusArgument: Sendable {
  package enum Option: Sendable {
    case text(String)
    case number(UInt16)
    case boolean(Bool)
  }

  case text(String)
  case path(String)
  case int32(Int32)
  case uint32(UInt32)
  case uint16(UInt16)
  /// Strings of bytes, of the type `aay`.
  case strings([[UInt8]])
  /// A dictionary of the type `a{sv}`.
  case options([String: Option])
}

/// A method call or a signal from the bus.
package struct BusMessage: Sendable {
  package var path: String
  package var interface: String
  package var member: String
  package var arguments: [BusValue]
}

/// An error that D-Bus returns instead of an answer.
package struct BusFailure: Error, Equatable, Sendable {
  /// The name of the error, for example `org.bluez.Error.NotPermitted`.
  package var name: String
  package var text: String

  package init(name: String, text: String) { (self.name, self.text) = (name, text) }
}
