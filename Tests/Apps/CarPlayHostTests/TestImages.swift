// swift-iap2 · Apache-2.0

import Foundation

/// Images for tests. Their headers are correct, and their pixels are zeros, which no reader here decodes.
enum TestImages {
  /// Returns a PNG of a size in pixels.
  static func png(width: UInt32, height: UInt32) -> Data {
    let header = bigEndian(width) + bigEndian(height) + [8, 6, 0, 0, 0]
    let pixels = [UInt8](repeating: 0, count: Int(width * height * 4 / 1000) + 64)
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    return Data(signature + chunk("IHDR", header) + chunk("IDAT", pixels) + chunk("IEND", []))
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }

  private static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    bigEndian(UInt32(body.count)) + Array(type.utf8) + body + [0, 0, 0, 0]
  }
}
