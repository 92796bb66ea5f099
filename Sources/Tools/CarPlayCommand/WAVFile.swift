// swift-iap2 · Apache-2.0

import CarPlayPrograms
import CommandSupport
import Foundation

/// A WAV file of an option. Until it is closed its header has no sizes, so players read a file that was not closed to
/// its end. Gaps are holes of the file, which are silence and take no space on most disks.
///
/// It keeps the content of an earlier run until the first samples.
struct WAVFile {
  private let name: String
  private let file: FileHandle
  private let header: WAVHeader
  private var hasHeader = false
  /// The size of the samples and of the silence behind them in bytes.
  private var byteCount = 0
  /// The place of the next written byte, behind the header.
  private var place = 0

  /// Opens a file.
  ///
  /// - Parameter option: The option that names it, for problems.
  init(_ path: String, _ header: WAVHeader, option: String = "--audio") throws {
    (name, self.header) = ("\(option) \(path)", header)
    file = try OutputFile.open(path, waits: false, isSole: true)
    guard FileIdentity(descriptor: file.fileDescriptor) != nil else {
      throw CommandFailure(.noInput, "cannot write \(name): it is a pipe or a device, not a file")
    }
  }

  /// Writes samples.
  ///
  /// - Parameters:
  ///   - bytes: The samples.
  ///   - place: The place of the first byte behind the header; nil for the end.
  mutating func write(_ bytes: [UInt8], at place: Int? = nil) throws {
    let place = place ?? byteCount
    try attempt {
      if !hasHeader {
        OutputFile.empty(file)
        try file.write(contentsOf: Data(header.bytes(sampleByteCount: nil)))
        hasHeader = true
      }
      if place != self.place { try file.seek(toOffset: UInt64(WAVHeader.byteCount + place)) }
      try file.write(contentsOf: Data(bytes))
    }
    self.place = place + bytes.count
    byteCount = max(byteCount, self.place)
  }

  /// Adds silence at the end.
  mutating func addSilence(byteCount: Int) { self.byteCount += byteCount }

  /// Writes the sizes and closes the file.
  func close() throws {
    try attempt {
      if hasHeader {
        try file.truncate(atOffset: UInt64(WAVHeader.byteCount + byteCount + byteCount % 2))
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data(header.bytes(sampleByteCount: byteCount)))
      } else if OutputFile.byteCount(file) == 0 {
        // Nothing was heard, and a new file is a WAV file all the same.
        try file.write(contentsOf: Data(header.bytes(sampleByteCount: 0)))
      }
      try file.close()
    }
  }

  private func attempt(_ body: () throws -> Void) throws {
    do { try body() } catch {
      throw CommandFailure(.failed, "cannot write \(name): \(InputFile.reason(error))")
    }
  }
}
