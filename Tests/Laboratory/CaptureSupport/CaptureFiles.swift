// swift-iap2 · Apache-2.0

package import Foundation

/// The files in the folder `captures` of the repository.
package enum CaptureFiles {
  /// The folder `captures`.
  package static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../captures").standardizedFileURL

  /// Returns the contents of a file, given by its path below `captures`.
  package static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: root.appending(path: name)))
  }

  /// The sorted names of the files in `captures/formats`; empty if the folder cannot be read.
  package static let formats: [String] = {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "formats").path()).sorted()
    } catch { return [] }
  }()
}
