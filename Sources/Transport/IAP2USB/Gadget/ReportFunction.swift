// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import IAP2
public import IAP2Formats
public import IAP2Transport

/// A phone's HID interface. It carries iAP2 in reports: to the host over an interrupt endpoint, from the host by
/// SET_REPORT.
///
/// Invariant for `@unchecked`: `changed` guards all mutable state.
final class ReportFunction: GadgetFiles, @unchecked Sendable {
  private let control: ControlFile
  private let toHost: Int32
  private let requests: PhoneRequests
  private let onRequest: @Sendable (PhoneGadgetEvent) -> Void

  private let changed = NSCondition()
  private var join = HIDReportJoin()
  private var bytes: [UInt8] = []
  private var isOver = false
  /// The number of times that the host has disconnected. A waiting `read` returns when it changes.
  private var ends = 0

  /// The number of received bytes at which the host has to wait for the reader. It holds several packets.
  static let waitingByteCount = 1 << 16
  /// The time in milliseconds that the host has to wait for room. A waiting request delays all bus events, even an
  /// unplug, and the kernel does not report that the host has given up the request. So a report without room after this
  /// time is lost, and the link retransmits its packet.
  private let roomMilliseconds: Int

  /// A write must contain whole link packets.
  let writeByteCount = Int.max
  /// The writer adds no empty packet; `pieces` does where one is needed.
  let packetByteCount: Int? = nil
  /// A head unit sends first. Before that it may ask for a role switch, which is not a connection.
  let keepsFirstBytes = true

  /// Creates the function.
  ///
  /// - Parameter onRequest: Called for the host's requests, on the thread of the events.
  init(
    folder: String, address: String, requests: PhoneRequests, roomMilliseconds: Int = 200,
    onRequest: @escaping @Sendable (PhoneGadgetEvent) -> Void
  ) throws(TransportError) {
    self.requests = requests
    self.roomMilliseconds = roomMilliseconds
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

  /// Calls `body` under the lock and wakes all waiting threads.
  private func locked<Result>(_ body: () -> Result) -> Result {
    changed.lock()
    defer {
      changed.broadcast()
      changed.unlock()
    }
    return body()
  }

  // MARK: Requests

  func nextEvents() -> [FunctionEvent]? {
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

  private func take(_ byteCount: Int) {
    let hasRoom = waitForRoom()
    guard let report = control.takeData(byteCount: byteCount) else { return }
    let hasCome = locked {
      guard hasRoom else {
        // The other reports of the same packet are useless too.
        join = HIDReportJoin()
        return false
      }
      guard case .bytes(let more) = join.take(report.rawBytes), !more.isEmpty else { return false }
      bytes += more
      return true
    }
    if hasCome { onRequest(.bytes) }
  }

  private func waitForRoom() -> Bool {
    changed.lock()
    defer { changed.unlock() }
    let end = Date(timeIntervalSinceNow: Double(roomMilliseconds) / 1000)
    while bytes.count >= Self.waitingByteCount, !isOver { guard changed.wait(until: end) else { break } }
    return bytes.count < Self.waitingByteCount
  }

  // MARK: Bytes

  var isReadyForConnection: Bool { locked { !bytes.isEmpty } }

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
    let pieces = Self.pieces(Array(bytes), in: requests.table)
    return Self.write(pieces) { GadgetOutcome(status: unsafe Glibc.write(toHost, $0, $0.count)) } ?? .done(bytes.count)
  }

  /// Returns the parts that are written one by one: reports, and an empty packet after a report whose end the host
  /// would not recognize. A host reads until the longest report or until a short packet (HID 1.11, section 8.4).
  static func pieces(_ bytes: [UInt8], in table: HIDReportTable) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    let longest = table.maximumTransferByteCount.toAccessory
    HIDReportFraming.cut(bytes.rawBytes, into: table.toAccessory) { report in
      pieces.append(report)
      if report.count < longest, report.count.isMultiple(of: ReportFunctionDescriptors.packetByteCount) {
        pieces.append([])
      }
    }
    return pieces
  }

  /// Writes all pieces. Returns nil on success, or the outcome that ended the writing.
  static func write(_ pieces: [[UInt8]], _ write: ([UInt8]) -> GadgetOutcome) -> GadgetOutcome? {
    for piece in pieces {
      var isSent = false
      while !isSent {
        switch write(piece) {
        case .done: isSent = true
        case .interrupted: break
        case .disabled: return .disabled
        case .failed(let number): return .failed(number)
        }
      }
    }
    return nil
  }
}

/// An event of a host that uses this machine as a phone in device mode.
public enum PhoneGadgetEvent: Sendable, Equatable {
  /// An event on the bus.
  case bus(GadgetEvent)
  /// The host has sent bytes of iAP2.
  case bytes
  /// The host offers a charge current beyond 500 mA, in milliamperes.
  case chargeCurrent(extraMilliamperes: UInt16)
  /// The host asked for a role switch. The phone leaves the bus and looks for the head unit as its host.
  case roleSwitch(USBRoleSwitch)
  /// This machine returns to the device role: with the error of a failed role switch, or with nil after the head unit
  /// has disconnected.
  case isDevice(TransportError?)
}

/// The description of the phone's interface for FunctionFS.
enum ReportFunctionDescriptors {
  /// The packet size in bytes at every speed, as on a real phone (USB.md#phone-configuration-2; high).
  static let packetByteCount = 64
  static let interfaceName = "iAP2 reports"

  static func descriptors(_ requests: PhoneRequests) -> [UInt8] {
    let use = USBInterfaceUse.reports
    let interface: [[UInt8]] = [
      [9, USBDescriptorType.interface, 0, 0, 1, use.interfaceClass, use.subclass, use.interfaceProtocol, 1],
      requests.hidDescriptor,
      // An interrupt endpoint with the shortest polling interval.
      [7, USBDescriptorType.endpoint, 0x81, 3, UInt8(packetByteCount), 0, 1],
    ]
    let companion: [UInt8] = [6, USBDescriptorType.companion, 0, 0, UInt8(packetByteCount), 0]
    return FunctionLayout.descriptors(
      full: interface, high: interface, superSpeed: interface + [companion], [.allRecipients, .beforeConfiguration])
  }

  static var strings: [UInt8] { FunctionLayout.strings([interfaceName]) }
}
