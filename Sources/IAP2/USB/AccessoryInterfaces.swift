// swift-iap2 · Apache-2.0

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

  /// Carries one EA protocol while its alternate setting with endpoints is selected.
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
    native = configuration.interfaces.compactMap { candidate in
      guard candidate.use == .nativeExternalAccessory, let bulk = candidate.bulkPair else { return nil }
      return Native(
        interface: candidate.number, alternateSetting: candidate.alternateSetting, nameIndex: candidate.nameIndex,
        bulk: bulk)
    }
  }
}

extension USBInterface {
  /// Its first bulk endpoint each way, if both are there and can carry bytes.
  package var bulkPair: USBBulkPair? {
    let bulk = endpoints.filter { $0.kind == .bulk && $0.maximumPacketByteCount > 0 && $0.address & 0x0F != 0 }
    guard let toHost = bulk.first(where: \.isToHost), let toDevice = bulk.first(where: { !$0.isToHost }) else {
      return nil
    }
    return USBBulkPair(toHost: toHost, toDevice: toDevice)
  }
}
