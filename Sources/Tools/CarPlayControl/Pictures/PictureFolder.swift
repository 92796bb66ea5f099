// swift-iap2 · Apache-2.0

import Foundation
import Glibc

/// A folder that has the pictures of one run and nothing else. A file in it lists what the run wrote, so the next run
/// removes that and leaves the files of others alone.
package final class PictureFolder {
  private static let listName = ".iap2-pictures"
  /// The largest list in bytes. A run has some ten thousand pictures.
  private static let maximumListByteCount = 4 << 20

  private let path: String
  private var names: Set<String> = []

  /// Makes a folder, or empties that of an earlier run.
  package init(_ path: String) throws(CarFailure) {
    self.path = path
    do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
      throw CarFailure(
        .noOutput, "\"\(path)\" is not a folder, and none can be made there; name a folder for the pictures")
    }
    // Nothing is removed beside a file of others.
    if let other = try Self.others(in: path).min() {
      throw CarFailure(.noOutput, "\"\(path)\" has other files, such as \(other); name a new folder for the pictures")
    }
    try Self.clear(path)
    try write([], to: Self.listName)
  }

  /// Returns the names that an earlier run listed in a folder, and those of files that it had not finished.
  private static func listed(in path: String) throws(CarFailure) -> Set<String> {
    let list = "\(path)/\(listName)"
    guard isFile(list) else { return [] }
    let data: Data?
    do { data = try FileHandle(forReadingFrom: URL(filePath: list)).read(upToCount: maximumListByteCount) } catch {
      throw CarFailure(.noOutput, "\(list) cannot be read; name a new folder for the pictures")
    }
    let names = String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n").map(String.init).filter(isPlain)
    return Set(names).union(names.map { "." + $0 })
  }

  /// Returns the files of others in a folder and in its folders of cars.
  private static func others(in path: String) throws(CarFailure) -> [String] {
    let names = try listed(in: path).union([listName])
    let present: [String]
    do { present = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
      throw CarFailure(.noOutput, "\"\(path)\" cannot be read; name a new folder for the pictures")
    }
    var others: [String] = []
    for name in present {
      let file = "\(path)/\(name)"
      if names.contains(name), isFolder(file) {
        others += try Self.others(in: file).map { "\(name)/\($0)" }
      } else if !names.contains(name) || !isFile(file) {
        others.append(name)
      }
    }
    return others
  }

  /// Removes what an earlier run listed: its pictures, and its folders of cars.
  private static func clear(_ path: String) throws(CarFailure) {
    let list = "\(path)/\(listName)"
    for name in try listed(in: path) {
      let file = "\(path)/\(name)"
      if isFile(file) {
        unsafe unlink(file)
      } else if isFolder(file) {
        try clear(file)
        unsafe rmdir(file)
      }
    }
    if isFile(list) { unsafe unlink(list) }
  }

  private static func isPlain(_ name: String) -> Bool { !name.contains("/") && name != "." && name != ".." }
  private static func isFile(_ path: String) -> Bool { mode(path) == S_IFREG }
  private static func isFolder(_ path: String) -> Bool { mode(path) == S_IFDIR }

  /// The type of a file; a link is not followed.
  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Lists a name, and returns its path.
  @discardableResult
  package func add(_ name: String) throws(CarFailure) -> String {
    if names.insert(name).inserted { try append(name) }
    return "\(path)/\(name)"
  }

  private func append(_ name: String) throws(CarFailure) {
    let list = "\(path)/\(Self.listName)"
    do {
      let handle = try FileHandle(forWritingTo: URL(filePath: list))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data((name + "\n").utf8))
      try handle.close()
    } catch { throw CarFailure(.noOutput, "\(list) cannot be written") }
  }

  /// Writes a new file.
  package func write(_ bytes: [UInt8], to name: String) throws(CarFailure) {
    let file = "\(path)/\(name)"
    do { try Data(bytes).write(to: URL(filePath: file), options: .withoutOverwriting) } catch {
      throw CarFailure(.noOutput, "\(file) cannot be written; free space, or name another folder for the pictures")
    }
  }

  /// Writes a file in place of that of the same run, so that a viewer never sees an incomplete one.
  func replace(_ bytes: [UInt8], in name: String) throws(CarFailure) {
    let (part, file) = ("\(path)/.\(name)", try add(name))
    unsafe unlink(part)
    try write(bytes, to: "." + name)
    guard unsafe rename(part, file) == 0 else { throw CarFailure(.noOutput, "\(file) cannot be written") }
  }
}
