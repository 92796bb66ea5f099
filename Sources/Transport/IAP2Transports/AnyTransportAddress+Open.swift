// swift-iap2 · Apache-2.0

public import IAP2
import IAP2Bluetooth
package import IAP2Formats
import IAP2Sockets
public import IAP2Transport
import IAP2USB

extension AnyTransportAddress {
  /// Opens the transport: connects, starts to listen, or searches for a device.
  ///
  /// - Parameters:
  ///   - side: The side that this program plays.
  ///   - once: One connection is wanted, with the device that is there now. Otherwise opening waits for a device.
  /// - Throws: The reason why the transport cannot be opened; ``explanation(of:)`` has the next step.
  public func open(as side: Side, once: Bool = true) async throws(TransportError) -> any TransportSource {
    try await open(once: once, as: side, functions: AccessoryFunctions(), limitsSilence: !once) { _ in }
  }

  /// Opens the transport and reports events of the bus, the adapter and the role switch.
  ///
  /// - Parameters:
  ///   - once: One connection is wanted, with the device that is there now.
  ///   - side: The side that this program plays.
  ///   - functions: The USB functions that a head unit offers beside the link.
  ///   - offersCarPlay: Wireless CarPlay is announced if the transport can announce it.
  ///   - limitsSilence: A listening socket disconnects a peer that sends nothing while other peers wait.
  ///   - report: Called for each event, on any thread.
  package func open(
    once: Bool, as side: Side, functions: AccessoryFunctions = AccessoryFunctions(), offersCarPlay: Bool = false,
    limitsSilence: Bool = false,
    report: @escaping @Sendable (TransportNotice) -> Void
  ) async throws(TransportError) -> any TransportSource {
    switch kind {
    case .stream(let address): return try await address.open(limitsSilence: limitsSilence)
    case .usb(let address): return try USBHostSource(address, waits: !once)
    case .gadget(let address):
      let source = try await USBGadgetSource.open(
        address, productName: Self.headUnitName, functions: functions
      ) { report(TransportNotice($0, address)) }
      TransportNotice(network: source.networkInterface, functions, address).map(report)
      return source
    case .usbPhone(let address):
      return try USBPhoneSource(
        address, waits: !once, productName: Self.headUnitName, functions: functions
      ) { event in
        report(TransportNotice(event, address))
        if case .isDevice(_, let network) = event {
          TransportNotice(network: network, functions, address).map(report)
        }
      }
    case .gadgetPhone(let address):
      return try await PhoneGadgetSource.open(address, waits: !once, productName: "iap2 phone") {
        TransportNotice($0, address).map(report)
      }
    case .bluetooth(let address):
      return try await BlueZ.open(address, as: side, offersCarPlay: offersCarPlay, once: once) {
        report(TransportNotice($0, address))
      }
    }
  }

  private static let headUnitName = "iap2 head unit"
}
