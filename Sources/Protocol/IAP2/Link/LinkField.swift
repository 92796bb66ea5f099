// swift-iap2 · Apache-2.0

/// A number in the payload of a SYN or SYN+ACK. The raw value is its name in output and in JSON.
///
/// The cases have the order of the payload.
package enum LinkField: String, Sendable, Hashable, CaseIterable {
  /// The properties of ``LinkSynchronization`` with the same names.
  case version, maxOutstandingPackets, maxPacketLength, retransmissionTimeout, cumulativeAckTimeout
  case maxRetransmissions, maxCumulativeAcks

  /// The property of a number, by its size on the wire.
  fileprivate enum Property {
    case byte(WritableKeyPath<LinkSynchronization, UInt8>)
    case word(WritableKeyPath<LinkSynchronization, UInt16>)
  }

  fileprivate var property: Property {
    switch self {
    case .version: .byte(\.version)
    case .maxOutstandingPackets: .byte(\.maxOutstandingPackets)
    case .maxPacketLength: .word(\.maxPacketLength)
    case .retransmissionTimeout: .word(\.retransmissionTimeout)
    case .cumulativeAckTimeout: .word(\.cumulativeAckTimeout)
    case .maxRetransmissions: .byte(\.maxRetransmissions)
    case .maxCumulativeAcks: .byte(\.maxCumulativeAcks)
    }
  }

  /// The size of the number in bytes.
  package var byteCount: Int {
    switch property {
    case .byte: 1
    case .word: 2
    }
  }

  /// The largest number that fits.
  package var maximum: UInt16 { byteCount == 1 ? UInt16(UInt8.max) : .max }

  /// The numbers that this project offers (Link.md#lsp-ranges; medium: CAT's validator). The two limits of a cumulative
  /// acknowledgement also depend on other fields; see ``LinkSynchronization/outOfRange``.
  package var offered: ClosedRange<UInt16> {
    switch self {
    case .version: 0...maximum
    case .maxOutstandingPackets: 1...UInt16(LinkSynchronization.largestWindow)
    case .maxPacketLength: 24...maximum
    case .retransmissionTimeout: 20...maximum
    case .cumulativeAckTimeout: 10...maximum
    case .maxRetransmissions: 1...30
    case .maxCumulativeAcks: 0...127
    }
  }
}

extension LinkSynchronization {
  /// The number of a field. A new number must not be above ``LinkField/maximum``.
  package subscript(field: LinkField) -> UInt16 {
    get {
      switch field.property {
      case .byte(let path): UInt16(self[keyPath: path])
      case .word(let path): self[keyPath: path]
      }
    }
    set {
      switch field.property {
      case .byte(let path): self[keyPath: path] = UInt8(newValue)
      case .word(let path): self[keyPath: path] = newValue
      }
    }
  }
}
