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
    /// The milliseconds between a collision of names and the next attempt, at random.
    ///
    /// Two machines that take a name at the same time compare their records, and the one with the greater records keeps
    /// the name. Avahi 0.8 compares SRV and TXT one by one: when each machine has one of the greater ones, both lose.
    /// Two `avahi-publish` that take new names at once then collide in lock step, seen up to "#13" in 11 s. A probe
    /// takes 0.75 s, so most attempts at random times do not meet.
    private static let collisionPause = 500...2_500
    /// The longest pause before a service that did not answer is asked again, in seconds. Avahi asks for 5 s.
    private static let maximumResolverPause = 10
    /// The time until a service that was found is resolved once more.
    ///
    /// While the record of an earlier owner of the name is in its cache, a resolver of Avahi 0.8 may report the new port
    /// with the old owner's address, and stays with it. The record is flushed after 1 s (RFC 6762, 10.2).
    private static let confirmationPause = Duration.milliseconds(1_500)

    private struct Group {
      var service: AdvertisedService
      /// Whether the name has collided once. Both machines may have lost it, so it is tried again.
      var isTriedAgain = false
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
    private struct Resolution {
      var id: FoundService.ID
      /// The resolver; nil in the pause after one that found nothing.
      var resolver: String?
      var failures = 0
      /// Whether the service was reported as found.
      var isFound = false
      /// The host and the port that were found last.
      var place: (host: String, port: UInt16)?
    }
    private var resolutions: [Item: Resolution] = [:]
    /// The items by the paths of their resolvers.
    private var resolvers: [String: Item] = [:]
    /// The items that wait, because there are too many.
    private var waiting: [Item] = []

    private enum Attempt: Hashable {
      case register(group: String)
      case resolve(Item)
    }
    /// The times of the next attempts.
    private var attempts: [Attempt: ContinuousClock.Instant] = [:]

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

    private mutating func register(_ bus: SystemBus) throws(BusFailure) {
      for path in groups.keys.sorted() { try register(path, bus) }
    }

    /// Adds a service to its group. A daemon that still looks for its host name refuses, and reports later that it runs.
    private mutating func register(_ path: String, _ bus: SystemBus) throws(BusFailure) {
      attempts[.register(group: path)] = nil
      do throws(BusFailure) { try publish(path, bus) } catch {
        guard error.name == "\(Self.daemon).BadStateError" else { throw error }
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

    /// The time of the next attempt.
    var nextAttempt: ContinuousClock.Instant? { attempts.values.min() }

    /// Makes the attempts whose time has come.
    mutating func retry(at now: ContinuousClock.Instant, _ bus: SystemBus) -> [DirectoryEvent] {
      attempts.filter { $0.value <= now }.keys.flatMap { attempt in
        attempts[attempt] = nil
        return events { (requests) throws(BusFailure) in
          switch attempt {
          case .register(let group): try requests.register(group, bus)
          case .resolve(let item): try requests.resolve(item, bus)
          }
          return []
        }
      }
    }

    /// Takes a signal of the daemon.
    mutating func take(_ signal: BusMessage, _ bus: SystemBus) -> [DirectoryEvent] {
      events { (requests) throws(BusFailure) in try requests.take(signal, on: bus) }
    }

    private mutating func take(_ signal: BusMessage, on bus: SystemBus) throws(BusFailure) -> [DirectoryEvent] {
      switch (signal.interface, signal.member) {
      case (Self.serverInterface, "StateChanged") where signal.arguments.first?.number == 2: try register(bus)
      case ("\(Self.daemon).EntryGroup", "StateChanged"): return try take(state: signal, bus)
      case ("\(Self.daemon).ServiceBrowser", "ItemNew"): return try resolve(signal, bus)
      case ("\(Self.daemon).ServiceBrowser", "ItemRemove"): return try remove(signal, bus)
      case ("\(Self.daemon).ServiceResolver", "Found"): return service(signal)
      case ("\(Self.daemon).ServiceResolver", "Failure"): return try fail(signal, bus)
      default: break
      }
      return []
    }

    /// Does something with the bus, and returns its events or its failure.
    private mutating func events(
      _ work: (inout Self) throws(BusFailure) -> [DirectoryEvent]
    ) -> [DirectoryEvent] {
      do throws(BusFailure) { return try work(&self) } catch {
        // The end of the daemon is reported by the bus.
        let problem = DirectoryProblem(error)
        return problem == .noDaemon || error.name == "\(Self.daemon).InvalidObjectError" ? [] : [.failed(problem)]
      }
    }

    private mutating func take(state signal: BusMessage, _ bus: SystemBus) throws(BusFailure) -> [DirectoryEvent] {
      guard let group = groups[signal.path] else { return [] }
      switch signal.arguments.first?.number {
      case 2:
        groups[signal.path]?.isTriedAgain = false
        return [.advertised(group.service.service, name: group.service.name, port: group.service.port)]
      case 3:
        // Another machine has the name, or wants it.
        if group.isTriedAgain {
          guard try rename(signal.path, bus) else {
            return [.failed(.failed("every name like \(group.service.name) is in use"))]
          }
        }
        groups[signal.path]?.isTriedAgain = !group.isTriedAgain
        attempts[.register(group: signal.path)] = .now + .milliseconds(Int.random(in: Self.collisionPause))
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
      guard let item = item(signal), resolutions[item] == nil else { return [] }
      guard resolutions.count < Self.maximumResolvers else {
        guard waiting.count < Self.maximumWaiting else { return [] }
        waiting.append(item)
        return waiting.count == 1 ? [.crowded(limit: Self.maximumResolvers)] : []
      }
      try resolve(item, bus)
      return []
    }

    private mutating func resolve(_ item: Item, _ bus: SystemBus) throws(BusFailure) {
      if let last = resolutions[item]?.resolver { try free(resolver: last, bus) }
      let arguments: [BusArgument] = [
        .int32(item.interface), .int32(item.family), .text(item.name), .text(item.service.rawValue), .text("local"),
        .int32(item.family), .uint32(0),
      ]
      let path = try create("ServiceResolverNew", bus, arguments)
      let id = FoundService.ID(
        item.service, name: item.name, interface: Self.name(of: item.interface), isIPv6: item.family == Self.ipv6)
      resolutions[item, default: Resolution(id: id)].resolver = path
      resolvers[path] = item
    }

    private mutating func remove(_ signal: BusMessage, _ bus: SystemBus) throws(BusFailure) -> [DirectoryEvent] {
      guard let item = item(signal) else { return [] }
      waiting.removeAll { $0 == item }
      attempts[.resolve(item)] = nil
      guard let resolution = resolutions.removeValue(forKey: item) else { return [] }
      if let resolver = resolution.resolver { try free(resolver: resolver, bus) }
      if !waiting.isEmpty { try resolve(waiting.removeFirst(), bus) }
      return resolution.isFound ? [.changed(.lost(resolution.id))] : []
    }

    private mutating func free(resolver: String, _ bus: SystemBus) throws(BusFailure) {
      resolvers[resolver] = nil
      try bus.call("Free", of: Self.daemon + ".ServiceResolver", at: resolver, to: Self.daemon)
    }

    /// Takes the end of a resolver that got no answer. Avahi's browser does not name an item again that it has: the
    /// machine may be slow, or back behind a record that it left. So it is asked again.
    private mutating func fail(_ signal: BusMessage, _ bus: SystemBus) throws(BusFailure) -> [DirectoryEvent] {
      guard let item = resolvers[signal.path], var resolution = resolutions[item] else { return [] }
      let wasFound = resolution.isFound
      resolution.failures += 1
      (resolution.resolver, resolution.isFound) = (nil, false)
      resolutions[item] = resolution
      attempts[.resolve(item)] = .now + .seconds(min(resolution.failures, Self.maximumResolverPause))
      try free(resolver: signal.path, bus)
      return wasFound ? [.changed(.lost(resolution.id))] : []
    }

    /// Returns the service of a resolver's signal: interface, family, name, type, domain, host, the family of the
    /// address, the address, the port, the TXT record and flags.
    private mutating func service(_ signal: BusMessage) -> [DirectoryEvent] {
      let arguments = signal.arguments
      guard let item = resolvers[signal.path], var resolution = resolutions[item], arguments.count >= 10,
        let host = arguments[5].text, let address = arguments[7].text, let port = arguments[8].number
      else { return [] }
      let id = resolution.id
      let strings = arguments[9].list.map { $0.list.compactMap { $0.number.map { UInt8(truncatingIfNeeded: $0) } } }
      let isLocal = address.lowercased().hasPrefix("fe80:")
      let place = (host: host, port: UInt16(truncatingIfNeeded: port))
      let isSame = resolution.place.map { $0 == place } ?? false
      (resolution.isFound, resolution.failures, resolution.place) = (true, 0, place)
      resolutions[item] = resolution
      if !isSame { attempts[.resolve(item)] = .now + Self.confirmationPause }
      let service = FoundService(
        id, host: host, address: address.isEmpty ? nil : isLocal ? "\(address)%\(id.interface)" : address,
        // Avahi gives the strings of a packet in reverse (seen with 0.8, and a packet that had one key three times).
        port: place.port, text: TextRecord(strings: strings.reversed()))
      return [.changed(.found(service))]
    }

    /// Forgets everything that was found.
    mutating func lose() -> [DirectoryEvent] {
      defer { forget() }
      return resolutions.values.filter(\.isFound).map(\.id).sorted { $0.name < $1.name }.map { .changed(.lost($0)) }
    }

    private mutating func forget() {
      (groups, browsers, resolvers, resolutions, waiting, attempts) = ([:], [:], [:], [:], [], [:])
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
