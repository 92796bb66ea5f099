// swift-iap2 · Apache-2.0

import CarPlaySession
import CommandSupport
import Dispatch
import Foundation
import Synchronization

/// The files of a head unit: the main screen as H.264, and a file for each stream of PCM.
///
/// The bytes are written on a queue of their own, so a slow disk or an unread pipe stops neither timers nor answers.
/// Invariant for `@unchecked`: `sounds` and `screen` are used on the queue alone.
final class ContentFiles: @unchecked Sendable {
  private let queue = DispatchQueue(label: "iap2.carplay.content")
  private let screen: FileHandle?
  private let reader: ReaderProcess?
  private let folder: String?
  private var sounds: [String: FileHandle] = [:]
  private let waiting = Mutex(0)
  private let failure = Mutex<String?>(nil)
  /// Called with true when too many bytes wait, and with false when they were written.
  private let onPressure: Mutex<(@Sendable (Bool) -> Void)?> = Mutex(nil)

  /// The bytes that may wait to be written: a second of pictures at 100 Mbit/s.
  static let maximumWaiting = 12 << 20

  /// - Parameters:
  ///   - screen: A file, or `pipe:` and a command of the shell that reads the pictures.
  ///   - audio: A folder.
  init(screen: String?, audio: String?) throws {
    if let screen, screen.hasPrefix("pipe:") {
      reader = try ReaderProcess(String(screen.dropFirst("pipe:".count)))
      self.screen = nil
    } else {
      reader = nil
      self.screen = try screen.map { path in
        let file = try OutputFile.open(path)
        OutputFile.empty(file)
        return file
      }
    }
    if let audio { _ = try OutputFolder(audio) }
    folder = audio
  }

  /// Sets the reaction to bytes that wait.
  func whenPressed(_ body: @escaping @Sendable (Bool) -> Void) { onPressure.withLock { $0 = body } }

  func take(_ content: HeadUnitContent) {
    switch content {
    case .screen(.screen, let bytes):
      if let reader { write(bytes) { _ in try reader.write(bytes) } }
      if let screen { write(bytes) { _ in try screen.write(contentsOf: Data(bytes)) } }
    case .screen, .count: break
    case .sound(let type, let number, _, let bytes):
      guard let folder else { return }
      write(bytes) { files in
        try files.sound("\(folder)/\(type.name)-\(number).pcm").write(contentsOf: Data(bytes))
      }
    }
  }

  private func write(_ bytes: [UInt8], _ body: @escaping @Sendable (ContentFiles) throws -> Void) {
    let isNew = waiting.withLock { count in
      let before = count
      count += bytes.count
      return before < Self.maximumWaiting && count >= Self.maximumWaiting
    }
    if isNew { onPressure.withLock { $0 }?(true) }
    queue.async { [self] in
      // A later write would leave a gap in the content.
      if failure.withLock({ $0 }) == nil { note { try body(self) } }
      let isRelieved = waiting.withLock { count in
        let before = count
        count -= bytes.count
        return before >= Self.maximumWaiting && count < Self.maximumWaiting
      }
      if isRelieved { onPressure.withLock { $0 }?(false) }
    }
  }

  private func sound(_ path: String) throws -> FileHandle {
    if let file = sounds[path] { return file }
    let file = try OutputFile.open(path)
    OutputFile.empty(file)
    sounds[path] = file
    return file
  }

  /// Writes what waits and closes the files.
  ///
  /// - Throws: The reason why content was lost.
  func close() throws {
    note { try reader?.finish(queue) }
    queue.sync {
      note { try screen?.close() }
      for file in sounds.values { note { try file.close() } }
    }
    if let reason = failure.withLock({ $0 }) { throw CommandFailure(.failed, "cannot write the content: \(reason)") }
  }

  /// Keeps the first failure.
  private func note(_ body: () throws -> Void) {
    do { try body() } catch {
      failure.withLock { $0 = $0 ?? (error as? CommandFailure)?.text ?? InputFile.reason(error) }
    }
  }
}
