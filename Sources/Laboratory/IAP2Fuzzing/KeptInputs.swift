// swift-iap2 · Apache-2.0

package import Foundation
import IAP2Capture

/// Inputs that are kept in the repository: those that found something, and those that lead to different places.
///
/// A file for each target: an input a line, in hexadecimal, and `#` before what is said of the next.
package enum KeptInputs {
  package static let folders = ["Findings", "Corpora"]

  /// - Parameter repository: its folder.
  package static func all(of target: FuzzTarget, in repository: URL) throws -> [[UInt8]] {
    let tests = repository.appending(path: "Tests/Laboratory/IAP2FuzzingTests")
    return try folders.flatMap { folder in
      let file = tests.appending(path: "\(folder)/\(target.rawValue).hex")
      guard FileManager.default.fileExists(atPath: file.path) else { return [[UInt8]]() }
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      return try lines.filter { !$0.hasPrefix("#") }.map { line in
        guard let bytes = Hex.bytes(line) else { throw Finding("\(file.lastPathComponent): no input: \(line)") }
        return bytes
      }
    }
  }

  /// Every capture of the repository, by its name.
  package static func captures(of repository: URL) throws -> [String: [UInt8]] {
    let root = repository.appending(path: "captures")
    var files: [String: [UInt8]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted() {
      let url = root.appending(path: path)
      guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
      files[url.lastPathComponent] = Array(try Data(contentsOf: url))
    }
    return files
  }
}
