// swift-iap2 · Apache-2.0

import Foundation
import IAP2Transport

/// This program's gadget in configfs, and the FunctionFS of each of its functions.
///
/// A process that was killed leaves its gadget behind, and the next process on the same controller removes it. A lock
/// on a file distinguishes a dead process from a running one.
struct GadgetTree {
  static let controllers = "/sys/class/udc"
  private static let gadgets = "/sys/kernel/config/usb_gadget"
  private static let state = "/run/iap2"

  let controller: String
  private let identity: GadgetIdentity
  private let name: String
  private let gadget: String
  private let lock: Int32

  /// Returns the folder with a function's files. The link has index 0; native protocols follow.
  private func functionFolder(_ index: Int) -> String { "\(Self.state)/\(instance(index))" }
  /// Returns the name of a FunctionFS instance, by which a mount finds its function.
  private func instance(_ index: Int) -> String { index == 0 ? name : "\(name).\(index)" }
  private static let functionKind = "ffs."
  private static let network = "ncm.carplay"
  private var configuration: String { "\(gadget)/configs/c.\(identity.configuration)" }

  private var address: String { identity.address(controller) }

  /// The controller's report of its bus state; nil if the controller was removed.
  var controllerState: String? {
    do {
      let text = try String(contentsOfFile: "\(Self.controllers)/\(controller)/state", encoding: .utf8)
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    } catch { return nil }
  }

  static func allControllers() -> [String] { names(in: controllers).sorted() }

  /// Calls `make` with the named controller, or with the first free one. Throws `notFound` if there is no such
  /// controller, and `addressInUse` if all are in use.
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

  /// Locks the controller for this process and removes the gadget that an earlier process left behind.
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

  /// Creates the gadget without functions.
  func make() throws(TransportError) {
    try makeFolder(gadget)
    try write("0x\(hex4(identity.ids.vendor))", "\(gadget)/idVendor")
    try write("0x\(hex4(identity.ids.product))", "\(gadget)/idProduct")
    try makeFolder("\(gadget)/strings/0x409")
    try write("swift-iap2", "\(gadget)/strings/0x409/manufacturer")
    try write(identity.productName, "\(gadget)/strings/0x409/product")
    // The serial number distinguishes several gadgets on one machine.
    try write(controller, "\(gadget)/strings/0x409/serialnumber")
    try makeFolder(configuration)
    // The gadget is self-powered, as head units are and as a phone declares itself (USB.md#phone-ids; high).
    try write("0xc0", "\(configuration)/bmAttributes")
  }

  /// Adds a function and mounts its FunctionFS. Its descriptors are written later. Interfaces are numbered in the order
  /// of these calls.
  ///
  /// - Returns: The folder with the function's files.
  func addFunction(_ index: Int) throws(TransportError) -> String {
    let (instance, folder) = (instance(index), functionFolder(index))
    try add("\(Self.functionKind)\(instance)")
    try makeFolder(folder)
    try check(unsafe mount(instance, folder, "functionfs", 0, nil), folder)
    return folder
  }

  /// Adds CarPlay's network, CDC-NCM. If the kernel lacks that function, the gadget has no network.
  func addNetwork() throws(TransportError) {
    do throws(TransportError) { try add(Self.network) } catch {
      // configfs reports this error for a kind of function that the kernel lacks.
      guard case .notFound = error else { throw error }
    }
  }

  /// The name of the network interface on this machine, once the gadget is attached; nil if there is none.
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

  /// Attaches the gadget to the bus, so that the host sees it.
  func attach() throws(TransportError) {
    do throws(TransportError) { try write(controller, "\(gadget)/UDC") } catch {
      // The kernel also reports that the controller is busy when the functions need more than the controller has.
      guard case .addressInUse = error, Self.user(of: controller) == nil else { throw error }
      throw .system(
        number: 0,
        operation: "\(address): the controller refuses this gadget; it may have too few endpoints: "
          + "offer fewer native protocols (two endpoints each), or take another controller (iap2 devices)")
    }
  }

  /// Returns the name of the gadget that uses a controller, of this program or another; nil if the controller is free.
  static func user(of controller: String) -> String? {
    names(in: gadgets).first { gadget in
      let text = FileManager.default.contents(atPath: "\(gadgets)/\(gadget)/UDC").map {
        String(decoding: $0, as: UTF8.self)
      }
      return text?.trimmingCharacters(in: .whitespacesAndNewlines) == controller
    }
  }

  func detach() {
    // The call fails for a gadget that is not attached, which is the wanted state.
    do { try write("\n", "\(gadget)/UDC") } catch {}
  }

  /// Removes the gadget as far as it exists, in the only order that configfs accepts. An earlier gadget may have had
  /// the other role or other functions.
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

  /// Releases the controller for other processes.
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
