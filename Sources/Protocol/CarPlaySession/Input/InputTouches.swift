// swift-iap2 · Apache-2.0

import HIDReports

/// The fingers that a device reports. A finger is identified by its collection, so two slots with the same index in a
/// report stay two fingers.
struct InputTouches: Sendable {
  private struct Touch: Sendable, Hashable {
    var slot: Int
    var isTouching = false
    var x = 0, y = 0
  }

  private let width, height: UInt16
  /// The finger of each collection; nil for a collection without a finger.
  private let fingers: [Int?]
  /// The last state of each finger.
  private var touches: [Touch]

  init(_ descriptor: HIDReportDescriptor, width: UInt16, height: UInt16) {
    (self.width, self.height) = (width, height)
    let owners = descriptor.collections.indices.map { Self.owner(of: $0, in: descriptor) }
    var numbers: [Int: Int] = [:]
    for field in descriptor.fields where field.report.kind == .input {
      // The owner is the collection of a finger only if it has a touch bit.
      guard !field.isArray, let usage = field.usages.first, usage == .touch || usage == .tipSwitch,
        let owner = field.collection.flatMap({ owners[$0] }), numbers[owner] == nil
      else { continue }
      numbers[owner] = numbers.count
    }
    fingers = owners.map { $0.flatMap { numbers[$0] } }
    touches = (0..<numbers.count).map { Touch(slot: $0) }
  }

  /// Returns the nearest collection of a finger around a collection, or else the nearest one of a digitizer.
  private static func owner(of collection: Int, in descriptor: HIDReportDescriptor) -> Int? {
    let ancestry = descriptor.ancestry(of: collection)
    let finger = ancestry.first { $0.usage == .finger } ?? ancestry.first { $0.usage.page == HIDPage.digitizer }
    return finger?.index
  }

  private func finger(_ value: HIDValue) -> Int? { value.isArray ? nil : value.collection.flatMap { fingers[$0] } }

  /// Returns whether a value is a part of a touch.
  func isPart(_ value: HIDValue) -> Bool {
    guard finger(value) != nil else { return false }
    return [.transducerIndex, .touch, .tipSwitch, .x, .y].contains(value.usage)
  }

  /// Processes the values of a report and returns the fingers that changed.
  mutating func take(_ values: [HIDValue]) -> [InputEvent] {
    let before = touches
    for value in values {
      guard let finger = finger(value) else { continue }
      switch value.usage {
      case .transducerIndex: touches[finger].slot = value.value
      case .touch, .tipSwitch: touches[finger].isTouching = value.value != 0
      case .x: touches[finger].x = pixels(value, width)
      case .y: touches[finger].y = pixels(value, height)
      default: break
      }
    }
    return zip(before, touches).compactMap { last, touch in
      // The slot and the position of a finger that does not touch have no meaning.
      guard last != touch, last.isTouching || touch.isTouching else { return nil }
      return .touch(slot: touch.slot, isTouching: touch.isTouching, x: touch.x, y: touch.y)
    }
  }

  /// Returns the place in pixels of a number in its logical range.
  private func pixels(_ value: HIDValue, _ size: UInt16) -> Int {
    let (minimum, maximum) = (value.range.lowerBound, value.range.upperBound)
    return minimum < maximum ? (value.value - minimum) * Int(size) / (maximum - minimum) : 0
  }
}
