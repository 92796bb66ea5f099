// swift-iap2 · Apache-2.0

import Glibc

/// The identity of a file in the file system, whatever path leads to it.
struct FileIdentity: Hashable {
  var device: UInt64
  var number: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}

/// Closes a file when it is released.
final class Descriptor {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  var status: stat? {
    var status = stat()
    return unsafe fstat(number, &status) == 0 ? status : nil
  }

  /// Returns the bytes of the file up to a limit; nil after an error.
  func read(limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let count = unsafe Glibc.read(number, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return bytes
  }
}

/// A source that was read.
struct SourceFile {
  /// A reason why a source cannot be read.
  enum Problem: Error {
    case system(Int32)
    case notAFile
    case noSources
    case tooLong
    case notUTF8(offset: Int)
    case notSwift
    case objectiveC

    var text: String {
      switch self {
      case .system(let number): unsafe String(cString: strerror(number))
      case .notAFile: "it is not a file"
      case .noSources: "the folder has no Swift file"
      case .tooLong: "it is longer than \(SourceFile.byteLimit) bytes"
      case .notSwift: "it is not a Swift source, whose name ends in .swift"
      case .objectiveC: "Objective-C does not compile on Linux; write it in Swift, or keep it in another target"
      case .notUTF8(let offset): "byte \(offset + 1) is not UTF-8; save it as UTF-8"
      }
    }
  }

  /// The limit of a source in bytes. The longest Swift files that people write have a few megabytes.
  static let byteLimit = 16 << 20

  let identity: FileIdentity
  let text: String

  /// Returns whether anything has a path.
  static func exists(_ path: [Substring]) -> Bool {
    unsafe access("/" + path.joined(separator: "/"), F_OK) == 0 || errno != ENOENT
  }

  init(_ path: String) throws(Problem) {
    // Without waiting for the writer of a pipe.
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else { throw .system(errno) }
    let file = Descriptor(number)
    guard let status = file.status else { throw .system(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    guard let bytes = file.read(limit: Self.byteLimit) else { throw .system(errno) }
    guard bytes.count <= Self.byteLimit else { throw .tooLong }
    identity = FileIdentity(status)
    do { text = String(copying: try UTF8Span(validating: bytes.span)) } catch {
      throw .notUTF8(offset: error.byteOffsets.lowerBound)
    }
  }
}

/// The sources of a run: files that the user named, and Swift files below folders that the user named.
struct SourceList {
  struct Source {
    var path: String
    var absolute: [Substring]
  }

  private(set) var sources: [Source] = []
  private(set) var unreadable: [(path: String, problem: SourceFile.Problem)] = []
  /// Sources of another language, below a folder.
  private(set) var foreign: [(path: String, problem: SourceFile.Problem)] = []
  /// The deepest folder with all sources.
  private(set) var common: [Substring] = []
  /// The folders that the user named.
  private var folders: [[Substring]] = []

  /// - Parameter output: The folder of ported files, which has no sources.
  init(_ paths: [String], without output: OutputTree?) {
    var bases: [[Substring]] = []
    var seen: Set<[Substring]> = []
    for path in paths {
      let absolute = Self.absolute(path)
      let isFolder = Self.isFolder(path)
      guard isFolder || path.hasSuffix(".swift") else {
        unreadable.append((path, Self.isObjectiveC(path) ? .objectiveC : .notSwift))
        continue
      }
      let found = isFolder ? swiftFiles(below: path, without: output) : [path]
      bases.append(isFolder ? absolute : absolute.dropLast())
      if isFolder { folders.append(absolute) }
      for file in found {
        let place = Self.absolute(file)
        if seen.insert(place).inserted { sources.append(Source(path: file, absolute: place)) }
      }
    }
    common = bases.dropFirst().reduce(bases.first ?? []) { common, base in
      Array(zip(common, base).prefix { $0 == $1 }.map(\.0))
    }
  }

  /// The path of a source below the folder of ported files.
  func pathInFolder(_ source: Source) -> [String] { source.absolute.dropFirst(common.count).map(String.init) }

  /// The parts of an absolute path, without `.` and `..`.
  static func absolute(_ path: String) -> [Substring] {
    let folder = path.hasPrefix("/") ? "" : Self.workingFolder + "/"
    var parts: [Substring] = []
    for part in (folder + path).split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts
  }

  private static var workingFolder: String {
    guard let path = unsafe getcwd(nil, 0) else { return "" }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }

  static func isObjectiveC(_ path: String) -> Bool { path.hasSuffix(".m") || path.hasSuffix(".mm") }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The Swift files below a folder by path, as far as it can be read.
  static func files(below folder: String) -> [String] {
    var list = SourceList()
    return list.swiftFiles(below: folder, without: nil)
  }

  private init() {}

  /// The path of a file as a user in another folder would write it: `../App/Scene.swift`.
  static func path(of file: [Substring], from folder: [Substring]) -> String {
    let common = zip(file, folder).prefix { $0 == $1 }.count
    let up = Array(repeating: Substring(".."), count: folder.count - common)
    return (up + file.dropFirst(common)).joined(separator: "/")
  }

  /// Whether a path is that of a folder whose sources are in the list, or below it.
  func covers(_ path: [Substring]) -> Bool { folders.contains { path.starts(with: $0) } }

  /// The Swift files below a folder by path, without hidden ones and without links.
  private mutating func swiftFiles(below folder: String, without output: OutputTree?) -> [String] {
    var files: [String] = []
    var folders = [folder]
    while let current = folders.popLast() {
      guard let entries = unsafe opendir(current) else {
        unreadable.append((current, .system(errno)))
        continue
      }
      defer { unsafe closedir(entries) }
      while let entry = unsafe readdir(entries) {
        let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let path = current.hasSuffix("/") ? current + name : current + "/" + name
        guard !name.hasPrefix("."), Self.absolute(path) != output.map({ Self.absolute($0.path) }) else { continue }
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { continue }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: folders.append(path)
        case S_IFREG where name.hasSuffix(".swift"): files.append(path)
        case S_IFREG where Self.isObjectiveC(name): foreign.append((path, .objectiveC))
        default: break
        }
      }
    }
    foreign.sort { $0.path < $1.path }
    if files.isEmpty { unreadable.append((folder, .noSources)) }
    return files.sorted()
  }
}
