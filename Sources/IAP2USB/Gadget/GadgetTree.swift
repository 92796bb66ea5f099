// swift-iap2 · Apache-2.0

import Foundation
import IAP2Runtime

/// A gadget of our own in configfs, and the FunctionFS of its function.
///
/// A run that was killed leaves its gadget behind; the next one on the same controller removes it. A lock tells a dead
/// run from one that is alive.
struct GadgetTree {
  static let controllers = "/sys/class/udc"
  private static let gadgets = "/sys/kernel/config/usb_gadget"
  private static let state = "/run/iap2"

  let controller: String
  private let identity: GadgetIdentity
  private let name: String
  private let gadget: String
  private let lock: Int32

  /// Where the function's files are.
  var functionFolder: String { "\(Self.state)/\(name)" }
  private var function: String { "\(gadget)/functions/ffs.\(name)" }
  private var configuration: String { "\(gadget)/configs/c.\(identity.configuration)" }

  private var address: String { identity.address(controller) }

  static func allControllers() -> [String] { names(in: controllers).sorted() }

  /// Takes the controller for this process and removes what an earlier one left.
  init(controller: String, identity: GadgetIdentity) throws(TransportError) {
    self.controller = controller
    self.identity = identity
    name = "iap2.\(controller)"
    gadget = "\(Self.gadgets)/\(name)"
    let address = identity.address(controller)
    guard unsafe access(Self.gadgets, F_OK) == 0 else { throw .notFound(address: address) }
    unsafe mkdir(Self.state, 0o755)
    lock = unsafe open("\(Self.state)/\(name).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw TransportError(number: errno, operation: "lock", address: address) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      Glibc.close(lock)
      throw .addressInUse(address: address)
    }
    remove()
  }

  /// Makes the gadget, its function not yet described and the gadget not yet attached.
  func make() throws(TransportError) {
    try makeFolder(gadget)
    try write("0x\(hex4(identity.vendor))", "\(gadget)/idVendor")
    try write("0x\(hex4(identity.product))", "\(gadget)/idProduct")
    try makeFolder("\(gadget)/strings/0x409")
    try write("swift-iap2", "\(gadget)/strings/0x409/manufacturer")
    try write(identity.productName, "\(gadget)/strings/0x409/product")
    // Tells several gadgets on one machine apart.
    try write(controller, "\(gadget)/strings/0x409/serialnumber")
    try makeFolder(configuration)
    // Head units have power of their own, and a phone says so too (link-and-sessions, section 10.1; high).
    try write("0xc0", "\(configuration)/bmAttributes")
    try makeFolder(function)
    try check(unsafe symlink(function, "\(configuration)/ffs.\(name)"), configuration)
    try makeFolder(functionFolder)
    try check(unsafe mount(name, functionFolder, "functionfs", 0, nil), functionFolder)
  }

  /// Shows the gadget to the host, or takes it away.
  func attach() throws(TransportError) { try write(controller, "\(gadget)/UDC") }

  func detach() {
    // What is not attached cannot be detached, and that is as good.
    do { try write("\n", "\(gadget)/UDC") } catch {}
  }

  /// Removes all of it, as much of it as there is, and in the one order that configfs takes.
  func remove() {
    detach()
    // Whichever role the earlier one had.
    let configurations = Self.names(in: "\(gadget)/configs").map { "\(gadget)/configs/\($0)" }
    for configuration in configurations {
      for link in Self.names(in: configuration) where link.contains(".") { unsafe unlink("\(configuration)/\(link)") }
    }
    unsafe umount2(functionFolder, Int32(MNT_DETACH))
    for folder in [functionFolder] + configurations + [function, "\(gadget)/strings/0x409", gadget] {
      unsafe rmdir(folder)
    }
  }

  private static func names(in folder: String) -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder) } catch { return [] }
  }

  /// Lets other processes have the controller.
  func release() { Glibc.close(lock) }

  private func makeFolder(_ path: String) throws(TransportError) {
    try check(unsafe mkdir(path, 0o755), path)
  }

  private func write(_ text: String, _ path: String) throws(TransportError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
    try check(descriptor, path)
    defer { Glibc.close(descriptor) }
    let bytes = Array(text.utf8)
    try check(Int32(unsafe Glibc.write(descriptor, bytes, bytes.count)), path)
  }

  private func check(_ status: Int32, _ path: String) throws(TransportError) {
    guard status < 0 else { return }
    let number = errno
    throw number == EBUSY
      ? .addressInUse(address: address) : TransportError(number: number, operation: path, address: address)
  }
}
