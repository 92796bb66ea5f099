// swift-iap2 · Apache-2.0

import Foundation
import Glibc
public import IAP2
public import IAP2Runtime

/// A phone's HID interface: iAP2 in reports, towards the host over an interrupt endpoint, from it by SET_REPORT.
///
/// Invariant for `@unchecked`: `changed` guards everything that changes.
final class ReportFunction: GadgetFiles, @unchecked Sendable {
  private let control: ControlFile
  private let toHost: Int32
  private let requests: PhoneRequests
  private let onRequest: @Sendable (PhoneGadgetEvent) -> Void

  private let changed = NSCondition()
  private var join = HIDReportJoin()
  private var bytes: [UInt8] = []
  private var isOver = false
  /// How often the host has gone; who reads looks up then.
  private var ends = 0

  /// Bytes that wait for the reader before the host has to: some packets.
  private static let waitingByteCount = 1 << 16

  /// Link packets must not be cut.
  let writeByteCount = Int.max
  /// Reports end by themselves.
  let packetByteCount: Int? = nil
  /// A head unit speaks first. Until then it may still ask to change roles, which is no connection.
  let keepsFirstBytes = true

  /// - Parameter onRequest: told of what the host asks, on the thread of the events.
  init(
    folder: String, address: String, requests: PhoneRequests,
    onRequest: @escaping @Sendable (PhoneGadgetEvent) -> Void
  ) throws(TransportError) {
    self.requests = requests
    self.onRequest = onRequest
    control = try ControlFile(
      folder: folder, descriptors: ReportFunctionDescriptors.descriptors(requests),
      strings: ReportFunctionDescriptors.strings, address: address)
    do { toHost = try control.openEndpoint(1, O_WRONLY) } catch {
      control.close()
      throw error
    }
  }

  func close() {
    Glibc.close(toHost)
    control.close()
  }

  /// Does something under the lock, and wakes who waits.
  private func locked<Result>(_ body: () -> Result) -> Result {
    changed.lock()
    defer {
      changed.broadcast()
      changed.unlock()
    }
    return body()
  }

  // MARK: Requests

  func nextEvents() -> [GadgetEvent]? {
    control.nextEvents()?.map { event in
      if let setup = event.setup { answer(setup) }
      if event.kind == .disable || event.kind == .unbind {
        locked {
          ends += 1
          bytes = []
          join = HIDReportJoin()
        }
      }
      return event.kind
    }
  }

  func stopEvents() {
    locked { isOver = true }
    control.stopEvents()
  }

  private func answer(_ setup: USBSetup) {
    switch requests.answer(setup) {
    case .reply(let bytes): control.reply(bytes)
    case .acknowledge: control.acknowledge()
    case .chargeCurrent(let extra):
      control.acknowledge()
      onRequest(.chargeCurrent(extraMilliamperes: extra))
    case .switchRole(let role):
      control.acknowledge()
      onRequest(.roleSwitch(role))
    case .stall: control.refuse(setup)
    case .report(let byteCount): take(byteCount)
    }
  }

  /// The host waits for as long as nobody reads.
  private func take(_ byteCount: Int) {
    changed.lock()
    while bytes.count >= Self.waitingByteCount, !isOver { changed.wait() }
    changed.unlock()
    guard let report = control.takeData(byteCount: byteCount) else { return }
    let hasCome = locked {
      guard case .bytes(let more) = join.take(report.rawBytes), !more.isEmpty else { return false }
      bytes += more
      return true
    }
    if hasCome { onRequest(.bytes) }
  }

  // MARK: Bytes

  var isSpokenTo: Bool { locked { !bytes.isEmpty } }

  func read(into buffer: inout [UInt8]) -> GadgetOutcome {
    changed.lock()
    let before = ends
    while bytes.isEmpty, !isOver, ends == before { changed.wait() }
    let count = min(bytes.count, buffer.count)
    buffer.replaceSubrange(..<count, with: bytes[..<count])
    bytes.removeFirst(count)
    changed.broadcast()
    changed.unlock()
    return count > 0 ? .done(count) : .disabled
  }

  func write(_ bytes: ArraySlice<UInt8>) -> GadgetOutcome {
    var reports: [[UInt8]] = []
    HIDReportFraming.cut(Array(bytes).rawBytes, into: requests.table.toAccessory) { reports.append($0) }
    for report in reports {
      var isSent = false
      while !isSent {
        switch GadgetOutcome(status: unsafe Glibc.write(toHost, report, report.count)) {
        case .done: isSent = true
        case .interrupted: break
        case .disabled: return .disabled
        case .failed(let number): return .failed(number)
        }
      }
      // A host waits for the longest report, or for a packet that is not full (HID 1.11, section 8.4).
      let longest = requests.table.maximumTransferByteCount.toAccessory
      if report.count < longest, report.count.isMultiple(of: ReportFunctionDescriptors.packetByteCount) {
        _ = unsafe Glibc.write(toHost, [UInt8](), 0)
      }
    }
    return .done(bytes.count)
  }
}

/// What a host asks a phone in device mode.
public enum PhoneGadgetEvent: Sendable, Equatable {
  case bus(GadgetEvent)
  /// It speaks iAP2.
  case bytes
  case chargeCurrent(extraMilliamperes: UInt16)
  /// The phone leaves the bus and looks for the head unit as its host.
  case roleSwitch(USBRoleSwitch)
  /// It is a device again.
  case isDevice(TransportError?)
}

/// The phone's interface as FunctionFS is told of it.
enum ReportFunctionDescriptors {
  /// At every speed, as on a real phone (link-and-sessions, section 10.1; high).
  static let packetByteCount = 64
  static let interfaceName = "iAP2 reports"

  static func descriptors(_ requests: PhoneRequests) -> [UInt8] {
    let use = USBInterfaceUse.reports
    let interface: [[UInt8]] = [
      [9, USBDescriptorType.interface, 0, 0, 1, use.interfaceClass, use.subclass, use.interfaceProtocol, 1],
      requests.hidDescriptor,
      // Interrupt, asked as often as the bus allows.
      [7, USBDescriptorType.endpoint, 0x81, 3, UInt8(packetByteCount), 0, 1],
    ]
    let companion: [UInt8] = [6, USBDescriptorType.companion, 0, 0, UInt8(packetByteCount), 0]
    return FunctionLayout.descriptors(
      full: interface, high: interface, superSpeed: interface + [companion], [.allRecipients, .beforeConfiguration])
  }

  static var strings: [UInt8] { FunctionLayout.strings([interfaceName]) }
}
