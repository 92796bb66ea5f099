// swift-iap2 · Apache-2.0

import IAP2

/// The classes of device of Bluetooth peers, from HCI events (Bluetooth Core, volume 4, part E; Assigned Numbers).
///
/// Connection Request and inquiry results have an address with its class. Connection Complete gives the address a
/// handle.
struct PeerClasses: Sendable {
  private struct Peer: Hashable {
    var adapter: UInt16
    var address: [UInt8]
  }

  private var sides: [Peer: Side] = [:]
  /// The side of each connected peer, by adapter and handle.
  private var handles: [UInt32: Side] = [:]

  /// The maximum number of peers to remember; an inquiry in a busy place finds some dozens.
  private static let maximumPeers = 1024

  private enum Event {
    static let inquiryResult: UInt8 = 0x02
    static let connectionComplete: UInt8 = 0x03
    static let connectionRequest: UInt8 = 0x04
    static let inquiryResultWithRSSI: UInt8 = 0x22
    static let extendedInquiryResult: UInt8 = 0x2F
  }

  private static let headerByteCount = 2
  private static let addressByteCount = 6

  /// Takes an HCI event: code, length, parameters. Inquiry results with several peers are not read.
  mutating func take(_ event: RawSpan, adapter: UInt16) {
    guard event.byteCount > Self.headerByteCount else { return }
    let body = Self.headerByteCount
    switch event.byte(0) {
    case Event.connectionRequest: note(event, address: body, deviceClass: body + 6, adapter)
    case Event.inquiryResult where event.byte(body) == 1:
      note(event, address: body + 1, deviceClass: body + 10, adapter)
    case Event.inquiryResultWithRSSI where event.byte(body) == 1, Event.extendedInquiryResult:
      note(event, address: body + 1, deviceClass: body + 9, adapter)
    case Event.connectionComplete: connect(event, body, adapter)
    default: return
    }
  }

  /// Returns the evidence of the class of the peer; nil for a peer of unknown class. The peer is end 1.
  func evidence(adapter: UInt16, handle: UInt16) -> SideEvidence? {
    handles[UInt32(adapter) << 16 | UInt32(handle)].map { SideEvidence(.deviceClass, end: 1, is: $0) }
  }

  private func peer(_ event: RawSpan, _ start: Int, _ adapter: UInt16) -> Peer {
    Peer(adapter: adapter, address: [UInt8](copying: event.extracting(start..<(start + Self.addressByteCount))))
  }

  private mutating func note(_ event: RawSpan, address: Int, deviceClass: Int, _ adapter: UInt16) {
    guard event.byteCount >= max(address + Self.addressByteCount, deviceClass + 3) else { return }
    let peer = peer(event, address, adapter)
    guard sides.count < Self.maximumPeers || sides[peer] != nil else { return }
    // Bits 8 to 12 are the major class: 2 is a phone, 4 is audio and video.
    switch event.byte(deviceClass + 1) & 0x1F {
    case 2: sides[peer] = .device
    case 4: sides[peer] = .accessory
    default: sides[peer] = nil
    }
  }

  /// Reads Connection Complete: status, handle, address.
  private mutating func connect(_ event: RawSpan, _ start: Int, _ adapter: UInt16) {
    guard event.byteCount >= start + 3 + Self.addressByteCount, event.byte(start) == 0 else { return }
    let handle: UInt16 = event.integer(start + 1, isLittleEndian: true)
    let key = UInt32(adapter) << 16 | UInt32(handle & 0xFFF)
    guard handles.count < Self.maximumPeers || handles[key] != nil else { return }
    handles[key] = sides[peer(event, start + 3, adapter)]
  }
}
