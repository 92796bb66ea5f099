// swift-iap2 · Apache-2.0

extension Porter {
  /// Names of Foundation on Apple's systems that Foundation on Linux lacks, as Swift 6.3 reports them.
  static let missingInFoundation: [MissingName] =
    formatters.map { name, other in
      MissingName(name: name, reason: "Foundation on Linux has no \(name); \(other)")
    }
    + types.map { MissingName(name: $0, reason: "Foundation on Linux has no \($0); keep its code in another target") }
    + others

  private static let ownText = "make the text with the names of the units in your code"

  private static let formatters = [
    "MeasurementFormatter": ownText, "RelativeDateTimeFormatter": ownText,
    "ListFormatter": "join the texts in your code", "LocalizedStringResource": "use a text",
    "NSDataDetector": "use a regular expression",
    "UndoManager": "keep a list of closures", "NetService": "give the address of the service to the code",
  ]

  private static let types = [
    "NSExtensionContext", "NSFileCoordinator", "NSInvocation", "NSItemProvider", "NSLinguisticTagger",
    "NSMetadataQuery", "NSProxy", "NSUbiquitousKeyValueStore", "NSUserActivity", "NSXPCConnection",
  ]

  private static let others = [
    MissingName(
      name: "AttributedString", following: ["(", "markdown", ":"],
      reason: "Foundation on Linux reads no Markdown; use AttributedString(_:)"),
    MissingName(
      name: "NSSortDescriptor", following: ["(", "key", ":"],
      reason: "Linux has no key-value coding; use NSSortDescriptor(keyPath:ascending:)"),
    MissingName(
      name: "CGFloat", following: ["(", "truncating", ":"],
      reason: "Foundation on Linux lacks this initializer; use CGFloat(number.doubleValue)"),
    MissingName(
      name: "publish", following: ["(", "every", ":"], isMember: true, combine: false,
      reason: "Combine does not exist on Linux; use Timer.scheduledTimer(withTimeInterval:repeats:block:)"),
    MissingName(
      name: "isLowPowerModeEnabled", isMember: true,
      reason: "ProcessInfo on Linux has no Low Power Mode; remove the condition"),
    MissingName(
      name: "startAccessingSecurityScopedResource", isMember: true,
      reason: "URL on Linux has no security scope; remove the call"),
  ]
}
