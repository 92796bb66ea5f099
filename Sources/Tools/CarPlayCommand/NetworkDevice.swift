// swift-iap2 · Apache-2.0

import Basics
import Bonjour
import CarPlaySession
package import CommandSupport
import Cryptography
import IAP2Capture
import Synchronization

/// A head unit or a phone on the network, for JSON and for a terminal. All texts come from others.
package struct NetworkDevice: Encodable {
  var role: String
  var name: String
  var service: String
  var interface: String
  var host: String
  var address: String?
  var port: Int
  /// The address of the head unit, or the phone's Bluetooth address.
  var deviceID: String?
  var model: String?
  var sourceVersion: String?
  var features: String?
  var pairingID: String?
  var publicKey: String?
  /// What is wrong with it.
  var problems: [String]?
  /// The command for the other side.
  var command: String?

  /// Looks for head units and phones.
  package static func all(seconds: Double) async throws(CommandFailure) -> [NetworkDevice] {
    let found = Found()
    let directory: AvahiDirectory
    do throws(DirectoryProblem) {
      directory = try AvahiDirectory(searching: [.airPlay, .control]) { found.take($0) }
    } catch { throw error.failure }
    do { try await Task.sleep(for: .seconds(seconds)) } catch {}
    await directory.close()
    var devices = found.services.map { NetworkDevice($0) }
    let owners = Dictionary(grouping: devices) { [$0.role, $0.deviceID] }
    for index in devices.indices where devices[index].deviceID != nil {
      let (device, name) = (devices[index], devices[index].name)
      guard let other = owners[[device.role, device.deviceID]]?.first(where: { $0.name != name }) else { continue }
      devices[index].problems = (device.problems ?? []) + ["its address is that of \(other.name), too"]
    }
    return devices
  }

  private final class Found: Sendable {
    private let list = Mutex<[FoundService.ID: FoundService]>([:])

    func take(_ event: DirectoryEvent) {
      switch event {
      case .changed(.found(let service)): list.withLock { $0[service.id] = service }
      case .changed(.lost(let id)): list.withLock { $0[id] = nil }
      case .failed(let problem): Output.note(problem.explanation)
      case .crowded(let limit): Output.note(HeadUnitDiscovery.crowded(limit))
      case .advertised, .daemonGone, .daemonBack: break
      }
    }

    var services: [FoundService] {
      list.withLock { Array($0.values) }.sorted {
        ($0.id.service.rawValue, $0.id.name, $0.preference ?? .max, $0.id.interface, $0.address ?? "")
          < ($1.id.service.rawValue, $1.id.name, $1.preference ?? .max, $1.id.interface, $1.address ?? "")
      }
    }
  }

  init(_ found: FoundService) {
    (name, service, interface) = (found.id.name, found.id.service.rawValue, found.id.interface)
    (host, address, port) = (found.host, found.address, Int(found.port))
    var problems = found.recordProblems.map(\.description)
    switch found.id.service {
    case .airPlay:
      let record = HeadUnitRecord(found.text)
      role = "headUnit"
      (deviceID, model) = (record.deviceID.map { "\($0)" }, record.model)
      (sourceVersion, pairingID) = (record.sourceVersion, record.pairingID)
      features = found.text["features"]
      publicKey = record.publicKey.map { Hex.text($0) }
      if let endpoint = found.endpoint { command = "carplay phone --connect \(endpoint)" }
    case .control:
      let record = PhoneRecord(found.text)
      role = "phone"
      (deviceID, sourceVersion) = (record.bluetoothID.map { "\($0)" }, record.sourceVersion)
      if let deviceID { command = "carplay headunit --announce NAME --call \(deviceID)" }
    }
    if found.port == 0 { problems.append("the port is 0") }
    if let problem = found.addressProblem { problems.append(problem) }
    if found.preference == nil { command = nil }
    self.problems = problems.isEmpty ? nil : problems
  }

  /// The line for a terminal.
  package var text: String {
    let place = address.map { ($0.contains(":") ? "[\($0)]" : $0) + ":\(port)" } ?? "no address"
    let words = [role == "headUnit" ? "head unit" : "phone", name, interface, place, deviceID, model, sourceVersion]
    let line = words.compactMap { $0?.printable } + [command.map { Color.green($0.printable) }].compactMap { $0 }
    return (line + (problems ?? []).map(\.printable)).joined(separator: "  ")
  }
}
