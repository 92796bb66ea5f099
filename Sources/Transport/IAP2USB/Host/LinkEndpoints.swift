// swift-iap2 · Apache-2.0

import IAP2Formats
import IAP2Transport

#if USB
  import IAP2
  import IAP2Transport
  import Synchronization

  /// The endpoints of a device that carry link bytes, and the format of the bytes on them.
  enum LinkEndpoints: Sendable {
    /// Raw link bytes on a bulk pair.
    case bulk(USBBulkPair)
    case reports(ReportEndpoints)

    var toHost: USBEndpoint {
      switch self {
      case .bulk(let pair): pair.toHost
      case .reports(let reports): reports.interface.toHost
      }
    }

    /// Returns the size of a read in bytes. For reports it is a multiple of the packet size, so that no transfer
    /// overflows.
    func readByteCount(atMost limit: Int) -> Int {
      switch self {
      case .bulk: return limit
      case .reports(let reports):
        // Each transfer carries one report. The longest report ends by its length, the others end with a short packet.
        let packet = toHost.maximumPacketByteCount
        return (reports.table.maximumTransferByteCount.toAccessory + packet - 1) / packet * packet
      }
    }

    /// Returns the transfers that send bytes to the device, in order: one bulk transfer, which libusb splits as the
    /// system requires, or one transfer for each report.
    func transfers(_ bytes: [UInt8], handle: LibUSBHandle, owner: LibUSBDevice) -> [LibUSBTransfer] {
      switch self {
      case .bulk(let pair):
        let transfer = LibUSBTransfer(pair.toDevice, byteCount: bytes.count, handle: handle, owner: owner)
        transfer.fill(bytes)
        return [transfer]
      case .reports(let reports):
        var transfers: [LibUSBTransfer] = []
        HIDReportFraming.cut(bytes.rawBytes, into: reports.table.toDevice) { report in
          transfers.append(
            LibUSBTransfer(report: report, interface: reports.interface.interface, handle: handle, owner: owner))
        }
        return transfers
      }
    }

    /// Passes the bytes of a transfer to the inbox. Returns false if the inbox is full.
    func hand(_ bytes: RawSpan, to inbox: Inbox) -> Bool {
      switch self {
      case .bulk: return inbox.append(bytes)
      case .reports(let reports):
        let outcome = reports.join.withLock { $0.take(bytes) }
        guard case .bytes(let joined) = outcome, !joined.isEmpty else { return !inbox.isFull }
        return inbox.append(joined.rawBytes)
      }
    }
  }

  /// A phone's HID interface and its reports. Only the event thread uses `join`.
  final class ReportEndpoints: Sendable {
    let interface: ReportInterface
    let table: HIDReportTable
    let join = Mutex(HIDReportJoin())

    init(interface: ReportInterface, table: HIDReportTable) {
      self.interface = interface
      self.table = table
    }
  }
#endif
