// swift-iap2 · Apache-2.0

import IAP2

/// A pair of bulk endpoints, one in each direction.
package struct USBBulkPair: Sendable, Equatable {
  /// The endpoint from the device to the host.
  package var toHost: USBEndpoint
  /// The endpoint from the host to the device.
  package var toDevice: USBEndpoint
}

/// The interfaces of an accessory's active configuration that carry iAP2 when the accessory is the USB device.
package struct AccessoryInterfaces: Sendable, Equatable {
  /// The interface that carries the link.
  package struct Link: Sendable, Equatable {
    /// The number of the interface.
    package var interface: UInt8
    /// The alternate setting with the endpoints.
    package var alternateSetting: UInt8
    /// The string index of the name, usually `iAP Interface`. Real accessories without a name are known (0329:2022), so
    /// the name decides nothing.
    package var nameIndex: UInt8
    /// The endpoints of the link.
    package var bulk: USBBulkPair
  }

  /// An interface that carries one EA protocol while its alternate setting with endpoints is selected. That is setting
  /// 1, next to an empty setting 0, on the accessory whose descriptors are public
  /// (ExternalAccessory.md#native-interface; high). Gadgets on a kernel that supports only one setting have their
  /// endpoints in setting 0.
  package struct Native: Sendable, Equatable {
    /// The number of the interface.
    package var interface: UInt8
    /// The alternate setting with the endpoints.
    package var alternateSetting: UInt8
    /// The string index of the protocol's name.
    package var nameIndex: UInt8
    /// The endpoints of the protocol.
    package var bulk: USBBulkPair
  }

  /// The reason why a configuration carries no link.
  package enum Problem: Error, Sendable, Equatable {
    /// No interface has class FF, subclass F0 and protocol 00.
    case notFound
    /// The interface has no bulk endpoint in one direction, or its endpoints cannot carry bytes.
    case noBulkPair(interface: UInt8)
  }

  /// The interface of the link.
  package var link: Link
  /// The interfaces of EA protocols, in the order of the configuration.
  package var native: [Native]
  /// The numbers of the interfaces for an EA protocol that have no bulk endpoint in one direction in any setting. They
  /// cannot carry bytes.
  package var unusableNative: [UInt8]
  /// The number of the control interface of a network function (CDC-NCM), which carries CarPlay (USB.md#ncm-interfaces;
  /// high); nil if there is none.
  package var network: UInt8?

  /// Finds the interfaces in a configuration; throws if it has no usable link.
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
      // One setting of each interface counts, and endpoints of the link belong to no other interface.
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

  /// Returns the interface of `native` that carries a protocol: the one with the protocol's name. If no interface has
  /// that name, the interfaces that are not named after another protocol are matched by order with the protocols that
  /// have no interface of their name.
  ///
  /// The match by name is proven (ExternalAccessory.md#native-interface; a dump, TCC). Unverified: the match by order,
  /// for accessories without such names.
  ///
  /// - Parameters:
  ///   - name: The name of the protocol.
  ///   - protocols: The names of all native protocols, in the order of the identification.
  ///   - interfaceNames: The names of the interfaces in `native`, in its order; nil for an interface without a name.
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
  /// The first bulk endpoint in each direction; nil unless both exist and can carry bytes.
  package var bulkPair: USBBulkPair? {
    let bulk = endpoints.filter { $0.kind == .bulk && $0.isUsable }
    guard let toHost = bulk.first(where: \.isToHost), let toDevice = bulk.first(where: { !$0.isToHost }) else {
      return nil
    }
    return USBBulkPair(toHost: toHost, toDevice: toDevice)
  }
}
