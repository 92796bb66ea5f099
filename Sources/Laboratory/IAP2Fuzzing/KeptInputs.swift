// swift-iap2 · Apache-2.0

import Basics
package import Foundation
import IAP2Capture

/// The inputs that the repository stores: those that found a fault, and those that reach different code.
///
/// Each target has a file with one input per line, in hexadecimal; `#` begins a comment on the next input.
package enum KeptInputs {
  /// The folders of the inputs that found a fault and of those that reach different code.
  package static let folders = ["Findings", "Corpora"]

  /// Returns all stored inputs of a target.
  ///
  /// - Parameter repository: the root folder of the repository.
  /// - Throws: an error of the file system, or a ``Finding`` for a line that is not hexadecimal.
  package static func all(of target: FuzzTarget, in repository: URL) throws -> [[UInt8]] {
    try all(named: target.rawValue, in: repository)
  }

  /// Returns all stored inputs of a target by its name, also of one that is in another module.
  ///
  /// - Parameter repository: the root folder of the repository.
  /// - Throws: like ``all(of:in:)``.
  package static func all(named name: String, in repository: URL) throws -> [[UInt8]] {
    let tests = repository.appending(path: "Tests/Laboratory/IAP2FuzzingTests")
    return try folders.flatMap { folder in
      let file = tests.appending(path: "\(folder)/\(name).hex")
      guard FileManager.default.fileExists(atPath: file.path) else { return [[UInt8]]() }
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      return try lines.filter { !$0.hasPrefix("#") }.map { line in
        guard let bytes = Hex.bytes(line) else { throw Finding("\(file.lastPathComponent): no input: \(line)") }
        return bytes
      }
    }
  }

  /// Returns the contents of every capture of the repository, by file name.
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
