// swift-iap2 · Apache-2.0

import CarPlayPrograms
package import CarPlaySession

/// The form of a file with the payloads of a stream of sound, which usual players read: WAV for PCM, ADTS for AAC-LC, and
/// Ogg for OPUS.
package struct SoundFileForm: Sendable {
  private enum Kind: Sendable {
    case pcm(WAVHeader)
    case aac(AACForm)
    case opus(OpusForm)
  }

  private var kind: Kind

  /// Creates a form; nil for a codec without such a file.
  package init?(_ format: AudioFormat) {
    switch format.codec {
    case .pcm: kind = .pcm(WAVHeader(rate: format.rate, bits: format.bits, channels: format.channels))
    case .aacLC: kind = .aac(AACForm(format: format))
    case .opus: kind = .opus(OpusForm(format))
    default: return nil
    }
  }

  /// The ending of the file's name.
  package var ending: String {
    switch kind {
    case .pcm: "wav"
    case .aac: "aac"
    case .opus: "opus"
    }
  }

  /// Returns the start of the file.
  package mutating func start() -> [UInt8] {
    switch kind {
    case .pcm(let header): return header.bytes(sampleByteCount: nil)
    case .aac: return []
    case .opus(var form):
      defer { kind = .opus(form) }
      return form.headers()
    }
  }

  /// Returns the bytes of the file for a payload; nil if the payload is not in the codec.
  package mutating func bytes(of payload: [UInt8]) -> [UInt8]? {
    do throws(SoundProblem) {
      switch kind {
      // PCM is big endian on the wire (CarPlaySession.md#audio-payload), and little endian in WAV.
      case .pcm(let header):
        let size = header.bits / 8
        return stride(from: 0, to: payload.count - payload.count % size, by: size)
          .flatMap { payload[$0..<$0 + size].reversed() }
      case .aac(let form): return try form.bytes(of: payload)
      case .opus(var form):
        defer { kind = .opus(form) }
        return try form.bytes(of: payload)
      }
    } catch { return nil }
  }

  /// Returns the start of the complete file, if it has another one than ``start()``.
  ///
  /// - Parameter byteCount: The size of the bytes behind the start.
  package func finalStart(byteCount: Int) -> [UInt8]? {
    if case .pcm(let header) = kind { header.bytes(sampleByteCount: byteCount) } else { nil }
  }
}
