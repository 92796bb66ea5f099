// swift-iap2 · Apache-2.0

/// A control or indicator of an input device: a page of the HID Usage Tables and a usage number on that page.
public struct HIDUsage: Sendable, Hashable, Comparable {
  /// The usage page.
  public var page: UInt16
  /// The usage number on the page.
  public var number: UInt16

  /// Creates a usage.
  public init(page: UInt16, _ number: UInt16) {
    self.page = page
    self.number = number
  }

  /// Compares the pages, then the numbers.
  public static func < (a: Self, b: Self) -> Bool { (a.page, a.number) < (b.page, b.number) }
}
