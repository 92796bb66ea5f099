// swift-iap2 · Apache-2.0

import Foundation

/// Image files that any decoder reads, made here byte by byte.
enum ImageFiles {
  /// A PNG file of black pixels, without compression.
  static func png(width: Int, height: Int) -> Data {
    let row = Data([0]) + Data(count: width * 4)
    return pngSignature + chunk("IHDR", pngHeader(width: width, height: height))
      + chunk("IDAT", deflated((0..<height).reduce(Data()) { data, _ in data + row })) + chunk("IEND", Data())
  }

  static let pngSignature = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

  /// The body of the header of a PNG file.
  static func pngHeader(width: Int, height: Int, depth: UInt8 = 8, color: UInt8 = 6) -> Data {
    bytes32(width) + bytes32(height) + Data([depth, color, 0, 0, 0])
  }

  /// A chunk of a PNG file, with its checksum.
  static func chunk(_ type: String, _ body: Data, length: Int? = nil) -> Data {
    let content = Data(type.utf8) + body
    return bytes32(length ?? body.count) + content + bytes32(crc(content))
  }

  /// A gray JPEG file of one color: each block of pixels is two bits.
  static func jpeg(width: Int, height: Int, exif: Data? = nil) -> Data {
    let blocks = ((width + 7) / 8) * ((height + 7) / 8)
    var file = Data([0xff, 0xd8])
    if let exif { file += segment(0xe1, exif) }
    file += segment(0xdb, Data([0]) + Data(repeating: 1, count: 64))
    file += jpegFrame(width: width, height: height)
    for table: UInt8 in [0x00, 0x10] { file += segment(0xc4, Data([table, 1]) + Data(count: 15) + Data([0])) }
    file += segment(0xda, Data([1, 1, 0, 0, 63, 0]))
    // The last byte is filled with ones.
    let bits = 2 * blocks
    file += Data(count: bits / 8)
    if bits % 8 > 0 { file += Data([UInt8(0xff >> (bits % 8))]) }
    return file + Data([0xff, 0xd9])
  }

  /// The frame header of a gray JPEG file.
  static func jpegFrame(width: Int, height: Int) -> Data {
    segment(0xc0, Data([8]) + bytes16(height) + bytes16(width) + Data([1, 1, 0x11, 0]))
  }

  static func segment(_ marker: UInt8, _ body: Data) -> Data { Data([0xff, marker]) + bytes16(body.count + 2) + body }

  /// The body of an Exif segment with an orientation.
  static func exif(orientation: Int, isLittleEndian: Bool) -> Data {
    func number(_ value: Int, _ count: Int) -> Data {
      let big = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
      return Data(isLittleEndian ? big.reversed() : big)
    }
    return Data("Exif\0\0".utf8) + Data((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
      + number(1, 2) + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + number(0, 2)
      + number(0, 4)
  }

  static func bytes32(_ value: Int) -> Data {
    Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) })
  }

  static func bytes16(_ value: Int) -> Data {
    Data([UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)])
  }

  /// A zlib stream of blocks without compression.
  static func deflated(_ data: Data) -> Data {
    var stream = Data([0x78, 0x01])
    var rest = data[...]
    repeat {
      let part = rest.prefix(0xffff)
      rest = rest.dropFirst(part.count)
      let count = UInt16(part.count)
      stream += Data([
        rest.isEmpty ? 1 : 0, UInt8(count & 0xff), UInt8(count >> 8), UInt8(~count & 0xff), UInt8(~count >> 8),
      ])
      stream += part
    } while !rest.isEmpty
    var (a, b) = (1, 0)
    for byte in data {
      a = (a + Int(byte)) % 65521
      b = (b + a) % 65521
    }
    return stream + bytes32(b << 16 | a)
  }

  private static func crc(_ data: Data) -> Int {
    var crc: UInt32 = 0xffff_ffff
    for byte in data {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }
    return Int(~crc)
  }
}
