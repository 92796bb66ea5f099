// swift-iap2 · Apache-2.0

import CarPlayPrograms
import CarPlaySession
import CommandSupport
import Foundation

/// The files of a head unit: the main screen as H.264, and a file for each stream of PCM.
///
/// Invariant for `@unchecked`: `sounds` is used only on the queue of the sound, `isScreenEmpty` only on the queue of
/// the pictures.
final class ContentFiles: MediaSink, @unchecked Sendable {
  /// The file of the pictures. It keeps the content of an earlier run until the first picture arrives.
  private let screen: (path: String, file: FileHandle)?
  /// The writer of the pictures if their file is a pipe.
  private let pipe: PipeWriter?
  private let reader: ReaderProcess?
  /// Whether the reader is a player, which must show a picture before the next one comes.
  private let isWindow: Bool
  private let folder: String?
  /// The open file of each type of sound.
  private var sounds: [StreamType: (path: String, file: FileHandle)] = [:]
  private var isScreenEmpty = false
  private let pictureWriter = ContentWriter()
  private let soundWriter = ContentWriter()

  /// The writers, with the streams that wait for them. Packets of other sound do not wait.
  private var writers: [(writer: ContentWriter, type: StreamType)] {
    [(pictureWriter, .screen), (soundWriter, .bufferedAudio)]
  }

  /// The name of the window in place of a file.
  static let window = "window"

  /// - Parameters:
  ///   - screen: A file, `window`, or `pipe:` and a shell command that reads the pictures.
  ///   - audio: A folder.
  init(screen: String?, audio: String?) throws {
    if let screen, screen == Self.window || screen.hasPrefix("pipe:") {
      isWindow = screen == Self.window
      reader = try ReaderProcess(isWindow ? try PictureWindow.command : String(screen.dropFirst("pipe:".count)))
      self.screen = nil
    } else {
      isWindow = false
      reader = nil
      self.screen = try screen.map { ($0, try OutputFile.open($0)) }
    }
    pipe = self.screen.flatMap { path, file in
      let descriptor = file.fileDescriptor
      return FileIdentity.isPipe(descriptor: descriptor) ? PipeWriter(descriptor, name: "the reader of \(path)") : nil
    }
    if let audio { _ = try OutputFolder(audio) }
    folder = audio
  }

  func take(_ content: HeadUnitContent) {
    switch content {
    case .screen(.screen, let bytes):
      if let reader {
        let bytes = isWindow && bytes.kindOfUnit != .parameterSets ? bytes + .pictureEnd : bytes
        pictureWriter.write(byteCount: bytes.count) { try reader.write(bytes) }
      }
      if let (path, file) = screen {
        pictureWriter.write(byteCount: bytes.count) { [self] in
          if let pipe { return try pipe.write(bytes) }
          if !isScreenEmpty { OutputFile.empty(file) }
          isScreenEmpty = true
          try Self.write(bytes, to: file, "--screen \(path)")
        }
      }
    case .screen, .count: break
    case .sound(let type, let number, _, let bytes):
      guard let folder else { return }
      let path = "\(folder)/\(type.name)-\(number).pcm"
      soundWriter.write(byteCount: bytes.count) { [self] in
        try Self.write(bytes, to: try sound(type, path), "--audio \(path)")
      }
    }
  }

  func whenPressureChanges(_ react: @escaping @Sendable (StreamType, @escaping @Sendable () -> Bool) -> Void) {
    for (writer, type) in writers { writer.whenPressureChanges { react(type, $0) } }
  }

  private static func write(_ bytes: [UInt8], to file: FileHandle, _ name: String) throws {
    do { try file.write(contentsOf: Data(bytes)) } catch {
      throw CommandFailure(.failed, "cannot write \(name): \(InputFile.reason(error))")
    }
  }

  /// Returns the file of a stream, and closes the file of an earlier stream of the type.
  private func sound(_ type: StreamType, _ path: String) throws -> FileHandle {
    if let present = sounds[type] {
      guard present.path != path else { return present.file }
      sounds[type] = nil
      try present.file.close()
    }
    let file = try OutputFile.open(path, waits: false)
    guard FileIdentity(descriptor: file.fileDescriptor) != nil else {
      throw CommandFailure(.noInput, "cannot write --audio \(path): it is a pipe or a device, not a file")
    }
    OutputFile.empty(file)
    sounds[type] = (path, file)
    return file
  }

  /// Writes the waiting content and closes the files.
  ///
  /// - Throws: A failure if content was lost.
  func close() throws {
    if let reader { pictureWriter.note { try reader.finish(pictureWriter.queue) } }
    _ = pipe?.finish(pictureWriter.queue)
    if let screen { pictureWriter.note { try pictureWriter.queue.sync { try screen.file.close() } } }
    soundWriter.note { try soundWriter.queue.sync { for sound in sounds.values { try sound.file.close() } } }
    let results = writers.map { writer, _ in Result { try writer.close() } }
    for result in results { try result.get() }
  }
}
