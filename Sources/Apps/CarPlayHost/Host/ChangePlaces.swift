// swift-iap2 · Apache-2.0

import CarPlayPlatform

/// The places in the app's code that last changed each object.
struct ChangePlaces {
  private struct Entry {
    weak var object: AnyObject?
    var change: String
    var place: CodePlace
  }

  private var entries: [ObjectIdentifier: [Entry]] = [:]
  private var count = 0
  /// The number of entries above which those of released objects are removed.
  private static let sweepCount = 1024
  private var nextSweep = sweepCount

  /// The change that stands for an object's initializer.
  static let creation = "init"

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

  /// Returns the place of a change of an object, or else of the object's latest change.
  func place(of object: AnyObject, _ change: String? = nil) -> CodePlace? {
    let list = (entries[ObjectIdentifier(object)] ?? []).filter { $0.object === object }
    guard let change else { return list.last?.place }
    // A value that no change has set is that of the initializer.
    return list.last { $0.change == change }?.place ?? list.first { $0.change == Self.creation }?.place
      ?? list.last?.place
  }
}

/// The recent changes of objects, by the car's clock.
struct ChangeRates {
  /// The changes of an object. A new object may have the address of a released one.
  private struct Entry {
    weak var object: AnyObject?
    var times: [CarClock.Instant] = []
  }

  private var entries: [ObjectIdentifier: Entry] = [:]

  /// Adds a change and returns the number of changes within the period before it.
  mutating func note(_ object: AnyObject, at now: CarClock.Instant, within period: Duration) -> Int {
    let start = now.advanced(by: .zero - period)
    var entry = Entry(object: object)
    if let known = entries[ObjectIdentifier(object)], known.object === object {
      entry.times = known.times.filter { $0 > start }
    }
    if entry.times.count < Self.maximumCount { entry.times.append(now) }
    if entries.count > Self.maximumObjects { entries = [:] }
    entries[ObjectIdentifier(object)] = entry
    return entry.times.count
  }

  /// The maximum number of counted changes per object. It is above every limit of the checks.
  private static let maximumCount = 256
  /// The maximum number of objects whose changes are counted at a time.
  private static let maximumObjects = 4096
}
