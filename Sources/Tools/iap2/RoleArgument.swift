// swift-iap2 · Apache-2.0

public import ArgumentParser
import Foundation
import IAP2
public import IAP2Roles

/// A role as the value of an option: `headunit` or `phone`, as the commands are called.
extension Role: ExpressibleByArgument {
  /// The name of the command that plays the role.
  var commandName: String { self == .headUnit ? "headunit" : "phone" }

  public init?(argument: String) {
    guard let role = Self.allCases.first(where: { $0.commandName == argument }) else { return nil }
    self = role
  }

  public static var allValueStrings: [String] { allCases.map(\.commandName) }

  /// Empty, so that the help lists the names in one line. The default would be a line for each name without a text.
  public static var allValueDescriptions: [String: String] { [:] }

  public var defaultValueDescription: String { commandName }
}
