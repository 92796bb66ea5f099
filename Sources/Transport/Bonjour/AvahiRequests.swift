// swift-iap2 · Apache-2.0

import CarPlaySession

#if Bluetooth
  import DBus
  import Glibc

  /// What one program has asked of Avahi: entry groups, browsers and resolvers, by their object paths.
  ///
  /// Only the thread of the bus uses it.
  struct AvahiRequests {
    static let daemon = "org.freedesktop.Avahi"
    private static let serverInterface = daemon + ".Server"
    /// Any interface, or any family of addresses.
    private static let any: Int32 = -1
    private static let ipv4: Int32 = 0, ipv6: Int32 = 1
    /// The most names that are tried for one service, when others have them.
    private static let maximumRenames = 50
    /// The most services that are resolved at once. A hostile network may have any number; Avahi gives a program 1024
    /// objects.
    private static let maximumResolvers = 1000
    /// The most services that wait for a place among those.
    private static let maximumWaiting = 10_000
    /// The time for an answer at the end, when nobody needs it.
    private static let endTimeoutMilliseconds: Int32 = 500

    private struct Group {
      var service: AdvertisedService
      var renames = 0
    }

    private let advertised: [AdvertisedService]
    private let searched: [CarPlayService]
    private var groups: [String: Group] = [:]
    private var browsers: [String: CarPlayService] = [:]
    /// What tells one item of a browser from another. The number of the interface outlives its name.
    private struct Item: Hashable {
      var service: CarPlayService
      var name: String
      var interface: Int32
      var family: Int32
    }
    private var resolvers: [String: FoundService.ID] = [:]
    private var paths: [Item: String] = [:]
    /// The items that wait, because there are too many.
    private var waiting: [Item] = []
    /// Those that were reported as found.
    private var found: Set<FoundService.ID> = []

    init(advertised: [AdvertisedService], searched: [CarPlayService]) {
      (self.advertised, self.searched) = (advertised, searched)
    }

    /// Registers everything with a daemon that runs.
    mutating func begin(_ bus: SystemBus) throws(BusFailure) -> [DirectoryEvent] {
      forget()
      // Asking for the version also shows whether the daemon is there.
      try bus.call("GetVersionString", of: Self.serverInterface, at: "/", to: Self.daemon)
      do throws(BusFailure) { try create(bus) } catch {
        // What was made would be in the way of the next attempt.
        end(bus)
        throw error
      }
      return []
    }

    private mutating func create(_ bus: SystemBus) throws(BusFailure) {
      for service in advertised {
        let path = try create("EntryGroupNew", bus, [])
        groups[path] = Group(service: service)
      }
      try register(bus)
      for kind in searched {
        let arguments: [BusArgument] = [
          .int32(Self.any), .int32(Self.any), .text(kind.rawValue), .text("local"), .uint32(0),
        ]
        browsers[try create("ServiceBrowserNew", bus, arguments)] = kind
      }
    }

    /// Adds the services to their groups. A daemon that still looks for its host name refuses, and reports later that
    /// it runs.
    private mutating func register(_ bus: SystemBus) throws(BusFailure) {
      for path in groups.keys.sorted() {
        do throws(BusFailure) { try publish(path, bus) } catch {
          guard error.name == "\(Self.daemon).BadStateError" else { throw error }
        }
      }
    }

    private func create(_ member: String, _ bus: SystemBus, _ arguments: [BusArgument]) throws(BusFailure) -> String {
      let answer = try bus.call(member, of: Self.serverInterface, at: "/", to: Self.daemon, arguments)
      guard let path = answer.first?.text else {
        throw BusFailure(name: "\(member)", text: "the answer has no object")
      }
      return path
    }

    private mutating func publish(_ path: String, _ bus: SystemBus) throws(BusFailure) {
      let interface = Self.daemon + ".EntryGroup"
      try bus.call("Reset", of: interface, at: path, to: Self.daemon)
      while let group = groups[path] {
        let arguments: [BusArgument] = [
          .int32(Self.any), .int32(Self.any), .uint32(0), .text(group.service.name),
          .text(group.service.service.rawValue), .text(""), .text(""), .uint16(group.service.port),
          .strings(group.service.text.strings),
        ]
        do throws(BusFailure) {
          try bus.call("AddService", of: interface, at: path, to: Self.daemon, arguments)
          break
        } catch {
          // Another program on this machine has the name.
          guard error.name == "\(Self.daemon).CollisionError", try rename(path, bus) else { throw error }
        }
      }
      try bus.call("Commit", of: interface, at: path, to: Self.daemon)
    }

    /// Takes the next name, such as `Car #2`.
    private mutating func rename(_ path: String, _ bus: SystemBus) throws(BusFailure) -> Bool {
      guard var group = groups[path], group.renames < Self.maximumRenames else { return false }
      let answer = try bus.call(
        "GetAlternativeServiceName", of: Self.serverInterface, at: "/", to: Self.daemon, [.text(group.service.name)])
      guard let name = answer.first?.text else { return false }
      group.service.name = name
      group.renames += 1
      groups[path] = group
      return true
    }

    /// Takes a signal of the daemon.
    mutating func take(_ signal: BusMessage, _ bus: SystemBus) -> [DirectoryEvent] {
      do throws(BusFailure) {
        switch (signal.interface, signal.member) {
        case (Self.serverInterface, "StateChanged") where signal.arguments.first?.number == 2: try register(bus)
        case ("\(Self.daemon).EntryGroup", "StateChanged"): return try take(state: signal, bus)
        case ("\(Self.daemon).ServiceBrowser", "ItemNew"): return try resolve(signal, bus)
        case ("\(Self.daemon).ServiceBrowser", "ItemRemove"): return try remove(signal, bus)
        case ("\(Self.daemon).ServiceResolver", "Found"): return service(signal)
        case ("\(Self.daemon).ServiceResolver", "Failure"):
          // The records are gone while the browser may still know the name.
          guard let id = resolvers[signal.path], found.remove(id) != nil else { return [] }
          return [.changed(.lost(id))]
        default: break
        }
        return []
      } catch {
        // The end of the daemon is reported by the bus.
        let problem = DirectoryProblem(error)
        return problem == .noDaemon || error.name == "\(Self.daemon).InvalidObjectError" ? [] : [.failed(problem)]
      }
    }

    private mutating func take(state signal: BusMessage, _ bus: SystemBus) throws(BusFailure) -> [DirectoryEvent] {
      guard let group = groups[signal.path] else { return [] }
      switch signal.arguments.first?.number {
      case 2:
        return [.advertised(group.service.service, name: group.service.name, port: group.service.port)]
      case 3:
        // Another machine has the name.
        guard try rename(signal.path, bus) else {
          return [.failed(.failed("every name like \(group.service.name) is in use"))]
        }
        try publish(signal.path, bus)
        return []
      case 4: return [.failed(.failed(signal.arguments.dropFirst().first?.text ?? ""))]
      default: return []
      }
    }

    /// The item in a browser's signal: interface, family, name and type.
    private func item(_ signal: BusMessage) -> Item? {
      let arguments = signal.arguments
      guard let kind = browsers[signal.path], arguments.count >= 3, let interface = arguments[0].number,
        let family = arguments[1].number, let name = arguments[2].text
      else { return nil }
      return Item(
        service: kind, name: name, interface: Int32(truncatingIfNeeded: interface),
        family: Int32(truncatingIfNeeded: family))
    }

    private static func name(of interface: Int32) -> String {
      var text = [CChar](repeating: 0, count: Int(IF_NAMESIZE) + 1)
      guard interface > 0, unsafe if_indextoname(UInt32(interface), &text) != nil else { return "\(interface)" }
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private mutating func resolve(_ signal: BusMessage, _ bus: SystemBus) throws(BusFailure) -> [DirectoryEvent] {
      guard let item = item(signal), paths[item] == nil else { return [] }
      guard paths.count < Self.maximumResolvers else {
        guard waiting.count < Self.maximumWaiting else { return [] }
        waiting.append(item)
        return waiting.count == 1 ? [.crowded(limit: Self.maximumResolvers)] : []
      }
      try resolve(item, bus)
      return []
    }

    private mutating func resolve(_ item: Item, _ bus: SystemBus) throws(BusFailure) {
      let arguments: [BusArgument] = [
        .int32(item.interface), .int32(item.family), .text(item.name), .text(item.service.rawValue), .text("local"),
        .int32(item.family), .uint32(0),
      ]
      let path = try create("ServiceResolverNew", bus, arguments)
      paths[item] = path
      resolvers[path] = FoundService.ID(
        item.service, name: item.name, interface: Self.name(of: item.interface), isIPv6: item.family == Self.ipv6)
    }

    private mutating func remove(_ signal: BusMessage, _ bus: SystemBus) throws(BusFailure) -> [DirectoryEvent] {
      guard let item = item(signal) else { return [] }
      waiting.removeAll { $0 == item }
      guard let path = paths.removeValue(forKey: item), let id = resolvers.removeValue(forKey: path) else { return [] }
      let wasFound = found.remove(id) != nil
      try bus.call("Free", of: Self.daemon + ".ServiceResolver", at: path, to: Self.daemon)
      if !waiting.isEmpty { try resolve(waiting.removeFirst(), bus) }
      return wasFound ? [.changed(.lost(id))] : []
    }

    /// Returns the service of a resolver's signal: interface, family, name, type, domain, host, the family of the
    /// address, the address, the port, the TXT record and flags.
    private mutating func service(_ signal: BusMessage) -> [DirectoryEvent] {
      let arguments = signal.arguments
      guard let id = resolvers[signal.path], arguments.count >= 10, let host = arguments[5].text,
        let address = arguments[7].text, let port = arguments[8].number
      else { return [] }
      let strings = arguments[9].list.map { $0.list.compactMap { $0.number.map { UInt8(truncatingIfNeeded: $0) } } }
      let isLocal = address.lowercased().hasPrefix("fe80:")
      found.insert(id)
      let service = FoundService(
        id, host: host, address: address.isEmpty ? nil : isLocal ? "\(address)%\(id.interface)" : address,
        port: UInt16(truncatingIfNeeded: port), text: TextRecord(strings: strings))
      return [.changed(.found(service))]
    }

    /// Forgets everything that was found.
    mutating func lose() -> [DirectoryEvent] {
      defer { forget() }
      return found.sorted { $0.name < $1.name }.map { .changed(.lost($0)) }
    }

    private mutating func forget() {
      (groups, browsers, resolvers, paths, waiting, found) = ([:], [:], [:], [:], [], [])
    }

    /// Withdraws everything: a goodbye goes out.
    func end(_ bus: SystemBus) {
      let objects =
        groups.keys.map { ($0, "EntryGroup") } + browsers.keys.map { ($0, "ServiceBrowser") }
        + resolvers.keys.map { ($0, "ServiceResolver") }
      for (path, kind) in objects {
        // Avahi frees what is left when the connection to the bus closes.
        do throws(BusFailure) {
          try bus.call(
            "Free", of: "\(Self.daemon).\(kind)", at: path, to: Self.daemon,
            timeoutMilliseconds: Self.endTimeoutMilliseconds)
        } catch {
          // One that Avahi does not know any more hinders no other one.
          guard error.name == "\(Self.daemon).InvalidObjectError" else { return }
        }
      }
    }
  }
#endif
