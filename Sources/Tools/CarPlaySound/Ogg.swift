// swift-iap2 · Apache-2.0

import Basics

/// The pages of Ogg (RFC 3533), in which a program reads and writes packets of OPUS.
enum Ogg {
  /// The first bytes of a page.
  static let pattern = Array("OggS".utf8)
  /// The size of a header without the sizes of its segments.
  static let headerByteCount = 27
  /// The place of the checksum in a header.
  static let checksum = 22..<26

  /// Marks in a header.
  enum Mark {
    static let continued: UInt8 = 1, first: UInt8 = 2
  }

  /// The size of the largest packet that fits one page. The last one of at most 255 segments has less than 255 bytes.
  static let maximumPacketByteCount = 255 * 255 - 1

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index) << 24) { value, _ in value << 1 ^ (value >> 31 == 1 ? 0x04C1_1DB7 : 0) }
  }

  /// Returns the checksum of a page whose own checksum is 0.
  static func sum(of page: some Sequence<UInt8>) -> UInt32 {
    page.reduce(0) { $0 << 8 ^ table[Int(UInt8($0 >> 24) ^ $1)] }
  }
}

/// Writes packets of one stream, each on a page of its own.
struct OggWriter {
  private var pageCount: UInt32 = 0

  /// Returns the page with a packet of at most ``Ogg/maximumPacketByteCount`` bytes.
  ///
  /// - Parameters:
  ///   - packet: The packet.
  ///   - end: The number of samples of the stream up to the end of the packet.
  mutating func page(_ packet: [UInt8], end: Int) -> [UInt8] {
    precondition(packet.count <= Ogg.maximumPacketByteCount)
    var page = Ogg.pattern + [0, pageCount == 0 ? Ogg.Mark.first : 0]
    page += UInt64(end).littleEndianBytes
    // The serial number of the stream, of which there is one.
    page += UInt32(1).littleEndianBytes
    page += pageCount.littleEndianBytes
    page += [0, 0, 0, 0, UInt8(packet.count / 255 + 1)]
    page += [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
    page += packet
    page.replaceSubrange(Ogg.checksum, with: Ogg.sum(of: page).littleEndianBytes)
    pageCount += 1
    return page
  }
}

/// Reads the packets of one stream. It keeps less than one page and one packet.
struct OggReader: PieceReader {
  private var rest: ArraySlice<UInt8> = []
  /// The start of a packet that continues on the next page; nil between packets.
  private var start: [UInt8]?

  mutating func pieces(in bytes: ArraySlice<UInt8>) throws(SoundProblem) -> [[UInt8]] {
    rest += bytes
    var packets: [[UInt8]] = []
    while let page = try page() {
      packets += try self.packets(of: page)
      rest = rest.dropFirst(page.count)
    }
    // A copy, so that bytes that were read do not stay in memory.
    rest = ArraySlice(Array(rest))
    return packets
  }

  /// Returns the next page; nil before its last byte.
  private func page() throws(SoundProblem) -> [UInt8]? {
    guard rest.count >= Ogg.headerByteCount else { return nil }
    let header = Array(rest.prefix(Ogg.headerByteCount))
    guard header.starts(with: Ogg.pattern), header[4] == 0 else {
      throw .output("the output of the encoder has no Ogg header where a page begins")
    }
    let segmentCount = Int(header[26])
    guard rest.count >= Ogg.headerByteCount + segmentCount else { return nil }
    let sizes = rest.dropFirst(Ogg.headerByteCount).prefix(segmentCount)
    let byteCount = Ogg.headerByteCount + segmentCount + sizes.reduce(0) { $0 + Int($1) }
    guard rest.count >= byteCount else { return nil }
    var page = Array(rest.prefix(byteCount))
    let sum = Array(page[Ogg.checksum])
    page.replaceSubrange(Ogg.checksum, with: [0, 0, 0, 0])
    guard Ogg.sum(of: page).littleEndianBytes == sum else {
      throw .output("a page of the encoder has a wrong checksum")
    }
    return page
  }

  private mutating func packets(of page: [UInt8]) throws(SoundProblem) -> [[UInt8]] {
    guard (page[5] & Ogg.Mark.continued != 0) == (start != nil) else {
      throw .output("a page of the encoder does not continue the one before")
    }
    let segmentCount = Int(page[26])
    var place = Ogg.headerByteCount + segmentCount
    var packet = start ?? []
    var packets: [[UInt8]] = []
    var isOpen = start != nil
    for size in page[Ogg.headerByteCount..<place] {
      packet += page[place..<place + Int(size)]
      place += Int(size)
      isOpen = size == 255
      guard packet.count <= Ogg.maximumPacketByteCount else {
        throw .output("a packet of the encoder has more than \(Ogg.maximumPacketByteCount) bytes")
      }
      if !isOpen {
        packets.append(packet)
        packet = []
      }
    }
    start = isOpen ? packet : nil
    return packets
  }
}
