// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CommandSupport
import Dispatch

/// A folder with a file for each stream of sound of a head unit: WAV, in which lost packets and pauses are silence, and
/// for AAC-ELD the units themselves.
///
/// Invariant for `@unchecked`: `files` is used only on the queue of the writer.
final class SoundFiles: ContentSink, @unchecked Sendable {
  private let folder: String
  /// The open file of each type of stream.
  private var files: [StreamType: (number: Int, file: WAVFile)] = [:]
  private var unitFiles: [StreamType: (number: Int, file: UnitFile)] = [:]
  private let writer = ContentWriter()

  init(folder: String) throws {
    _ = try OutputFolder(folder)
    self.folder = folder
  }

  func take(_ content: ReceivedContent, at time: MonotonicTime) {
    switch content {
    case .sound(let sound): writer.write(byteCount: sound.samples.count) { [self] in try write(sound) }
    case .packet(let packet) where packet.format.codec == .aacELD:
      writer.write(byteCount: packet.bytes.count) { [self] in try write(packet) }
    case .soundEnded(let type, _): writer.write(byteCount: 0) { [self] in try close(type) }
    case .screen, .packet, .volume, .count, .sessionEnded: break
    }
  }

  func whenPressureChanges(_ react: @escaping @Sendable (StreamType, @escaping @Sendable () -> Bool) -> Void) {
    // Packets of other sound do not wait.
    writer.whenPressureChanges { react(.bufferedAudio, $0) }
  }

  private func write(_ sound: ReceivedSound) throws {
    if files[sound.type]?.number != sound.number {
      try close(sound.type)
      let format = sound.format
      let file = try WAVFile(
        "\(folder)/\(sound.type.name)-\(sound.number).wav",
        WAVHeader(rate: format.rate, bits: format.bits, channels: format.channels))
      files[sound.type] = (sound.number, file)
    }
    try files[sound.type]?.file.write(sound.samples, at: Int(sound.position) * sound.format.frameByteCount)
  }

  private func write(_ packet: ReceivedPacket) throws {
    if unitFiles[packet.type]?.number != packet.number {
      try close(packet.type)
      let file = try UnitFile("\(folder)/\(packet.type.name)-\(packet.number).aac-eld")
      unitFiles[packet.type] = (packet.number, file)
    }
    try unitFiles[packet.type]?.file.write(packet.bytes)
  }

  private func close(_ type: StreamType) throws {
    try files.removeValue(forKey: type)?.file.close()
    try unitFiles.removeValue(forKey: type)?.file.close()
  }

  func close() throws {
    writer.note { try writer.queue.sync { for type in Set(files.keys).union(unitFiles.keys) { try close(type) } } }
    try writer.close()
  }
}
