// swift-iap2 · Apache-2.0

package import Foundation

/// The files under `captures`.
package enum CaptureFiles {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../captures").standardizedFileURL

  /// The contents of a file, named by its path below `captures`.
  package static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: root.appending(path: name)))
  }

  /// The names in `captures/formats`, sorted.
  package static let formats: [String] = {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "formats").path()).sorted()
    } catch { return [] }
  }()
}
