// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats

/// Finds iAP2 among the transfers of USB captures: bulk endpoints of an accessory's interface (FF/F0/00), by descriptors
/// where the capture has them and by content where not, and HID reports of a phone in device mode
/// (USB.md#device-mode, USB.md#host-mode; CaptureFormats.md#usbmon).
struct USBTap: Sendable {
  private enum EndpointUse { case unknown, link, other }

  /// What is known of endpoints, by bus, device and endpoint.
  private var uses: [(key: UInt32, use: EndpointUse)] = []
  private var streams: [UInt32: ReportStream] = [:]
  /// The bytes of the last joined reports.
  private(set) var joined: [UInt8] = []
  /// Endpoints remembered: a bus has at most 127 devices of 30, and a capture rarely more than ten.
  private static let maximumEndpoints = 4096

  /// The devices of the capture, as far as iAP2 concerns them.
  private(set) var sightings = USBSightings()

  mutating func take(
    _ bytes: RawSpan, headerByteCount: Int, isLittleEndian: Bool, at moment: CaptureMoment
  ) -> CapturePiece? {
    let record = USBTransfer(linux: bytes, headerByteCount: headerByteCount, isLittleEndian: isLittleEndian)
    return record.flatMap { take($0, bytes, at: moment) }
  }

  /// The same for USBPcap.
  mutating func takeUSBPcap(_ bytes: RawSpan, at moment: CaptureMoment) -> CapturePiece? {
    USBTransfer(usbPcap: bytes).flatMap { take($0, bytes, at: moment) }
  }

  private mutating func take(_ record: USBTransfer, _ bytes: RawSpan, at moment: CaptureMoment) -> CapturePiece? {
    sightings.note(record, bytes, at: moment)
    return record.hasBytes ? transfer(record, bytes, at: moment) : nil
  }

  private mutating func transfer(
    _ transfer: USBTransfer, _ bytes: RawSpan, at moment: CaptureMoment
  ) -> CapturePiece? {
    guard !transfer.data.isEmpty else { return nil }
    switch transfer.kind {
    case USBTransfer.Kind.bulk: return bulk(transfer, bytes)
    case USBTransfer.Kind.interrupt: return report(transfer, bytes.extracting(transfer.data))
    case USBTransfer.Kind.control: return control(transfer, bytes, at: moment)
    default: return nil
    }
  }

  // MARK: Bulk

  private static func key(_ transfer: USBTransfer) -> UInt32 {
    UInt32(transfer.bus) << 16 | UInt32(transfer.device) << 8 | UInt32(transfer.endpoint)
  }

  private mutating func bulk(_ transfer: USBTransfer, _ bytes: RawSpan) -> CapturePiece? {
    let key = Self.key(transfer)
    if let index = uses.firstIndex(where: { $0.key == key }), uses[index].use != .unknown {
      return uses[index].use == .link ? piece(transfer) : nil
    }
    guard LinkContent.begins(bytes.extracting(transfer.data)) else { return nil }
    note(key, .link)
    return piece(transfer)
  }

  private func piece(_ transfer: USBTransfer) -> CapturePiece {
    CapturePiece(
      flow: .usb(bus: transfer.bus, device: transfer.device), sender: .end(transfer.isToHost ? 1 : 0),
      place: .frame(transfer.data))
  }

  private mutating func note(_ key: UInt32, _ use: EndpointUse) {
    if let index = uses.firstIndex(where: { $0.key == key }) {
      uses[index].use = use
    } else if uses.count < Self.maximumEndpoints {
      uses.append((key, use))
    }
  }

  /// Takes the endpoints of a configuration: an accessory's link, or data beside it.
  private mutating func describe(
    _ transfer: USBTransfer, _ configuration: USBConfiguration, at moment: CaptureMoment
  ) {
    sightings.note(configuration, of: transfer, at: moment)
    for interface in configuration.interfaces {
      let use: EndpointUse
      switch interface.use {
      case .link: use = .link
      case .nativeExternalAccessory: use = .other
      default: continue
      }
      for endpoint in interface.endpoints {
        var known = transfer
        known.endpoint = endpoint.address
        note(Self.key(known), use)
      }
    }
  }

  // MARK: HID reports

  /// Reports of one way, joined once they were seen to carry iAP2.
  private struct ReportStream: Sendable {
    var join = HIDReportJoin()
    var isLink = false
  }

  private static let setReport: UInt8 = 9

  private mutating func control(
    _ transfer: USBTransfer, _ bytes: RawSpan, at moment: CaptureMoment
  ) -> CapturePiece? {
    guard let setup = transfer.setup else {
      // The answer to a request: only a configuration begins as one.
      let configuration =
        transfer.isToHost ? USBConfiguration(asFarAsReadable: bytes.extracting(transfer.data)) : nil
      if let configuration { describe(transfer, configuration, at: moment) }
      return nil
    }
    let isSetReport = bytes.byte(setup.lowerBound) == 0x21 && bytes.byte(setup.lowerBound + 1) == Self.setReport
    return isSetReport ? report(transfer, bytes.extracting(transfer.data)) : nil
  }

  /// Report id, link control byte, payload with padding.
  private mutating func report(_ transfer: USBTransfer, _ report: RawSpan) -> CapturePiece? {
    guard report.byteCount > 2 else { return nil }
    let key = UInt32(transfer.bus) << 16 | UInt32(transfer.device) << 8 | (transfer.isToHost ? 1 : 0)
    var stream = streams[key] ?? ReportStream()
    guard streams.count < Self.maximumEndpoints || streams[key] != nil else { return nil }
    if report.byte(1) & HIDLinkControl.continues.rawValue == 0, !stream.isLink {
      stream.isLink = LinkContent.begins(report.extracting(2..<report.byteCount))
    }
    guard stream.isLink else { return nil }
    defer { streams[key] = stream }
    guard case .bytes(let bytes) = stream.join.take(report) else { return nil }
    joined = bytes
    return CapturePiece(
      flow: .usbReports(bus: transfer.bus, device: transfer.device),
      sender: .side(transfer.isToHost ? .device : .accessory),
      place: .joined(0..<joined.count))
  }
}
