// swift-iap2 · Apache-2.0

import CarPlayPlatform

/// The places in the app's code where objects were changed last.
struct ChangePlaces {
  private struct Entry {
    weak var object: AnyObject?
    var change: String
    var place: CodePlace
  }

  private var entries: [ObjectIdentifier: [Entry]] = [:]
  private var count = 0
  /// The number of entries at which those of released objects are removed.
  private static let sweepCount = 1024
  private var nextSweep = sweepCount

  mutating func note(_ object: AnyObject, _ change: String, _ place: CodePlace) {
    var list = (entries[ObjectIdentifier(object)] ?? []).filter { $0.object === object && $0.change != change }
    list.append(Entry(object: object, change: change, place: place))
    entries[ObjectIdentifier(object)] = list
    count += 1
    guard count >= nextSweep else { return }
    entries = entries.filter { $0.value.contains { $0.object != nil } }
    nextSweep = max(Self.sweepCount, 2 * entries.count)
    count = entries.count
  }

  /// Returns the place of a change of an object, or of its latest change.
  func place(of object: AnyObject, _ change: String? = nil) -> CodePlace? {
    let list = (entries[ObjectIdentifier(object)] ?? []).filter { $0.object === object }
    return list.last { change == nil || $0.change == change }?.place ?? list.last?.place
  }
}

/// The changes of objects in the last second of the car's clock.
struct ChangeRates {
  private var times: [ObjectIdentifier: [CarClock.Instant]] = [:]

  /// Notes a change and returns the number of changes in the period before it.
  mutating func note(_ object: AnyObject, at now: CarClock.Instant, within period: Duration) -> Int {
    let start = now.advanced(by: .zero - period)
    var list = (times[ObjectIdentifier(object)] ?? []).filter { $0 > start }
    if list.count < Self.maximumCount { list.append(now) }
    if times.count > Self.maximumObjects { times = [:] }
    times[ObjectIdentifier(object)] = list
    return list.count
  }

  /// More changes than this are as bad.
  private static let maximumCount = 256
  /// The number of objects whose changes are counted at a time.
  private static let maximumObjects = 4096
}
