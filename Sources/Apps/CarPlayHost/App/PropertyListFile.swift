// swift-iap2 · Apache-2.0

import Basics
import CarPlayPlatform
import Foundation

/// A property list with the line numbers of its keys, for error messages.
struct PropertyListFile {
  let file: String
  let values: [String: Any]
  private let text: String

  /// The largest accepted property list in bytes. An Info.plist has a few kilobytes.
  private static let maximumByteCount = 1 << 20

  /// Reads a property list in XML or binary form.
  init(_ data: Data, file: String) throws(CarFileProblem) {
    guard data.count <= Self.maximumByteCount else {
      throw CarFileProblem(file: file, text: "the file is larger than \(Self.maximumByteCount) bytes")
    }
    let list: Any
    do { list = try unsafe PropertyListSerialization.propertyList(from: data, options: [], format: nil) } catch {
      throw CarFileProblem(file: file, text: "the file is not a property list")
    }
    guard let values = list as? [String: Any] else {
      throw CarFileProblem(file: file, text: "expected a dictionary at the top")
    }
    self.file = file
    self.values = values
    text = String(validating: data, as: UTF8.self) ?? ""
  }

  /// Creates a property list from values that a program gives.
  init(_ values: [String: Any], name: String) {
    file = name
    self.values = values
    text = ""
  }

  /// Returns a fault at a key, with the line of the innermost key's first use.
  func problem(_ path: [String], _ problem: String) -> CarFileProblem {
    let name = path.last { Int($0) == nil } ?? ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = lines.firstIndex { $0.contains("<key>\(name)</key>") }.map { $0 + 1 }
    return CarFileProblem(file: file, line: line, key: path.joined(separator: "."), text: problem)
  }

  /// Returns a value of the expected type; nil without the key.
  func value<Value>(_ path: [String], in values: [String: Any], as type: Value.Type, _ name: String)
    throws(CarFileProblem) -> Value?
  {
    guard let key = path.last, let found = values[key] else { return nil }
    guard let value = found as? Value else { throw problem(path, "expected \(name)") }
    return value
  }
}
