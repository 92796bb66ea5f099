// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2Capture

/// A message of multicast DNS (RFC 6762), as far as it is about the services of CarPlay
/// (CarPlayStart.md#bonjour).
struct BonjourMessage: Sendable, Hashable {
  typealias Service = CarPlayService

  /// An instance of a service, as a message describes it.
  struct Instance: Sendable, Hashable {
    var service: Service
    /// The name before the service.
    var name: String
    var host: String?
    var port: UInt16?
    /// The strings of the TXT record, in their order.
    var text: [String]?
    /// Whether the instance goes: its lifetime is 0.
    var isGoodbye = false

    /// The values of the TXT record by their keys, in lowercase. The first of a key counts.
    var values: [String: String] {
      let pairs = (text ?? []).map { line in
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0].lowercased(), parts.count > 1 ? String(parts[1]) : "")
      }
      return Dictionary(pairs) { first, _ in first }
    }
  }

  /// The services that are asked for.
  private(set) var questions: [Service] = []
  private(set) var instances: [Instance] = []
  /// The addresses of hosts.
  private(set) var addresses: [String: [[UInt8]]] = [:]

  /// The UDP port.
  static let port: UInt16 = 5353
  /// The most records of a message. A datagram of 9000 bytes, the largest (RFC 6762), has room for fewer of 12 bytes.
  private static let maximumRecords = 750

  /// Reads a message; nil for bytes that are none, and for one about other services.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 12 else { return nil }
    var reader = Reader(bytes: bytes)
    let counts = stride(from: 4, to: 12, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
    guard counts.reduce(0, +) <= Self.maximumRecords else { return nil }
    for _ in 0..<counts[0] {
      guard let name = reader.name(), let type = reader.number(2), reader.number(2) != nil else { return nil }
      // A question of another type is about an instance, such as whether its name is free.
      if type == 12, let (service, _) = Self.service(name), !questions.contains(service) { questions.append(service) }
    }
    for _ in 0..<(counts[1] + counts[2] + counts[3]) {
      guard let name = reader.name(), let type = reader.number(2), reader.number(2) != nil,
        let lifetime = reader.number(4), let length = reader.number(2), reader.has(length)
      else { return nil }
      take(type, name, lifetime, reader, length)
      reader.skip(length)
    }
    // The records of a question are what its sender knows, or would like to be called.
    if bytes[2] & 0x80 == 0 { instances = [] }
    guard !questions.isEmpty || !instances.isEmpty else { return nil }
  }

  private mutating func take(_ type: Int, _ name: [String], _ lifetime: Int, _ place: Reader, _ length: Int) {
    var reader = place
    switch type {
    case 1, 28: addresses[name.joined(separator: "."), default: []].append(reader.bytes(length))
    // PTR: the service names an instance. A question may carry the answers that its sender knows.
    case 12:
      guard Self.service(name)?.instance == nil, let target = reader.name(), let found = Self.service(target),
        let instance = found.instance
      else { return }
      change(found.service, instance) { $0.isGoodbye = lifetime == 0 }
    case 16:
      guard case (let service, let instance?)? = Self.service(name) else { return }
      var texts: [String] = []
      var rest = reader.bytes(length)[...]
      while let count = rest.popFirst() {
        texts.append(String(decoding: rest.prefix(Int(count)), as: UTF8.self))
        rest = rest.dropFirst(Int(count))
      }
      change(service, instance) { $0.text = texts.filter { !$0.isEmpty } }
    case 33:
      guard case (let service, let instance?)? = Self.service(name), reader.number(4) != nil,
        let port = reader.number(2),
        let host = reader.name()
      else { return }
      change(service, instance) { ($0.port, $0.host) = (UInt16(port), host.joined(separator: ".")) }
    default: break
    }
  }

  private mutating func change(_ service: Service, _ name: String, _ change: (inout Instance) -> Void) {
    let index = instances.firstIndex { $0.service == service && $0.name == name } ?? instances.count
    if index == instances.count { instances.append(Instance(service: service, name: name)) }
    change(&instances[index])
  }

  /// Returns the service that a name ends with, and the instance before it.
  private static func service(_ labels: [String]) -> (service: Service, instance: String?)? {
    guard labels.count >= 3, labels.last?.lowercased() == "local" else { return nil }
    let words = labels.dropLast().suffix(2).joined(separator: ".").lowercased()
    guard let service = Service(rawValue: words) else { return nil }
    let before = labels.dropLast(3)
    return (service, before.isEmpty ? nil : before.joined(separator: "."))
  }
}

