// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Bluetooth
import IAP2Runtime
import IAP2Transports
import Testing

@testable import CommandSupport
@testable import iap2

/// Tests of errors for absent devices and files, which name the next step.
@Suite(.ownTurn) struct NextStepTests {
  private static func isEmpty(_ folder: String) -> Bool {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty } catch { return true }
  }

  #if USB
    private static let findsDevices = true
  #else
    private static let findsDevices = false
  #endif
  #if Bluetooth
    private static let hasNoAdapter = isEmpty("/sys/class/bluetooth")
  #else
    private static let hasNoAdapter = false
  #endif

  @Test func absentTransportsHaveAnExitStatusAndANextStep() async throws {
    let echo = try EchoServer()
    let hasNoController = Self.isEmpty("/sys/class/udc")
    for (role, transport, isMissing, text) in [
      ("phone", "usb:0329:2022:NOT-HERE", Self.findsDevices, "no such accessory is attached; `iap2 devices`"),
      ("headunit", "usb-phone:0329:2022:NOT-HERE", Self.findsDevices, "in device mode; `iap2 devices`"),
      ("headunit", "usb-gadget", hasNoController, "modprobe dummy_hcd"),
      ("headunit", "usb-phone+carplay", hasNoController, "modprobe dummy_hcd"),
      ("phone", "usb-gadget-phone", hasNoController, "modprobe dummy_hcd"),
      ("headunit", "rfcomm-listen", Self.hasNoAdapter, "`bluetoothctl list`"),
      ("phone", "tcp-listen:127.0.0.1:\(echo.port)", true, "give another port, or port 0"),
    ] where isMissing {
      let outcome = try await Command.run(role, "--transport", transport, "--once")
      #expect(outcome.status == 69, "\(transport): \(outcome.errors)")
      #expect(outcome.errors.contains(text), "\(transport): \(outcome.errors)")
    }
  }

  @Test(
    arguments: [
      ("usb-gadget", [], "modprobe dummy_hcd"),
      ("usb-gadget:a.udc", ["b.udc", "c.udc"], "this machine has: b.udc, c.udc"),
      ("usb-gadget-phone:a.udc@05ac:12a8", ["b.udc"], "this machine has: b.udc"),
      ("usb-gadget-phone@05ac:12a8", ["b.udc"], "modprobe -a libcomposite usb_f_fs"),
      ("usb-gadget:b.udc", ["b.udc"], "modprobe -a libcomposite usb_f_fs"),
    ] as [(String, [String], String)])
  func theErrorNamesThePartThatAGadgetLacks(address: String, controllers: [String], text: String) {
    #expect(AnyTransportAddress.gadgetAbsence(address, controllers: controllers).contains(text))
  }

  @Test func aTransportErrorWithoutErrnoIsNotReportedAsSuccess() {
    #expect(CommandFailure(.system(number: 0, operation: "read: too much")).text == "read: too much")
    #expect(CommandFailure(.system(number: 5, operation: "read")).text == "read: Input/output error")
  }

  @Test func aBusThatEndedHasItsExitStatusAndNextStep() {
    let failure = CommandFailure(.bluetooth(.busLost, address: "rfcomm-listen:3"))
    #expect(failure.status == .unavailable && failure.text.contains("systemctl start dbus bluetooth"))
    let silent = CommandFailure(.bluetooth(.daemonSilent, address: "rfcomm-listen:3"))
    #expect(silent.status == .unavailable && silent.text.contains("systemctl restart bluetooth"))
  }

  /// The address is once in the text, and a separate value in JSON.
  @Test func aNoticeOfATransportHasAJSONLineAndAText() throws {
    let address = "rfcomm:00:AA:01:01:00:01"
    let notice = TransportNotice(.callFailed(.refused(address: address), seconds: 2), address)
    let text = "no program listens there; next call in 2 s"
    #expect(notice.text == text)
    let line = CommandEvents.notice(notice, role: .phone, time: MonotonicTime(nanoseconds: 1_500_000_000))
    let json = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(line)) as? NSDictionary)
    #expect(
      json == [
        "event": "transport", "time": 1.5, "role": "phone", "kind": "callFailed", "address": address,
        "reason": text,
      ] as NSDictionary)
  }
}
