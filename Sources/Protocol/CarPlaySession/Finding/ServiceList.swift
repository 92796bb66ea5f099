// swift-iap2 · Apache-2.0

/// The services of one kind that are on the network now, in the order in which their names were found.
struct ServiceList: Sendable {
  /// The services of one name: one for each interface and family of addresses.
  struct Named: Sendable {
    var name: String
    var services: [FoundService]

    /// The services with an address that is tried, the best first.
    var usable: [FoundService] {
      let rated = services.compactMap { service in service.preference.map { (service, $0) } }
      return rated.sorted { $0.1 < $1.1 }.map(\.0)
    }
  }

  /// The most services that are kept. A hostile network may have any number. Avahi gives a program 1024 objects.
  static let maximumCount = 1000

  private(set) var names: [Named] = []

  /// What a change was.
  enum Effect: Sendable { case none, changed, new, moved, gone }

  /// Takes a change.
  ///
  /// - Returns: `new` for a name that was not there, `moved` for one whose address or port is another one now, `gone`
  ///   for the last service of a name.
  mutating func take(_ change: ServiceChange) -> Effect {
    switch change {
    case .found(let service):
      guard let index = names.firstIndex(where: { $0.name == service.id.name }) else {
        guard count < Self.maximumCount else { return .none }
        names.append(Named(name: service.id.name, services: [service]))
        return .new
      }
      guard let place = names[index].services.firstIndex(where: { $0.id == service.id }) else {
        guard count < Self.maximumCount else { return .none }
        names[index].services.append(service)
        return .changed
      }
      let old = names[index].services[place]
      guard old != service else { return .none }
      names[index].services[place] = service
      return old.port == service.port && old.address == service.address ? .changed : .moved
    case .lost(let id):
      guard let index = names.firstIndex(where: { $0.name == id.name }),
        let place = names[index].services.firstIndex(where: { $0.id == id })
      else { return .none }
      names[index].services.remove(at: place)
      guard names[index].services.isEmpty else { return .changed }
      names.remove(at: index)
      return .gone
    }
  }

  private var count: Int { names.reduce(0) { $0 + $1.services.count } }
}
