// swift-iap2 · Apache-2.0

import Foundation

/// The header of a PNG or JPEG file: the format, the size and the orientation.
///
/// PNG: W3C Recommendation "Portable Network Graphics". JPEG: ITU-T T.81. The pixels are not decoded. The reader tests
/// instead whether the file has as many bytes of pixels as the best compression of its size needs.
struct ImageHeader {
  var format: ImageFormat
  var size: PixelSize
  var orientation = UIImage.Orientation.up

  init(_ data: Data) throws(ImageProblem) {
    let bytes = ByteReader(data)
    if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      self = try ImageHeader(png: bytes)
    } else if bytes.starts(with: [0xff, 0xd8, 0xff]) {
      self = try ImageHeader(jpeg: bytes)
    } else {
      for (format, signature) in Self.unsupported where bytes.starts(with: Array(signature.utf8)) {
        throw .unsupported(format: format)
      }
      throw .notAnImage(byteCount: data.count)
    }
  }

  private init(format: ImageFormat, size: PixelSize) {
    self.format = format
    self.size = size
  }

  /// Formats that iOS reads and this module does not, by the first bytes.
  private static let unsupported = [
    ("GIF", "GIF8"), ("WebP", "RIFF"), ("PDF", "%PDF"), ("BMP", "BM"), ("TIFF", "II*\0"),
  ]

  private static func checked(_ format: ImageFormat, _ width: Int, _ height: Int) throws(ImageProblem) -> PixelSize {
    let size = PixelSize(width: width, height: height)
    guard (1...ImageLimits.side).contains(width), (1...ImageLimits.side).contains(height) else {
      throw .badSize(format, size, limit: ImageLimits.side)
    }
    return size
  }

  // MARK: PNG

  private init(png bytes: ByteReader) throws(ImageProblem) {
    var bytes = bytes
    bytes.skip(8)
    var size: PixelSize?
    var bitsOfPixel = 0
    var dataBytes = 0
    while true {
      guard let length = bytes.uint32(), let type = bytes.take(4), let body = bytes.take(length), bytes.take(4) != nil
      else { throw .damaged(.png, "it ends within a chunk") }
      switch String(decoding: type, as: UTF8.self) {
      case "IHDR":
        var header = ByteReader(body)
        guard size == nil, length == 13, let width = header.uint32(), let height = header.uint32(),
          let depth = header.uint8(), let color = header.uint8(),
          let samples = Self.samples(ofColorType: color, depth: depth)
        else { throw .damaged(.png, "its header is wrong") }
        size = try Self.checked(.png, width, height)
        bitsOfPixel = samples * depth
      case "IDAT":
        guard size != nil else { throw .damaged(.png, "its pixels come before its header") }
        dataBytes += length
      case "IEND":
        guard let size else { throw .damaged(.png, "it has no header") }
        // Deflate makes at most 1032 bytes of one: a match of 258 bytes in two bits.
        let row = (size.width * bitsOfPixel + 7) / 8 + 1
        guard dataBytes * 1032 >= row * size.height else {
          throw .liesAboutSize(.png, size, dataBytes: dataBytes)
        }
        self.init(format: .png, size: size)
        return
      default:
        guard size != nil else { throw .damaged(.png, "it does not begin with its header") }
      }
    }
  }

  /// The samples of a pixel by the color type; nil for a combination that the format does not have.
  private static func samples(ofColorType type: Int, depth: Int) -> Int? {
    switch (type, depth) {
    case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (3, 1), (3, 2), (3, 4), (3, 8): 1
    case (2, 8), (2, 16): 3
    case (4, 8), (4, 16): 2
    case (6, 8), (6, 16): 4
    default: nil
    }
  }

  // MARK: JPEG

  private init(jpeg bytes: ByteReader) throws(ImageProblem) {
    var bytes = bytes
    bytes.skip(2)
    var size: PixelSize?
    var orientation = UIImage.Orientation.up
    while true {
      guard bytes.uint8() == 0xff, var marker = bytes.uint8() else { throw .damaged(.jpeg, "a marker is missing") }
      while marker == 0xff {
        guard let next = bytes.uint8() else { throw .damaged(.jpeg, "it ends within a marker") }
        marker = next
      }
      // Markers without a segment.
      if (0xd0...0xd7).contains(marker) || marker == 0x01 { continue }
      guard marker != 0xd9 else { throw .damaged(.jpeg, "it ends before its pixels") }
      guard let length = bytes.uint16(), length >= 2, let body = bytes.take(length - 2) else {
        throw .damaged(.jpeg, "it ends within a segment")
      }
      switch marker {
      case 0xc0...0xcf where ![0xc4, 0xc8, 0xcc].contains(marker):
        var frame = ByteReader(body)
        frame.skip(1)
        guard size == nil, let height = frame.uint16(), let width = frame.uint16(), let parts = frame.uint8(),
          parts > 0,
          body.count == 6 + 3 * parts
        else { throw .damaged(.jpeg, "its frame header is wrong") }
        size = try Self.checked(.jpeg, width, height)
      case 0xe1:
        orientation = ExifOrientation.of(body) ?? orientation
      case 0xda:
        guard let size else { throw .damaged(.jpeg, "its pixels come before its header") }
        // A block of 8 by 8 pixels has at least one bit. Arithmetic coding, which needs less, is read nowhere.
        let blocks = ((size.width + 7) / 8) * ((size.height + 7) / 8)
        guard bytes.remaining * 8 >= blocks else {
          throw .liesAboutSize(.jpeg, size, dataBytes: bytes.remaining)
        }
        self.init(format: .jpeg, size: size)
        self.orientation = orientation
        return
      default:
        break
      }
    }
  }
}

