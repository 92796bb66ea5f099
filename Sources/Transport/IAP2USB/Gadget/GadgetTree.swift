// swift-iap2 · Apache-2.0

import Foundation
import IAP2Transport

/// A gadget of our own in configfs, and the FunctionFS of each of its functions.
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

  /// Where a function's files are; the link's is 0, native protocols follow.
  private func functionFolder(_ index: Int) -> String { "\(Self.state)/\(instance(index))" }
  /// By this name a mount finds its function.
  private func instance(_ index: Int) -> String { index == 0 ? name : "\(name).\(index)" }
  private static let functionKind = "ffs."
  private static let network = "ncm.carplay"
  private var configuration: String { "\(gadget)/configs/c.\(identity.configuration)" }

  private var address: String { identity.address(controller) }

  /// What the controller says of its bus; nil when it has gone.
  var controllerState: String? {
    do {
      let text = try String(contentsOfFile: "\(Self.controllers)/\(controller)/state", encoding: .utf8)
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    } catch { return nil }
  }

  static func allControllers() -> [String] { names(in: controllers).sorted() }

  /// Makes something on the controller that was named, or on the first that nobody uses.
  static func onController<Made>(
    _ name: String?, address: String, _ make: (String) async throws(TransportError) -> Made
  ) async throws(TransportError) -> Made {
    let known = allControllers()
    var problem = TransportError.notFound(address: address)
    for controller in name.map({ [$0] }) ?? known where known.contains(controller) {
      do throws(TransportError) { return try await make(controller) } catch {
        guard case .addressInUse = error else { throw error }
        if case .notFound = problem { problem = error }
      }
    }
    throw problem
  }

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
    guard lock >= 0 else {
      throw TransportError(number: errno, operation: "lock \(Self.state)/\(name).lock", address: address)
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      Glibc.close(lock)
      throw .addressInUse(address: address)
    }
    remove()
  }

  /// Makes the gadget, without functions yet.
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
    // Head units have power of their own, and a phone says so too (USB.md#phone-ids; high).
    try write("0xc0", "\(configuration)/bmAttributes")
  }

  /// Adds a function whose descriptors are to come. Interfaces are numbered in the order of these calls.
  ///
  /// - Returns: where its files are.
  func addFunction(_ index: Int) throws(TransportError) -> String {
    let (instance, folder) = (instance(index), functionFolder(index))
    try add("\(Self.functionKind)\(instance)")
    try makeFolder(folder)
    try check(unsafe mount(instance, folder, "functionfs", 0, nil), folder)
    return folder
  }

  /// Adds CarPlay's network, CDC-NCM; a kernel without that function goes without it.
  func addNetwork() throws(TransportError) {
    do throws(TransportError) { try add(Self.network) } catch {
      // What configfs says of a kind of function that it does not know.
      guard case .notFound = error else { throw error }
    }
  }

  /// The name of the network's interface on this side, once it is attached.
  var networkInterface: String? {
    guard let data = FileManager.default.contents(atPath: "\(gadget)/functions/\(Self.network)/ifname") else {
      return nil
    }
    let name = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return name.isEmpty ? nil : name
  }

  private func add(_ function: String) throws(TransportError) {
    try makeFolder("\(gadget)/functions/\(function)")
    try check(unsafe symlink("\(gadget)/functions/\(function)", "\(configuration)/\(function)"), configuration)
  }

  /// Shows the gadget to the host.
  func attach() throws(TransportError) {
    do throws(TransportError) { try write(controller, "\(gadget)/UDC") } catch {
      // The kernel says busy, too, when the functions ask for more than the controller has.
      guard case .addressInUse = error, Self.user(of: controller) == nil else { throw error }
      throw .system(
        number: 0,
        operation: "\(address): the controller refuses this gadget; it may have too few endpoints: "
          + "offer fewer native protocols (two endpoints each), or take another controller (iap2 devices)")
    }
  }

  /// The gadget that has a controller now, ours or somebody's; nil where none has it.
  static func user(of controller: String) -> String? {
    names(in: gadgets).first { gadget in
      let text = FileManager.default.contents(atPath: "\(gadgets)/\(gadget)/UDC").map {
        String(decoding: $0, as: UTF8.self)
      }
      return text?.trimmingCharacters(in: .whitespacesAndNewlines) == controller
    }
  }

  func detach() {
    // What is not attached cannot be detached, and that is as good.
    do { try write("\n", "\(gadget)/UDC") } catch {}
  }

  /// Removes all of it, as much of it as there is, and in the one order that configfs takes. An earlier gadget may have
  /// been of the other role, or had other functions.
  func remove() {
    detach()
    let configurations = Self.names(in: "\(gadget)/configs").map { "\(gadget)/configs/\($0)" }
    for configuration in configurations {
      for link in Self.names(in: configuration) where link.contains(".") { unsafe unlink("\(configuration)/\(link)") }
    }
    let functions = Self.names(in: "\(gadget)/functions")
    let instances = functions.filter { $0.hasPrefix(Self.functionKind) }.map { $0.dropFirst(Self.functionKind.count) }
    for instance in Set(instances).union([name[...]]) {
      let folder = "\(Self.state)/\(instance)"
      unsafe umount2(folder, Int32(MNT_DETACH))
      unsafe rmdir(folder)
    }
    for folder in configurations + functions.map({ "\(gadget)/functions/\($0)" })
      + ["\(gadget)/strings/0x409", gadget]
    {
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
