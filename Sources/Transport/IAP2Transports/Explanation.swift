// swift-iap2 · Apache-2.0

import Glibc
import IAP2Bluetooth
public import IAP2Transport
import IAP2USB

extension AnyTransportAddress {
  /// Returns the error of a transport and the next step for the user, as one sentence that begins with the address.
  public static func explanation(of error: TransportError) -> String {
    switch error {
    case .refused(let address): "\(address): no program listens there"
    case .unreachable(let address): "\(address): \(unreachable(address))"
    case .notFound(let address): "\(address): \(absence(address))"
    case .permissionDenied(let address): "\(address): no permission; \(permissionAdvice(address))"
    case .addressInUse(let address): "\(address): \(useAdvice(address))"
    case .unplugged(let address):
      "\(address): \(isGadget(address) ? "unplugged, or disabled by its host" : "unplugged")"
    case .notBuilt(let address, let trait): "\(address): this build is without \(trait) (package trait \(trait))"
    case .specific(let specific): "\(specific.address): \(specific.problem.explanation)"
    case .closed: "the transport closed before it was used"
    // The operation is the whole explanation; the system reported no error.
    case .system(0, let operation): operation
    case .system(let number, let operation): "\(operation): \(unsafe String(cString: strerror(number)))"
    }
  }

  private static func isAccessory(_ address: String) -> Bool {
    address == USBAddress.scheme || address.hasPrefix("\(USBAddress.scheme):")
  }

  private static func isPhone(_ address: String) -> Bool { address.hasPrefix(USBPhoneAddress.scheme) }

  /// Returns whether the address is a gadget of either role.
  private static func isGadget(_ address: String) -> Bool { address.hasPrefix(USBGadgetAddress.scheme) }

  private static func absence(_ address: String) -> String {
    if isAccessory(address) { return "no such accessory is attached; `iap2 devices` lists the attached ones" }
    if isPhone(address) {
      return "no such phone is attached in device mode; `iap2 devices` lists the attached ones"
    }
    if address.hasPrefix("tcp") { return "no such host; check the name, or give a numeric address" }
    if isGadget(address) { return gadgetAbsence(address, controllers: USBGadgetSource.controllers) }
    return address.hasPrefix("unix:")
      ? "no such socket; start the listening side first, or check the path" : "does not exist; check the path"
  }

  /// Returns why a gadget cannot be created.
  ///
  /// - Parameter controllers: The names of this machine's USB device controllers.
  package static func gadgetAbsence(_ address: String, controllers: [String]) -> String {
    guard !controllers.isEmpty else {
      return "this machine has no USB device controller; load the board's driver (such as dwc2), "
        + "or create a virtual controller: modprobe dummy_hcd"
    }
    if let wanted = controller(named: address), !controllers.contains(wanted) {
      return "no such USB device controller; this machine has: \(controllers.joined(separator: ", "))"
    }
    return "this kernel cannot create USB gadgets yet; run modprobe -a libcomposite usb_f_fs, "
      + "and if configfs is not mounted: mount -t configfs none /sys/kernel/config"
  }

  private static func controller(named address: String) -> String? {
    do {
      return try USBGadgetAddress(parsing: address)?.controller ?? PhoneGadgetAddress(parsing: address)?.controller
    } catch { return nil }
  }

  private static func unreachable(_ address: String) -> String {
    address.hasPrefix("tcp-listen:")
      ? "this machine does not have that address; 0.0.0.0 or [::] listens on all of its addresses"
      : "cannot be reached"
  }

  private static func useAdvice(_ address: String) -> String {
    if address.hasPrefix("tcp-listen:") {
      return "another program listens on that port; give another port, or port 0 for a free one"
    }
    if address.hasPrefix("unix-listen:") { return "in use; end the program that listens there, or give another path" }
    if isGadget(address) { return "in use by another gadget; end it, or name another controller (iap2 devices)" }
    return "in use by another program; end that program first"
  }

  /// Returns the next step of a user who may not open the transport at `address`.
  package static func permissionAdvice(_ address: String) -> String {
    if address.hasPrefix(RFCOMMAddress.scheme) {
      return "the D-Bus policy of org.bluez (bluetooth.conf) excludes this user"
    }
    if isAccessory(address) || isPhone(address) {
      return "install the udev rule 70-iap2.rules, or join the group plugdev where it is installed; then plug the "
        + "device in again"
    }
    if address.hasPrefix("tcp") { return "ports below 1024 are for root; give a higher port" }
    return isGadget(address) ? "only root can create a USB gadget" : "check its owner and group"
  }
}
