// swift-iap2 · Apache-2.0

import IAP2

/// A bulk endpoint each way.
package struct USBBulkPair: Sendable, Equatable {
  package var toHost: USBEndpoint
  package var toDevice: USBEndpoint
}

/// Where an accessory in device mode speaks iAP2: interfaces of its active configuration.
package struct AccessoryInterfaces: Sendable, Equatable {
  /// Carries the link.
  package struct Link: Sendable, Equatable {
    package var interface: UInt8
    package var alternateSetting: UInt8
    /// Of its name, usually `iAP Interface`; real accessories without one are known (0329:2022), so it decides nothing.
    package var nameIndex: UInt8
    package var bulk: USBBulkPair
  }

  /// Carries one EA protocol while its alternate setting with endpoints is selected: 1 on the accessory whose descriptors
  /// are public, beside an empty 0 (ExternalAccessory.md#native-interface; high). Gadgets whose kernel knows one
  /// setting only have their endpoints in 0.
  package struct Native: Sendable, Equatable {
    package var interface: UInt8
    package var alternateSetting: UInt8
    /// Of the protocol's name.
    package var nameIndex: UInt8
    package var bulk: USBBulkPair
  }

  package enum Problem: Error, Sendable, Equatable {
    /// No interface FF/F0/00.
    case notFound
    /// There is one, without one bulk endpoint each way, or with endpoints that can carry nothing.
    case noBulkPair(interface: UInt8)
  }

  package var link: Link
  package var native: [Native]
  /// Interfaces for an EA protocol without one bulk endpoint each way in any setting: nothing can go over them.
  package var unusableNative: [UInt8]
  /// The control interface of a network function (CDC-NCM), over which CarPlay goes (USB.md#ncm-interfaces; high).
  package var network: UInt8?

  package init(_ configuration: USBConfiguration) throws(Problem) {
    let candidates = configuration.interfaces.filter { $0.use == .link }
    guard let first = candidates.first else { throw .notFound }
    let links = candidates.compactMap { candidate in
      candidate.bulkPair.map {
        Link(
          interface: candidate.number, alternateSetting: candidate.alternateSetting, nameIndex: candidate.nameIndex,
          bulk: $0)
      }
    }
    guard let link = links.first else { throw .noBulkPair(interface: first.number) }
    self.link = link
    let candidatesBeside = configuration.interfaces.filter { $0.use == .nativeExternalAccessory }
    native = []
    for candidate in candidatesBeside {
      // One setting of each interface; the link's own endpoints are nobody else's.
      guard let bulk = candidate.bulkPair, !native.contains(where: { $0.interface == candidate.number }),
        candidate.number != link.interface, bulk.toHost.address != link.bulk.toHost.address,
        bulk.toDevice.address != link.bulk.toDevice.address
      else { continue }
      native.append(
        Native(
          interface: candidate.number, alternateSetting: candidate.alternateSetting, nameIndex: candidate.nameIndex,
          bulk: bulk))
    }
    let usable = Set(native.map(\.interface))
    unusableNative = Set(candidatesBeside.map(\.number)).subtracting(usable).sorted()
    network = configuration.interfaces.first { $0.use == .networkControl }?.number
  }

  /// Which of `native` carries a protocol: the one that has its name; else, of those that are not named after another
  /// protocol, the one in the same place as the protocol in the identification.
  ///
  /// The name is proven (a dump, TCC). Unverified: the order, for accessories that name none.
  ///
  /// - Parameter interfaceNames: of `native`, in its order; nil where there is none.
  package func native(
    of name: String, among protocols: [String], interfaceNames: [String?]
  ) -> Native? {
    if let index = interfaceNames.firstIndex(of: name), native.indices.contains(index) { return native[index] }
    let others = zip(native, interfaceNames).filter { !protocols.contains($0.1 ?? "") }.map(\.0)
    let nameless = protocols.filter { !interfaceNames.contains($0) }
    guard let place = nameless.firstIndex(of: name), others.indices.contains(place) else { return nil }
    return others[place]
  }
}

extension USBInterface {
  /// Its first bulk endpoint each way, if both are there and can carry bytes.
  package var bulkPair: USBBulkPair? {
    let bulk = endpoints.filter { $0.kind == .bulk && $0.isUsable }
    guard let toHost = bulk.first(where: \.isToHost), let toDevice = bulk.first(where: { !$0.isToHost }) else {
      return nil
    }
    return USBBulkPair(toHost: toHost, toDevice: toDevice)
  }
}