/// A reader of the fields of a message of DNS.
private struct Reader {
  let bytes: [UInt8]
  var offset = 12

  init(bytes: [UInt8]) { self.bytes = bytes }

  func has(_ count: Int) -> Bool { bytes.count - offset >= count }

  mutating func skip(_ count: Int) { offset += count }

  func bytes(_ count: Int) -> [UInt8] { Array(bytes[offset..<min(bytes.count, offset + count)]) }

  /// Returns a number of big-endian bytes; nil if they are not there.
  mutating func number(_ count: Int) -> Int? {
    guard has(count) else { return nil }
    defer { offset += count }
    return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The most labels of a name: each has at least two bytes, and a name 255 (RFC 1035).
  private static let maximumLabels = 127

  /// Returns the labels of a name; nil for one that is cut, too long, or that points forward.
  mutating func name() -> [String]? {
    var labels: [String] = []
    var place = offset
    var end: Int?
    while place < bytes.count, labels.count < Self.maximumLabels {
      let count = Int(bytes[place])
      switch count {
      case 0:
        offset = end ?? place + 1
        return labels
      case 0xC0...:
        guard place + 1 < bytes.count else { return nil }
        let target = (count & 0x3F) << 8 | Int(bytes[place + 1])
        // A name is compressed by an earlier one, so this ends.
        guard target < place else { return nil }
        end = end ?? place + 2
        place = target
      case ..<64:
        guard place + 1 + count <= bytes.count else { return nil }
        labels.append(String(decoding: bytes[place + 1..<place + 1 + count], as: UTF8.self))
        place += 1 + count
      default: return nil
      }
    }
    return nil
  }
}

extension BonjourMessage {
  /// The findings of the message, each with the side that sends such a message.
  ///
  /// The phone looks for the head unit's service and advertises its own; the head unit does the reverse.
  var findings: [(side: SessionSide, finding: SessionFinding)] {
    let asked = questions.map { service in
      (
        service == .airPlay ? SessionSide.phone : .headUnit,
        SessionFinding(.discovery, "asks for \(service.rawValue)", [.init(.service, .text(service.rawValue))])
      )
    }
    let told: [(side: SessionSide, finding: SessionFinding)] = instances.map { instance in
      (instance.service == .airPlay ? .headUnit : .phone, finding(instance))
    }
    return asked + told
  }

  private func finding(_ instance: Instance) -> SessionFinding {
    let service = instance.service.rawValue
    var words = "\(service): \(instance.isGoodbye ? "goodbye of " : "")\(instance.name.printable)"
    var entries: [FindingTree.Entry] = [.init("instance", .value(.text(instance.name)))]
    if let host = instance.host {
      words += " at \(host.printable)"
      entries.append(.init("host", .value(.text(host))))
    }
    if let port = instance.port {
      words += instance.host == nil ? " at port \(port)" : ":\(port)"
      entries.append(.init("port", .value(.integer(Int128(port)))))
    }
    let known = instance.host.flatMap { addresses[$0] } ?? []
    if !known.isEmpty {
      let texts = known.map { TCPEndpoints.address($0[...]) }
      entries.append(.init("addresses", .list(texts.map { .value(.text($0)) })))
    }
    if let text = instance.text {
      let values = text.map { line in
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return FindingTree.Entry(String(parts[0]), .value(.text(parts.count > 1 ? String(parts[1]) : "")))
      }
      entries.append(.init("txt", .group(values)))
    }
    return SessionFinding(
      .discovery, words, [.init(.service, .text(service))], body: entries.count > 1 ? .group(entries) : nil)
  }
}
