// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import Glibc
import IAP2
import IAP2Capture

/// How a capture is read; for every command that reads one.
struct CaptureOptions: ParsableArguments {
  @Option(
    help: "The input is raw bytes sent by this side: accessory or device.",
    transform: { text in
      guard let side = Side(rawValue: text) else { throw ValidationError("a side is accessory or device, not \(text)") }
      return side
    })
  var from: Side?

  @Flag(help: "Who looks like the accessory is the device.")
  var swap = false

  @Option(
    help: ArgumentHelp(
      "Lines of a text log: a regular expression with the group hex, and time, dir, conn, length where there are such; (?<dir>[^ ]+) is fast where (?<dir>.*) may take for ever.",
      valueName: "regex"))
  var pattern: String?

  @Option(
    name: .customLong("accessory-word"),
    help: ArgumentHelp("A word by which a log says that the accessory sent something.", valueName: "word"))
  var accessoryWords: [String] = []

  @Option(
    name: .customLong("device-word"),
    help: ArgumentHelp("The same of the device.", valueName: "word"))
  var deviceWords: [String] = []

  func validate() throws { _ = try log() }

  var options: CaptureAnalyzerOptions {
    get throws {
      var options = CaptureAnalyzerOptions()
      if let from { options.format = .raw(from) }
      options.swapsSides = swap
      options.log = try log()
      return options
    }
  }

  private func log() throws -> TextLog? {
    guard pattern != nil || !accessoryWords.isEmpty || !deviceWords.isEmpty else { return nil }
    guard from == nil else { throw ValidationError("--from is for raw bytes, which have no lines") }
    let words = accessoryWords.map { ($0, Side.accessory) } + deviceWords.map { ($0, Side.device) }
    do throws(TextLog.Problem) {
      return try TextLog(pattern: pattern, words: Dictionary(words) { first, _ in first })
    } catch {
      switch error {
      case .notAPattern(let reason): throw ValidationError("--pattern is no regular expression: \(reason)")
      case .missingGroup: throw ValidationError("--pattern has no group for the bytes: (?<hex>…)")
      }
    }
  }
}

/// What of a capture is shown.
struct FilterOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only findings for which this is true; `iap2 decode --help` says how they are written.", valueName: "expression"),
    transform: { text in
      do throws(FilterError) { return try FindingFilter(parsing: text) } catch {
        throw ValidationError(FilterText.text(error))
      }
    })
  var filter: FindingFilter?
}

/// A capture's bytes, in pieces as large as they come.
struct CaptureInput {
  private let handle: FileHandle
  private let path: String
  /// Nil where the file's end is the end.
  private let follow: FollowedFile?
  private let progress: ReadProgress?

  private static let chunkByteCount = 1 << 20

  /// - Parameters:
  ///   - follows: the file's end is waited at, until Ctrl-C.
  ///   - showsProgress: where a person reads stderr, how far it is; not while the same terminal shows the result.
  init(_ path: String, follows: Bool = false, showsProgress: Bool = true) throws {
    self.path = path
    handle = path == "-" ? .standardInput : try InputFile.open(path)
    let byteCount = path == "-" ? nil : Self.regularByteCount(path)
    // A pipe has no place, and its end is one.
    let hasPlace = lseek(handle.fileDescriptor, 0, SEEK_CUR) >= 0
    follow = follows && hasPlace ? FollowedFile(handle.fileDescriptor) : nil
    progress = showsProgress && !follows ? ReadProgress(byteCount: byteCount) : nil
  }

  /// A file that can be read again from its beginning.
  var isRegular: Bool { path != "-" && Self.regularByteCount(path) != nil }

  private static func regularByteCount(_ path: String) -> Int? {
    // What has no attributes has gone since it was opened.
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return attributes[.type] as? FileAttributeType == .typeRegular ? attributes[.size] as? Int : nil
    } catch {
      return nil
    }
  }

  /// Nil at the end.
  func next() throws -> [UInt8]? {
    while true {
      if let follow, follow.isEnded { return nil }
      let bytes = try read()
      progress?.add(bytes.count)
      if !bytes.isEmpty { return bytes }
      guard let follow, try follow.waitForMore(path) else { return nil }
    }
  }

  /// What there is, without waiting for more; empty at the end.
  private func read() throws -> [UInt8] {
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkByteCount) { buffer, count in
      var result = unsafe Glibc.read(handle.fileDescriptor, buffer.baseAddress, buffer.count)
      while result < 0, errno == EINTR {
        result = unsafe Glibc.read(handle.fileDescriptor, buffer.baseAddress, buffer.count)
      }
      if result < 0 { failure = errno }
      count = max(0, result)
    }
    guard failure == 0 else {
      throw CommandFailure(.noInput, "cannot read \(path): \(unsafe String(cString: strerror(failure)))")
    }
    return bytes
  }

  /// Returns the error for a capture without iAP2.
  static func nothing(in path: String, _ counts: CaptureCounts) -> String {
    "nothing in \(path) could be decoded as iAP2\(counts.contents ?? "; raw bytes of one side are read with --from")"
  }
}
