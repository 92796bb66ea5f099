// swift-iap2 · Apache-2.0

import CarPlayPlatform
package import Foundation

/// The files of an app that have complete protection. A locked phone cannot read them (S2).
///
/// While the phone is locked the files are moved aside, so that reading them fails for every user of this machine. The
/// error is "no such file", where iOS reports "no permission".
@MainActor
struct ProtectedFiles {
  private var files: Set<URL> = []
  private var isLocked = false

  private func aside(_ file: URL) -> URL {
    file.deletingLastPathComponent().appendingPathComponent(".locked-" + file.lastPathComponent)
  }

  /// Adds a file. Returns the error of moving it, if the phone is locked.
  mutating func add(_ file: URL) -> [String] {
    guard files.insert(file).inserted, isLocked else { return [] }
    return move(file, to: aside(file))
  }

  /// Moves the files away or back. Returns the errors.
  mutating func set(isLocked: Bool) -> [String] {
    guard self.isLocked != isLocked else { return [] }
    self.isLocked = isLocked
    return files.flatMap { isLocked ? move($0, to: aside($0)) : move(aside($0), to: $0) }
  }

  private func move(_ file: URL, to other: URL) -> [String] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    do {
      try FileManager.default.moveItem(at: file, to: other)
      return []
    } catch { return ["\(file.path): \(error.localizedDescription)"] }
  }
}

extension CarHost {
  /// Declares a file of the app that has complete protection.
  package func protect(_ file: URL) {
    for problem in protectedFiles.add(file) { note(.note, "protected file", problem) }
  }
}
