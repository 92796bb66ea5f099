// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
import IAP2Runtime
import IAP2Transport

/// What goes wrong with a phone in device mode, in words.
enum DeviceModeText {
  static func text(_ problem: DeviceModeProblem) -> String {
    switch problem {
    case .noReportInterface:
      "the device has no HID interface that could carry iAP2: one with a report descriptor and an interrupt endpoint to the host"
    case .badReportTable(let fault): "the device's HID reports cannot carry iAP2: \(text(fault))"
    case .roleSwitchRefused: "the phone refused the role switch"
    case .noController:
      "no USB device controller is free here on which this machine could be the phone's device; "
        + "`iap2 devices` shows those there are, modprobe dummy_hcd makes a virtual one"
    case .didNotLeave(let seconds):
      "the phone agreed to the role switch, but was still on the bus after \(seconds) s"
    case .noHost(let seconds): "the phone left the bus, but did not come as host within \(seconds) s"
    case .noAccessory(let seconds): "no head unit came as an accessory within \(seconds) s of the role switch"
    }
  }

  private static func text(_ problem: HIDReportTableProblem) -> String {
    switch problem {
    case .descriptor(.truncated(let offset)): "an item ends behind the report descriptor, at byte \(offset)"
    case .descriptor(.tooLarge(let limit)): "the report descriptor says more than \(limit) of something"
    case .descriptor(.unbalanced(let offset)): "a pop without a push, at byte \(offset)"
    case .descriptorTooLong(let byteCount, let limit):
      "the report descriptor has \(byteCount) bytes, more than \(limit)"
    case .withoutID: "a report has no id"
    case .notWholeBytes(let id, let bitCount): "report \(id) has \(bitCount) bits, which are no whole bytes"
    case .reportTooLong(let id, let byteCount, let limit): "report \(id) has \(byteCount) bytes, more than \(limit)"
    case .noReport(.toAccessory): "no report from the phone has room for anything"
    case .noReport(.toDevice): "no report to the phone has room for anything"
    }
  }
}