/// The orientation in the Exif segment of a JPEG file.
private enum ExifOrientation {
  /// Returns the orientation; nil if the segment has none, or is wrong.
  static func of(_ segment: Data) -> UIImage.Orientation? {
    var reader = ByteReader(segment)
    guard reader.take(6).map(Array.init) == Array("Exif\0\0".utf8), let order = reader.take(2).map(Array.init) else {
      return nil
    }
    guard order == Array("II".utf8) || order == Array("MM".utf8) else { return nil }
    reader.isLittleEndian = order == Array("II".utf8)
    guard reader.uint16() == 42, let offset = reader.uint32(), offset >= 8 else { return nil }
    reader.skip(offset - 8)
    guard let count = reader.uint16() else { return nil }
    for _ in 0..<count {
      guard let tag = reader.uint16(), reader.take(6) != nil, let value = reader.uint16(), reader.take(2) != nil else {
        return nil
      }
      if tag == 0x0112 { return orientations[value] }
    }
    return nil
  }

  private static let orientations: [Int: UIImage.Orientation] = [
    1: .up, 2: .upMirrored, 3: .down, 4: .downMirrored, 5: .leftMirrored, 6: .right, 7: .rightMirrored, 8: .left,
  ]
}

/// A reader that stops at the end of its bytes.
private struct ByteReader {
  private let data: Data
  private var index: Int
  var isLittleEndian = false

  init(_ data: Data) {
    self.data = data
    index = data.startIndex
  }

  var remaining: Int { data.endIndex - index }

  func starts(with bytes: [UInt8]) -> Bool { data.starts(with: bytes) }

  /// Skips bytes, at most to the end.
  mutating func skip(_ count: Int) { index += min(remaining, count) }

  /// Takes bytes; nil if there are fewer.
  mutating func take(_ count: Int) -> Data? {
    guard count <= remaining else { return nil }
    defer { index += count }
    return data[index..<index + count]
  }

  mutating func uint8() -> Int? { take(1).map { Int($0[$0.startIndex]) } }
  mutating func uint16() -> Int? { number(2) }
  mutating func uint32() -> Int? { number(4) }

  private mutating func number(_ count: Int) -> Int? {
    guard let bytes = take(count) else { return nil }
    let ordered = isLittleEndian ? Array(bytes.reversed()) : Array(bytes)
    return ordered.reduce(0) { $0 << 8 | Int($1) }
  }
}
