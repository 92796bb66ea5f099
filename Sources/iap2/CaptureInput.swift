// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
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

  var options: CaptureAnalyzerOptions {
    var options = CaptureAnalyzerOptions()
    if let from { options.format = .raw(from) }
    options.swapsSides = swap
    return options
  }
}

/// A capture's bytes, in pieces.
struct CaptureInput {
  private let handle: FileHandle
  private let path: String

  private static let chunkByteCount = 1 << 20

  init(_ path: String) throws {
    self.path = path
    handle = path == "-" ? .standardInput : try InputFile.open(path)
  }

  /// A file that can be read again from its beginning.
  var isRegular: Bool {
    guard path != "-" else { return false }
    // What has no attributes has gone since it was opened.
    do {
      return try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular
    } catch {
      return false
    }
  }

  /// Nil at the end.
  func next() throws -> [UInt8]? {
    guard let data = try InputFile.read(handle, upToCount: Self.chunkByteCount, path), !data.isEmpty else { return nil }
    return Array(data)
  }

  /// What a capture without iAP2 did contain.
  static func nothing(in path: String, _ counts: CaptureCounts) -> String {
    let kinds: [(count: Int, text: String)] = [
      (counts.usb, "USB"), (counts.bluetooth, "Bluetooth"), (counts.network, "network"), (counts.link, "link bytes"),
      (counts.notes, "notes"),
    ]
    var parts = kinds.filter { $0.count > 0 }.map { "\($0.count) × \($0.text)" }
    parts += counts.unsupported.sorted { $0.key < $1.key }.map {
      "\($0.value) × link type \($0.key), which is not read"
    }
    let what = parts.isEmpty ? "" : ": its \(counts.records) records are \(parts.joined(separator: ", "))"
    return "nothing in \(path) could be decoded as iAP2\(what)"
  }
}
