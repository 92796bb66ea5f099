// swift-iap2 · Apache-2.0

/// A writer of a pcapng file that states that its CarPlay sessions are in the clear. Store ``header`` first.
package struct DecryptedCaptureWriter: Sendable {
  /// The numbers of the interfaces by their link types.
  private var interfaces: [UInt16: UInt32] = [:]
  private var builder = IPPacketBuilder()

  /// The largest data of a segment: below the limit of IP, with room for headers.
  package static let segmentByteCount = 32_768

  /// Creates a writer.
  package init() {}

  /// The bytes at the beginning of the file.
  package var header: [UInt8] { PcapngBlocks.section(comment: DecryptedMark.section) }

  /// A record's time, and its comment.
  package struct Label: Sendable {
    /// The time since the Unix epoch.
    package var nanoseconds: Int64
    /// The comment; nil for none.
    package var comment: String?

    /// Creates a label.
    package init(nanoseconds: Int64, comment: String? = nil) {
      (self.nanoseconds, self.comment) = (nanoseconds, comment)
    }
  }

  /// Returns the bytes of a record, behind those of its interface if it is the first one of a link type.
  package mutating func record(_ bytes: [UInt8], linkType: UInt16, _ label: Label) -> [UInt8] {
    let description = interfaces[linkType] == nil ? PcapngBlocks.interface(linkType: linkType) : []
    let number = interfaces[linkType] ?? UInt32(interfaces.count)
    interfaces[linkType] = number
    return description
      + PcapngBlocks.packet(bytes, nanoseconds: label.nanoseconds, comment: label.comment, interface: number)
  }

  /// Returns the bytes of an IP packet.
  package mutating func packet(_ bytes: [UInt8], _ label: Label) -> [UInt8] {
    record(bytes, linkType: NetworkCaptureWriter.linkType, label)
  }

  /// Returns the bytes of a TCP segment.
  ///
  /// - Parameters:
  ///   - flags: The flags as in the header of TCP.
  ///   - acknowledged: The next byte that the sender expects; nil for a segment without ACK.
  package mutating func segment(
    _ bytes: [UInt8], flags: UInt8, sequence: UInt32, acknowledged: UInt32?, from source: [UInt8], to target: [UInt8],
    _ label: Label
  ) -> [UInt8] {
    packet(
      builder.segment(
        bytes, flags: flags, sequence: sequence, acknowledged: acknowledged ?? 0, from: source, to: target), label)
  }

  /// Returns the bytes of a datagram.
  package mutating func datagram(
    _ bytes: [UInt8], from source: [UInt8], to target: [UInt8], _ label: Label
  ) -> [UInt8] {
    packet(builder.datagram(bytes, from: source, to: target), label)
  }
}
