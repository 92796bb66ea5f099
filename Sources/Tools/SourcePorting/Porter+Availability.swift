// swift-iap2 · Apache-2.0

extension Porter {
  /// The function that reads the emulated version of iOS.
  static let availabilityFunction = "iOSVersionIsAtLeast"

  private static let platforms: Set<String> = [
    "iOS", "iOSApplicationExtension", "macOS", "macOSApplicationExtension", "OSX", "macCatalyst",
    "macCatalystApplicationExtension", "tvOS", "tvOSApplicationExtension", "watchOS", "watchOSApplicationExtension",
    "visionOS", "visionOSApplicationExtension", "xrOS", "driverKit", "swift",
  ]

  /// Turns `#available(iOS 26, *)` into a call, so that the emulated version of iOS decides. Linux takes the first one
  /// for true, whatever the version is.
  ///
  /// - Returns: the index of the next token to look at.
  mutating func applyAvailability(at index: Int) -> Int {
    let first = index + 3
    guard let end = closers[index + 2], first < end else { return first }
    var version: Int?
    for item in first..<end where isName(item) {
      let name = word(item)
      guard Self.platforms.contains(name) else {
        leave(range(index, end), "only the build settings know \(name); write the version of iOS")
        return end + 1
      }
      if name == "iOS" { version = item + 1 }
    }
    // Without iOS in the list, the condition has the same value on iOS and on Linux.
    guard let version else { return end + 1 }
    let arguments = version < end ? Self.arguments(source.text(tokens[version].range)) : nil
    guard let arguments else {
      leave(range(index, end), "this is not a version of iOS; repair the source")
      return end + 1
    }
    let call = (word(index + 1) == "unavailable" ? "!" : "") + Self.availabilityFunction
    change(range(index, end), by: [(range(index, index + 1), call)] + replacements(first..<end, version, arguments))
    return end + 1
  }

  /// The replacements of the list by the arguments of a call. Comments and line ends between the tokens stay.
  private func replacements(
    _ list: Range<Int>, _ version: Int, _ arguments: String
  ) -> [(range: Range<Int>, text: String)] {
    let all = range(list.lowerBound, list.upperBound - 1)
    let hasGaps = source.bytes[all].contains { $0 == 0x0A || $0 == 0x0D || $0 == UInt8(ascii: "/") }
    guard hasGaps else { return [(all, arguments)] }
    return list.map { (range($0, $0), $0 == version ? arguments : "") }
  }

  /// The arguments for a version: `26, 4` for `26.4`. Zeros at the end are left out.
  private static func arguments(_ version: String) -> String? {
    var numbers = version.split(separator: ".", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard (1...3).contains(numbers.count), version.utf8.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) }),
      numbers.count == version.split(separator: ".", omittingEmptySubsequences: false).count
    else { return nil }
    while numbers.count > 1, numbers.last == 0 { numbers.removeLast() }
    return numbers.map(String.init).joined(separator: ", ")
  }
}
