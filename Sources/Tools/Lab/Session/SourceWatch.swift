// swift-iap2 · Apache-2.0

import Foundation

/// The sources of an app's package, which are looked at again and again.
struct SourceWatch: Sendable {
  private struct Look: Hashable {
    var path: String
    var date: Date
    var byteCount: Int
  }

  private let folder: String
  private var last: Set<Look>
  private var nextTime = ContinuousClock.now

  /// The time between two looks.
  static let interval = Duration.milliseconds(500)
  /// The most files of a package that are looked at.
  private static let maximumCount = 10_000

  init(folder: String) {
    self.folder = folder
    last = Self.look(folder)
  }

  /// The time of the next look.
  var due: ContinuousClock.Instant { nextTime }

  /// Whether a source was changed, added or removed since the last look.
  mutating func isChanged() -> Bool {
    guard ContinuousClock.now >= nextTime else { return false }
    nextTime = .now.advanced(by: Self.interval)
    let now = Self.look(folder)
    defer { last = now }
    return now != last
  }

  private static func look(_ folder: String) -> Set<Look> {
    let keys: [URLResourceKey] = [.contentModificationDateKey, .fileSizeKey]
    let files = FileManager.default.enumerator(
      at: URL(filePath: folder), includingPropertiesForKeys: keys, options: [.skipsHiddenFiles])
    var found: Set<Look> = []
    while let file = files?.nextObject() as? URL, found.count < maximumCount {
      guard file.pathExtension == "swift" else { continue }
      do {
        let values = try file.resourceValues(forKeys: Set(keys))
        found.insert(
          Look(
            path: file.path(), date: values.contentModificationDate ?? .distantPast, byteCount: values.fileSize ?? 0))
      } catch {
        // It was removed between the list and the look, which the next look finds.
      }
    }
    return found
  }
}
