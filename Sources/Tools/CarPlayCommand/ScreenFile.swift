// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CommandSupport
import Foundation

/// A screen of a head unit as H.264, in a file or a pipe.
///
/// Invariant for `@unchecked`: `isEmpty` is used only on the queue of the writer.
final class ScreenFile: ContentSink, @unchecked Sendable {
  /// The file of the pictures. It keeps the content of an earlier run until the first picture arrives.
  private let file: (path: String, file: FileHandle)?
  /// The writer of the pictures if their file is a pipe.
  private let pipe: PipeWriter?
  private let reader: ReaderProcess?
  /// The window, whose player must show a picture before the next one comes; nil for another target.
  private let window: ShownWindow?
  /// The mouse and the keys of the window; nil without them.
  let input: WindowInput?
  private let type: StreamType
  private let option: String
  private var isEmpty = false
  private let writer = ContentWriter()

  /// The name of the window in place of a file.
  static let window = "window"

  /// - Parameters:
  ///   - target: A file, `window`, or `pipe:` and a shell command that reads the pictures.
  ///   - type: The screen.
  ///   - option: The option that named the target.
  init(_ target: String, of type: StreamType = .screen, option: String = "--screen") throws {
    (self.type, self.option) = (type, option)
    if target == Self.window || target.hasPrefix("pipe:") {
      let isWindow = target == Self.window
      let command = isWindow ? try PictureWindow.command : (text: String(target.dropFirst("pipe:".count)), input: nil)
      let window = isWindow ? ShownWindow(command.input) : nil
      reader = try ReaderProcess(command.text, option: option, onEnd: window?.ended)
      (self.window, input, file) = (window, command.input, nil)
    } else {
      (window, reader, input) = (nil, nil, nil)
      file = (target, try OutputFile.open(target))
    }
    pipe = file.flatMap { path, file in
      let descriptor = file.fileDescriptor
      return FileIdentity.isPipe(descriptor: descriptor) ? PipeWriter(descriptor, name: "the reader of \(path)") : nil
    }
  }

  func take(_ content: ReceivedContent, at time: MonotonicTime) {
    guard case .screen(type, let bytes) = content else { return }
    if let reader {
      let bytes = window != nil && bytes.kindOfUnit != .parameterSets ? bytes + .pictureEnd : bytes
      writer.write(byteCount: bytes.count) { [window] in
        guard window?.isShown != false else { return }
        do { try reader.write(bytes) } catch {
          // The end of the player is reported by itself.
          guard let window, window.waitForEnd() else { throw error }
        }
      }
    }
    if let (path, file) = file {
      writer.write(byteCount: bytes.count) { [self] in
        if let pipe { return try pipe.write(bytes) }
        if !isEmpty { OutputFile.empty(file) }
        isEmpty = true
        do { try file.write(contentsOf: Data(bytes)) } catch {
          throw CommandFailure(.failed, "cannot write \(option) \(path): \(InputFile.reason(error))")
        }
      }
    }
  }

  func whenPressureChanges(_ react: @escaping @Sendable (StreamType, @escaping @Sendable () -> Bool) -> Void) {
    writer.whenPressureChanges { [type] in react(type, $0) }
  }

  func close() throws {
    let isShown = window?.finish() ?? true
    if let reader, isShown { writer.note { try reader.finish(writer.queue) } }
    input?.close()
    if window?.hasFailed == true { throw CommandFailure(.failed, "the screen was not shown to its end, see above") }
    _ = pipe?.finish(writer.queue)
    if let file { writer.note { try writer.queue.sync { try file.file.close() } } }
    try writer.close()
  }
}
