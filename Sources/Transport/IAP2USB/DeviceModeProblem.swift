// swift-iap2 · Apache-2.0

public import IAP2Formats
public import IAP2Transport

/// An error of a phone in device mode, or of a role switch with it.
public enum DeviceModeProblem: TransportProblem {
  /// The phone has no HID interface with an interrupt endpoint and a report descriptor.
  case noReportInterface
  /// The phone has such an interface, but the reports in its descriptor cannot carry iAP2.
  case badReportTable(HIDReportTableProblem)
  /// The phone stalled the request to become host.
  case roleSwitchRefused
  /// This machine has no free USB device controller, which it needs to become the device.
  case noController
  /// The phone accepted the role switch, but was still on the bus after `seconds`.
  case didNotLeave(seconds: Int)
  /// The phone left the bus, but no host enumerated this machine within `seconds`.
  case noHost(seconds: Int)
  /// The phone became host, but no accessory appeared on its bus within `seconds`.
  case noAccessory(seconds: Int)
}

extension DeviceModeProblem {
  public var explanation: String {
    switch self {
    case .noReportInterface:
      "the device has no HID interface that could carry iAP2: one with a report descriptor and an interrupt endpoint to the host"
    case .badReportTable(let fault): "the device's HID reports cannot carry iAP2: \(Self.text(fault))"
    case .roleSwitchRefused: "the phone refused the role switch"
    case .noController:
      "this machine has no free USB device controller, which it needs to become the phone's device; "
        + "`iap2 devices` lists the controllers, `modprobe dummy_hcd` makes a virtual one"
    case .didNotLeave(let seconds):
      "the phone agreed to the role switch, but was still on the bus after \(seconds) s"
    case .noHost(let seconds): "the phone left the bus, but did not become host within \(seconds) s"
    case .noAccessory(let seconds): "no accessory appeared within \(seconds) s of the role switch"
    }
  }

  private static func text(_ problem: HIDReportTableProblem) -> String {
    switch problem {
    case .descriptor(let problem): "the report descriptor cannot be read: \(problem)"
    case .descriptorTooLong(let byteCount, let limit):
      "the report descriptor has \(byteCount) bytes, more than \(limit)"
    case .withoutID: "a report has no id"
    case .notWholeBytes(let id, let bitCount): "report \(id) has \(bitCount) bits, which is not a whole number of bytes"
    case .reportTooLong(let id, let byteCount, let limit): "report \(id) has \(byteCount) bytes, more than \(limit)"
    case .noReport(.toAccessory): "no report from the phone has room for data"
    case .noReport(.toDevice): "no report to the phone has room for data"
    }
  }
}

extension TransportError {
  /// Returns an error of the phone in device mode at `address`.
  static func deviceMode(address: String, _ problem: DeviceModeProblem) -> Self {
    .specific(SpecificTransportProblem(problem, address: address))
  }
}
