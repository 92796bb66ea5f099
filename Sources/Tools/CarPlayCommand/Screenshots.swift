// swift-iap2 · Apache-2.0

import Basics
import CarPlayControl
import CarPlayPrograms
import CarPlaySession
import CommandSupport
import Foundation
import Glibc

/// A folder with a picture in PNG of each screen that the head unit showed at rest. A child process decodes the
/// pictures since the last key frame.
///
/// Invariant for `@unchecked`: the variables are used only on the queue of the writer.
final class Screenshots: ContentSink, @unchecked Sendable {
  /// The time in seconds without a new picture after which the screen rests. Ours.
  private static let restSeconds = 0.3
  /// The largest number of pictures of a run, because people read the folder.
  private static let maximumCount = 9999
  /// The most bytes since a key frame. A phone that makes no key frames would fill the memory.
  private static let maximumByteCount = 64 << 20
  /// The number of pictures after which a head unit asks for a key frame, so that few have to be decoded.
  static let keyFrameInterval = 300

  private let folder: PictureFolder
  private let writer = ContentWriter()
  private var parameterSets: [UInt8] = []
  /// The pictures since the last key frame, with the parameter sets before it, and their number.
  private var film: [UInt8] = [], pictureCount = 0
  /// The number of pictures of the session, by which a rest is noticed.
  private var total = 0
  private var fileCount = 0
  /// The last file.
  private var written: [UInt8] = []

  init(_ path: String) throws {
    guard InstalledProgram.ffmpeg.isThere else {
      throw CommandFailure(.unavailable, "--screenshots needs ffmpeg, which decodes the pictures: install ffmpeg")
    }
    do { folder = try PictureFolder(path) } catch { throw CommandFailure(error) }
  }

  func take(_ content: ReceivedContent, at time: MonotonicTime) {
    guard case .screen(.screen, let bytes) = content else { return }
    writer.write(byteCount: bytes.count) { [self] in
      switch bytes.kindOfUnit {
      case .parameterSets: parameterSets = bytes
      case .keyFrame: (film, pictureCount) = (parameterSets + bytes, 1)
      case .picture:
        guard !film.isEmpty, film.count < Self.maximumByteCount else { return }
        film += bytes
        pictureCount += 1
      }
      total += 1
      writer.queue.asyncAfter(deadline: .now() + Self.restSeconds) { [self, total] in
        if total == self.total { writer.note(save) }
      }
    }
  }

  func whenPressureChanges(_ react: @escaping @Sendable (StreamType, @escaping @Sendable () -> Bool) -> Void) {
    writer.whenPressureChanges { react(.screen, $0) }
  }

  /// Writes the last picture into a file, if it differs from that of the last file.
  private func save() throws {
    guard pictureCount > 0, fileCount < Self.maximumCount else { return }
    let picture = try decodedPicture()
    guard picture != written else { return }
    fileCount += 1
    let name = String(format: "%04d.png", fileCount)
    do {
      try folder.add(name)
      try folder.write(picture, to: name)
    } catch { throw CommandFailure(error) }
    written = picture
  }

  /// Returns the last picture as PNG.
  private func decodedPicture() throws -> [UInt8] {
    // A child that reads and writes at once would need two pipes that do not wait for each other.
    let file = FileManager.default.temporaryDirectory.appending(path: "iap2-film-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(film).write(to: file)
    let data: Data?
    do {
      data = try InstalledProgram.ffmpeg.output([
        "-loglevel", "error", "-f", "h264", "-i", file.path(percentEncoded: false), "-vf",
        "select=eq(n\\,\(pictureCount - 1))", "-frames:v",
        "1", "-f", "image2pipe", "-c:v", "png", "-",
      ])
    } catch {
      throw CommandFailure(
        .unavailable, "\(InstalledProgram.ffmpeg.name) cannot be started: \(InputFile.reason(error))")
    }
    guard let data, !data.isEmpty else {
      throw CommandFailure(.failed, "--screenshots: \(InstalledProgram.ffmpeg.name) did not decode the screen")
    }
    return [UInt8](data)
  }

  /// Writes the last picture.
  ///
  /// - Throws: A failure if a picture was lost.
  func close() throws {
    writer.queue.sync { writer.note(save) }
    try writer.close()
  }
}

/// The kind of a piece of a screen.
enum ScreenPiece {
  case parameterSets, keyFrame, picture
}

extension [UInt8] {
  /// The kind of a byte stream (Annex B) of one picture, or of parameter sets alone.
  var kindOfUnit: ScreenPiece {
    let units: [NALUnit]
    do throws(VideoProblem) { units = try AnnexB.units(of: self) } catch { return .picture }
    if units.contains(where: \.isKeySlice) { return .keyFrame }
    return units.contains(where: \.isSlice) ? .picture : .parameterSets
  }

  /// An access unit delimiter. Behind a picture it shows a decoder that the picture is complete. The decoder would
  /// otherwise wait for the next one.
  static let pictureEnd: [UInt8] = [0, 0, 0, 1, 0x09, 0xF0]
}
