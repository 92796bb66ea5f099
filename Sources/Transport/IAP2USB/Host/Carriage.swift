// swift-iap2 · Apache-2.0

import IAP2Formats
import IAP2Transport

#if USB
  import IAP2
  import IAP2Transport
  import Synchronization

  /// How link bytes travel on the endpoints of a device.
  enum Carriage: Sendable {
    /// As they are.
    case bulk(USBBulkPair)
    case reports(ReportCarriage)

    var toHost: USBEndpoint {
      switch self {
      case .bulk(let pair): pair.toHost
      case .reports(let reports): reports.interface.toHost
      }
    }

    /// Of a read; a multiple of the packet size, so that none overflows.
    func readByteCount(atMost limit: Int) -> Int {
      switch self {
      case .bulk: return limit
      case .reports(let reports):
        // One report a transfer: the longest ends by its length, the others by a packet that is not full.
        let packet = toHost.maximumPacketByteCount
        return (reports.table.maximumTransferByteCount.toAccessory + packet - 1) / packet * packet
      }
    }

    /// Transfers for bytes to the device, in order: one in bulk, which libusb splits as the system likes, or one for each
    /// report.
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

    /// Takes what a transfer brought; false when enough waits to be read.
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

  /// A phone's HID interface and its reports. The event thread alone joins them.
  final class ReportCarriage: Sendable {
    let interface: ReportInterface
    let table: HIDReportTable
    let join = Mutex(HIDReportJoin())

    init(interface: ReportInterface, table: HIDReportTable) {
      self.interface = interface
      self.table = table
    }
  }
#endif
