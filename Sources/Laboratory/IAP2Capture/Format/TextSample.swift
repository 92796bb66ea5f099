// swift-iap2 · Apache-2.0

import IAP2

/// The beginning of a file that may be a text, up to the line that decides its style: the first of the project's own
/// form, or the first of any log if the user supplied a layout.
///
/// Each call goes on where the last one stopped, so each byte is read once.
struct TextSample: Sendable {
  /// The number of bytes that decide whether a text has the project's own form.
  static let maximumByteCount = 4096

  private var lineStart = 0
  /// The number of bytes of the sample.
  private(set) var byteCount = 0
  /// Whether a line decides the style.
  private(set) var isTelling = false
  /// Whether the sample can be text. Text has no NUL bytes, unless its characters have two bytes.
  private(set) var isText = true

  /// Reads the next bytes of a file's beginning.
  mutating func read(_ file: [UInt8], _ log: TextLog?) {
    let end = min(file.count, Self.maximumByteCount)
    while !isTelling, isText, byteCount < end {
      switch file[byteCount] {
      case 0: isText = false
      case 0x0A:
        isTelling =
          log?.hasPatterns == true || TextCapture.isOwn(file.rawBytes.extracting(lineStart..<byteCount))
        lineStart = byteCount + 1
      default: break
      }
      if !isTelling { byteCount += 1 }
    }
  }
}
