// swift-iap2 · Apache-2.0

import IAP2Coprocessor
import Testing

/// Tests of the framing against bytes written by hand.
@Suite struct FrameTests {
  static let magic: [UInt8] = [0x69, 0x41, 0x43, 0x50]

  static func read(_ bytes: [UInt8]) throws(FrameProblem) -> Frame? {
    var reader = FrameReader()
    reader.append(bytes)
    return try reader.next()
  }

  static let examples: [(Frame, [UInt8])] = [
    (Frame(.request(.information)), magic + [1, 0x01, 0, 0]),
    (Frame(.request(.certificate)), magic + [1, 0x02, 0, 0]),
    (Frame(.request(.serialNumber)), magic + [1, 0x03, 0, 0]),
    (Frame(.request(.sign), [1, 2, 3]), magic + [1, 0x04, 0, 3, 1, 2, 3]),
    (Frame(.request(.selfTest)), magic + [1, 0x05, 0, 0]),
    (Frame(.answer(.information), [7, 0, 3, 0, 0, 0, 3, 0]), magic + [1, 0x81, 0, 8, 7, 0, 3, 0, 0, 0, 3, 0]),
    (
      Frame(.answer(.certificate), [UInt8](repeating: 0x30, count: 608)),
      magic + [1, 0x82, 2, 0x60] + [UInt8](repeating: 0x30, count: 608)
    ),
    (Frame(.answer(.serialNumber)), magic + [1, 0x83, 0, 0]),
    (Frame(.answer(.selfTest), [0xC0]), magic + [1, 0x85, 0, 1, 0xC0]),
    (FrameFault(.chip, 6).frame, magic + [1, 0xFF, 0, 5, 6, 0, 6, 0, 0]),
    (FrameFault(.wrongChallengeLength, 20, 32).frame, magic + [1, 0xFF, 0, 5, 3, 0, 20, 0, 32]),
  ]

  @Test func framesAreTheBytesOfTheArticle() throws {
    for (frame, bytes) in Self.examples {
      #expect(frame.bytes == bytes)
      #expect(try Self.read(bytes) == frame)
    }
  }

  @Test func anIncompleteFrameWaitsForItsRest() throws {
    for (frame, bytes) in Self.examples {
      for cut in 0..<bytes.count {
        var reader = FrameReader()
        reader.append(Array(bytes[..<cut]))
        #expect(try reader.next() == nil)
        #expect(reader.isEmpty == (cut == 0))
        reader.append(Array(bytes[cut...]))
        #expect(try reader.next() == frame)
        #expect(reader.isEmpty)
      }
    }
  }

  @Test func severalFramesInOnePieceAreReadInOrder() throws {
    var reader = FrameReader()
    reader.append(Self.examples.flatMap(\.1))
    for (frame, _) in Self.examples { #expect(try reader.next() == frame) }
    #expect(try reader.next() == nil)
  }

  @Test func impossibleLengthsAreRejectedBeforeTheirBytesArrive() {
    let wrong: [(UInt8, Int, ClosedRange<Int>)] = [
      (0x01, 1, 0...0), (0x02, 65_535, 0...0), (0x04, 0, 1...128), (0x04, 129, 1...128), (0x05, 2, 0...0),
      (0x81, 7, 8...8), (0x81, 9, 8...8), (0x82, 0, 1...1_280), (0x82, 1_281, 1...1_280), (0x83, 33, 0...32),
      (0x84, 129, 1...128), (0x85, 0, 1...1), (0xFF, 4, 5...5), (0xFF, 65_535, 5...5),
    ]
    for (kind, count, allowed) in wrong {
      let head = Self.magic + [1, kind, UInt8(count >> 8), UInt8(count & 0xFF)]
      #expect(throws: FrameProblem.badLength(kind: kind, byteCount: count, allowed: allowed)) { try Self.read(head) }
    }
  }

  @Test func anInvalidFrameIsReportedAtItsFirstWrongByte() {
    for offset in 0..<4 {
      var bytes = Self.magic
      bytes[offset] ^= 0x20
      #expect(throws: FrameProblem.badMagic(offset: offset)) { try Self.read(Array(bytes[...offset])) }
    }
    #expect(throws: FrameProblem.badMagic(offset: 0)) { try Self.read(Array("GET / HTTP/1.1\r\n".utf8)) }
    #expect(throws: FrameProblem.badMagic(offset: 0)) { try Self.read([0xFF, 0x55, 0x02, 0x00, 0xEE, 0x10]) }
    for version: UInt8 in [0, 2, 255] {
      #expect(throws: FrameProblem.unknownVersion(version)) { try Self.read(Self.magic + [version]) }
    }
    for kind: UInt8 in [0x00, 0x06, 0x7F, 0x80, 0x86, 0xFE] {
      #expect(throws: FrameProblem.unknownKind(kind)) { try Self.read(Self.magic + [1, kind]) }
    }
  }

  @Test func everyAlteredByteOfAHeaderIsRejectedOrGivesAnotherFrame() throws {
    let bytes = Self.examples[3].1
    for offset in 0..<8 {
      for value in UInt8.min...UInt8.max where value != bytes[offset] {
        var altered = bytes
        altered[offset] = value
        // The result is an error, an incomplete frame or another frame. Nothing is read beyond the end.
        do throws(FrameProblem) { if let frame = try Self.read(altered) { #expect(frame != Self.examples[3].0) } } catch
        {}
      }
    }
  }
}
