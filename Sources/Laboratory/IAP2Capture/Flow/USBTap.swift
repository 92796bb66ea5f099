// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats

/// A filter that finds iAP2 among the transfers of a USB capture.
///
/// It takes the bulk endpoints of an accessory's interface (FF/F0/00), known from the descriptors or, without
/// descriptors, from the content. It also takes the HID reports of a phone in device mode (USB.md#device-mode,
/// USB.md#host-mode; CaptureFormats.md#usbmon).
struct USBTap: Sendable {
  private enum EndpointUse { case unknown, link, other }

  /// The use of each known endpoint; the key holds bus, device and endpoint.
  private var uses: [(key: UInt32, use: EndpointUse)] = []
  private var streams: [UInt32: ReportStream] = [:]
  private var wire = USBWire()
  /// The bytes of the last reports or packets that were joined.
  private(set) var joined: [UInt8] = []
  /// The maximum number of endpoints to remember. A bus has at most 127 devices of 30 endpoints; captures rarely have
  /// more than ten devices.
  private static let maximumEndpoints = 4096

  /// The facts about the capture's devices that concern iAP2.
  private(set) var observations = USBObservations()

  mutating func take(
    _ bytes: RawSpan, headerByteCount: Int, isLittleEndian: Bool, at moment: CaptureMoment
  ) -> CapturePiece? {
    let record = USBTransfer(linux: bytes, headerByteCount: headerByteCount, isLittleEndian: isLittleEndian)
    return record.flatMap { take($0, bytes, at: moment) }
  }

  /// Does the same for a USBPcap record.
  mutating func takeUSBPcap(_ bytes: RawSpan, at moment: CaptureMoment) -> CapturePiece? {
    USBTransfer(usbPcap: bytes).flatMap { take($0, bytes, at: moment) }
  }

  /// Does the same for a packet of a USB cable.
  mutating func takeWire(_ packet: RawSpan, at moment: CaptureMoment) -> CapturePiece? {
    guard let record = wire.take(packet) else { return nil }
    let bytes = wire.bytes
    guard var piece = take(record, bytes.rawBytes, at: moment) else { return nil }
    if case .frame(let range) = piece.place {
      joined = bytes
      piece.place = .joined(range)
    }
    return piece
  }

  private mutating func take(_ record: USBTransfer, _ bytes: RawSpan, at moment: CaptureMoment) -> CapturePiece? {
    observations.note(record, bytes, at: moment)
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

  /// Records the use of a configuration's endpoints: an accessory's link, or an EA native transport beside it.
  private mutating func describe(
    _ transfer: USBTransfer, _ configuration: USBConfiguration, at moment: CaptureMoment
  ) {
    observations.note(configuration, of: transfer, at: moment)
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

  /// The reports of one direction. They are joined once a first report has begun with link content.
  private struct ReportStream: Sendable {
    var join = HIDReportJoin()
    var isLink = false
  }

  private static let setReport: UInt8 = 9

  private mutating func control(
    _ transfer: USBTransfer, _ bytes: RawSpan, at moment: CaptureMoment
  ) -> CapturePiece? {
    guard let setup = transfer.setup else {
      // The data of a control transfer's completion: only a configuration descriptor parses as one.
      let configuration =
        transfer.isToHost ? USBConfiguration(asFarAsReadable: bytes.extracting(transfer.data)) : nil
      if let configuration { describe(transfer, configuration, at: moment) }
      return nil
    }
    let isSetReport = bytes.byte(setup.lowerBound) == 0x21 && bytes.byte(setup.lowerBound + 1) == Self.setReport
    return isSetReport ? report(transfer, bytes.extracting(transfer.data)) : nil
  }

  /// Takes a report: report id, link control byte, payload with padding.
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
