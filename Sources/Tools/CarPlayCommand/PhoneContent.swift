// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPrograms
import CarPlaySession
import CarPlaySound
import CommandSupport
import Foundation
import Glibc

/// The apps and the own screens, or the film and the music of a phone, and the file of the microphone.
package struct PhoneContent: Sendable {
  let apps: AppChoice?
  let film: Film?
  let music: Music?
  /// The codecs in which sound can be encoded.
  let codecs: Set<AudioFormat.Codec>
  /// The file with the sound of the microphone; nil for none.
  let microphone: (any ContentSink)?

  /// The largest film or piece of music from a pipe in bytes, because it is kept in memory: an hour and a half of PCM.
  private static let maximumPipeByteCount = 1 << 30

  /// Opens a film or music. A file is read as it is played.
  private static func bytes(_ path: String) throws -> any MediaBytes {
    let handle = try InputFile.open(path)
    if let bytes = FileBytes(handle) { return bytes }
    return try InputFile.bytes(handle, path, limit: maximumPipeByteCount)
  }

  /// Reads the files of the options, and builds the apps.
  ///
  /// - Parameter isOpen: Whether a session without content goes on until its end. The phone then shows its own screens,
  ///   if the drawing program is built.
  package init(_ options: CarPlayPhoneOptions, isOpen: Bool) throws {
    film = try options.video.map { try Self.film($0, rate: options.rate) }
    music = try options.music.map(Self.music)
    microphone = try options.microphoneOut.map { SoundMix(try MixFile($0, option: "--microphone-out")) }
    // A wired phone encodes only for a head unit that offers no PCM.
    codecs =
      options.sessionProfile == .wireless
      ? InstalledCodecs.available(
        SoundProgram.codecs.map { ($0, $0 == .opus ? [.encoding, .decoding] : [.encoding]) },
        consequence: "sound is sent in other formats")
      : Set(SoundProgram.codecs)
    let showsOwnScreens = isOpen && film == nil && music == nil && AppPhone.canDraw
    apps = options.app.isEmpty && !showsOwnScreens ? nil : try AppChoice(options.app, product: options.product)
  }

  /// Whether the phone has no film and no music.
  package var isEmpty: Bool { film == nil && music == nil }

  /// Runs a body, and closes the file of the microphone behind it.
  package func whileOpen<Result>(_ body: () async throws -> Result) async throws -> Result {
    let result: Result
    do { result = try await body() } catch {
      // The sink has noted its own failure, and the first one counts.
      try? microphone?.close()
      throw error
    }
    try microphone?.close()
    return result
  }

  private static func film(_ path: String, rate: Double) throws -> Film {
    let bytes = try bytes(path)
    do throws(VideoProblem) { return try Film(annexB: bytes, rate: rate) } catch {
      throw CommandFailure(
        .badInput,
        "\(path): \(error.words); make a film that a phone can send: "
          + "ffmpeg -i FILE -c:v libx264 -bf 0 -bsf:v h264_mp4toannexb -f h264 film.h264")
    }
  }

  private static func music(_ path: String) throws -> Music {
    let bytes = try bytes(path)
    guard bytes.count > 0, bytes.count % Music.bytesPerFrame == 0 else {
      throw CommandFailure(
        .badInput,
        "\(path) has \(bytes.count) bytes, and music has 4 for each sample of both channels; make it: "
          + "ffmpeg -i FILE -ac 2 -ar 48000 -f s16le music.pcm")
    }
    return Music(littleEndian: bytes)
  }
}

/// The bytes of a file, which are read as they are needed.
private struct FileBytes: MediaBytes {
  /// The handle, which closes the file at its end.
  private let handle: FileHandle
  let count: Int

  /// Creates the bytes of an open file; nil for a pipe or a device, which has no places.
  init?(_ handle: FileHandle) {
    let end = lseek(handle.fileDescriptor, 0, SEEK_END)
    guard end >= 0 else { return nil }
    lseek(handle.fileDescriptor, 0, SEEK_SET)
    (self.handle, count) = (handle, Int(end))
  }

  func bytes(in range: Range<Int>) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      while count < range.count {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        let read = unsafe pread(
          handle.fileDescriptor, rest.baseAddress, range.count - count, off_t(range.lowerBound + count))
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { break }
        count += read
      }
    }
  }
}
