// swift-iap2 · Apache-2.0

import CarPlaySession

/// The form of a value in a message of the head unit, and its words in a problem.
struct ValueForm: Sendable {
  /// The form in words, as the expected value of a problem.
  let words: String
  private let accepts: @Sendable (PropertyValue) -> Bool

  private init(_ words: String, _ accepts: @escaping @Sendable (PropertyValue) -> Bool) {
    (self.words, self.accepts) = (words, accepts)
  }

  /// Returns whether a value has the form.
  func fits(_ value: PropertyValue) -> Bool { accepts(value) }

  static let address = ValueForm("a MAC address such as 00:11:22:33:44:55") { value in
    value.text.flatMap { DeviceID($0) } != nil
  }
  static let addresses = ValueForm("a list of MAC addresses") { $0.array?.allSatisfy(address.fits) == true }
  static let uuid = ValueForm("a UUID such as 00000000-0000-4000-8000-000000000000") { value in
    value.text?.wholeMatch(of: /[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) != nil
  }
  static let text = ValueForm("a text") { $0.text != nil }
  static let texts = ValueForm("a list of texts") { value in value.array?.allSatisfy { $0.text != nil } == true }
  /// A text that names something in other messages.
  static let name = ValueForm("a text that is not empty") { $0.text?.isEmpty == false }
  static let boolean = ValueForm("a boolean") { $0.bool != nil }
  static let bits = ValueForm("a number of 64 bits") { $0.identifier != nil }
  static let count = ValueForm("a whole number above 0") { ($0.whole ?? 0) > 0 }
  static let number = ValueForm("a whole number, 0 or above") { ($0.whole ?? -1) >= 0 }
  /// A size in millimeters, which may have a fraction.
  static let size = ValueForm("a number, 0 or above") { (Double(propertyValue: $0) ?? -1) >= 0 }
  static let port = numbers(1...65_535, "a port, 1 to 65535")
  static let usbNumber = numbers(0...65_535, "a number of 16 bits")
  static let byte = numbers(0...255, "a number of 8 bits")
  static let screenType = type(of: .screen)
  static let soundType = numbers(100...103, "100 to 103")

  /// Returns the form of the types of a family of streams.
  private static func type(of family: StreamType.Family) -> ValueForm {
    let types = StreamType.allCases.filter { $0.family == family }.map(\.rawValue)
    return ValueForm(types.map { "\($0)" }.joined(separator: " or ")) { value in
      types.contains { Int64($0) == value.whole }
    }
  }

  private static func numbers(_ range: ClosedRange<Int64>, _ words: String) -> ValueForm {
    ValueForm(words) { $0.whole.map(range.contains) == true }
  }
}

extension PropertyValue {
  /// The whole number; nil for another value. Some senders write whole numbers as real ones
  /// (CarPlaySession.md#property-numbers), so a real number without a fraction counts as one.
  fileprivate var whole: Int64? {
    switch self {
    case .integer(let value): value
    case .real(let value): Int64(exactly: value)
    case .unsigned, .bool, .text, .data, .array, .dictionary: nil
    }
  }
}
