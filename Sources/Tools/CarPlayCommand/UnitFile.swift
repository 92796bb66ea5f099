// swift-iap2 · Apache-2.0

import Basics
import CommandSupport
import Foundation

/// A file of `--audio` with units of sound that are not decoded, each behind its length in two bytes, the highest one
/// first.
struct UnitFile {
  private let path: String
  private let file: FileHandle

  /// Opens the file, and empties it.
  init(_ path: String) throws {
    self.path = path
    file = try OutputFile.open(path, waits: false, isSole: true)
    guard FileIdentity(descriptor: file.fileDescriptor) != nil else {
      throw CommandFailure(.noInput, "cannot write --audio \(path): it is a pipe or a device, not a file")
    }
    OutputFile.empty(file)
  }

  /// Writes a unit. The payload of a datagram has a length of less than 16 bits.
  func write(_ unit: [UInt8]) throws {
    try attempt { try file.write(contentsOf: Data(UInt16(clamping: unit.count).bigEndianBytes + unit)) }
  }

  func close() throws { try attempt { try file.close() } }

  private func attempt(_ body: () throws -> Void) throws {
    do { try body() } catch {
      throw CommandFailure(.failed, "cannot write --audio \(path): \(InputFile.reason(error))")
    }
  }
}
