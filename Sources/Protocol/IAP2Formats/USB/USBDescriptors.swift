// swift-iap2 · Apache-2.0

import IAP2

/// What a device says of itself in its first 18 bytes.
package struct USBDeviceDescriptor: Sendable, Equatable {
  package static let byteCount = 18

  package var vendor: UInt16
  package var product: UInt16
  package var configurationCount: UInt8

  package init(vendor: UInt16, product: UInt16, configurationCount: UInt8) {
    self.vendor = vendor
    self.product = product
    self.configurationCount = configurationCount
  }

  package init(reading bytes: RawSpan) throws(USBDescriptorError) {
    guard bytes.byteCount >= Self.byteCount else {
      throw USBDescriptorError(.truncated(stated: Self.byteCount, present: bytes.byteCount), offset: 0)
    }
    guard bytes.byte(1) == USBDescriptorType.device else {
      throw USBDescriptorError(.wrongType(bytes.byte(1)), offset: 0)
    }
    guard Int(bytes.byte(0)) == Self.byteCount else {
      throw USBDescriptorError(.badLength(Int(bytes.byte(0))), offset: 0)
    }
    vendor = bytes.littleEndian16(8)
    product = bytes.littleEndian16(10)
    configurationCount = bytes.byte(17)
  }
}

/// One configuration: its interfaces with every alternate setting, in the order they are written.
package struct USBConfiguration: Sendable, Equatable {
  package var number: UInt8
  package var interfaces: [USBInterface]

  package init(number: UInt8, interfaces: [USBInterface]) {
    self.number = number
    self.interfaces = interfaces
  }
}

/// One alternate setting of an interface.
package struct USBInterface: Sendable, Equatable {
  package var number: UInt8
  package var alternateSetting: UInt8
  package var use: USBInterfaceUse
  /// Of the string that names it; 0 for none.
  package var nameIndex: UInt8
  package var endpoints: [USBEndpoint]
  /// What a HID interface says of the length of its report descriptor.
  package var reportDescriptorByteCount: Int?

  package init(
    number: UInt8, alternateSetting: UInt8, use: USBInterfaceUse, nameIndex: UInt8, endpoints: [USBEndpoint]
  ) {
    self.number = number
    self.alternateSetting = alternateSetting
    self.use = use
    self.nameIndex = nameIndex
    self.endpoints = endpoints
  }
}

/// Class, subclass and protocol of an interface.
package struct USBInterfaceUse: Sendable, Hashable {
  package var interfaceClass: UInt8
  package var subclass: UInt8
  package var interfaceProtocol: UInt8

  package init(_ interfaceClass: UInt8, _ subclass: UInt8, _ interfaceProtocol: UInt8) {
    self.interfaceClass = interfaceClass
    self.subclass = subclass
    self.interfaceProtocol = interfaceProtocol
  }

  /// An accessory's link (USB.md#interface; high: dumps of two accessories, WIO, CAT, FLIR, BOYA).
  package static let link = Self(0xFF, 0xF0, 0x00)
  /// An EA protocol beside the link, on endpoints of its own; its string is the protocol's name
  /// (ExternalAccessory.md#native-interface; high: a dump, TCC).
  package static let nativeExternalAccessory = Self(0xFF, 0xF0, 0x01)
  /// A network function (CDC-NCM), which CarPlay needs (USB.md#ncm-interfaces; high: CAT, CCPA).
  package static let networkControl = Self(0x02, 0x0D, 0x00)
  /// HID without a boot protocol, as a phone in device mode has it (USB.md#phone-configuration-2; high).
  package static let reports = Self(0x03, 0x00, 0x00)
}

package struct USBEndpoint: Sendable, Equatable {
  package enum Kind: UInt8, Sendable { case control, isochronous, bulk, interrupt }

  /// Bit 7: towards the host.
  package var address: UInt8
  package var kind: Kind
  package var maximumPacketByteCount: Int

  package var isToHost: Bool { address & 0x80 != 0 }

  /// It can carry bytes: a number from 1 to 15, nothing in the bits between it and the direction (a host controller has no
  /// such endpoint), and packets with something in them.
  package var isUsable: Bool { address & 0x0F != 0 && address & 0x70 == 0 && maximumPacketByteCount > 0 }

  package init(address: UInt8, kind: Kind, maximumPacketByteCount: Int) {
    self.address = address
    self.kind = kind
    self.maximumPacketByteCount = maximumPacketByteCount
  }
}

/// What is wrong with descriptors, and where in the bytes that were given.
package struct USBDescriptorError: Error, Sendable, Equatable {
  package enum Reason: Sendable, Equatable {
    /// Fewer bytes than the descriptor says it has.
    case truncated(stated: Int, present: Int)
    /// A descriptor shorter than its kind, or longer than what encloses it.
    case badLength(Int)
    case wrongType(UInt8)
    /// An endpoint before any interface.
    case endpointWithoutInterface
    /// One of the bounds in ``USBDescriptorLimits``.
    case tooMany(USBDescriptorLimits.Item, limit: Int)
  }

  package var reason: Reason
  package var offset: Int

  package init(_ reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

/// Bounds for what a device may say of itself.
package enum USBDescriptorLimits {
  package enum Item: Sendable { case configurations, interfaces, endpoints }

  /// Linux keeps 8; a phone has 4 to 6.
  package static let configurations = 8
  /// Alternate settings of one configuration; an audio device with many formats has some dozens.
  package static let interfaces = 256
  /// Of one alternate setting: USB itself has 30 beside endpoint 0.
  package static let endpoints = 30
}

package enum USBDescriptorType {
  package static let device: UInt8 = 1
  package static let configuration: UInt8 = 2
  package static let interface: UInt8 = 4
  package static let endpoint: UInt8 = 5
  /// Of a HID interface: what other descriptors it has (HID 1.11, section 6.2.1).
  package static let hid: UInt8 = 0x21
  package static let report: UInt8 = 0x22
  /// Follows an endpoint at super speed.
  package static let companion: UInt8 = 0x30
}

extension RawSpan {
  /// The little-endian number at an offset the caller has checked.
  fileprivate func littleEndian16(_ offset: Int) -> UInt16 { UInt16(byte(offset + 1)) << 8 | UInt16(byte(offset)) }
}

extension USBConfiguration {
  /// Reads the configurations behind a device descriptor, as Linux gives them in `descriptors` of its device files.
  package static func all(
    in bytes: RawSpan, from start: Int = USBDeviceDescriptor.byteCount
  ) throws(USBDescriptorError) -> [USBConfiguration] {
    var configurations: [USBConfiguration] = []
    var offset = start
    while offset < bytes.byteCount {
      guard configurations.count < USBDescriptorLimits.configurations else {
        throw USBDescriptorError(.tooMany(.configurations, limit: USBDescriptorLimits.configurations), offset: offset)
      }
      configurations.append(try USBConfiguration(reading: bytes, at: &offset))
    }
    return configurations
  }

  /// Reads one configuration with everything that belongs to it.
  ///
  /// - Parameter offset: where it begins; afterwards where it ends.
  package init(reading bytes: RawSpan, at offset: inout Int) throws(USBDescriptorError) {
    let head = 9
    let present = bytes.byteCount - offset
    guard present >= head else { throw USBDescriptorError(.truncated(stated: head, present: present), offset: offset) }
    guard bytes.byte(offset + 1) == USBDescriptorType.configuration else {
      throw USBDescriptorError(.wrongType(bytes.byte(offset + 1)), offset: offset)
    }
    let first = Int(bytes.byte(offset))
    let total = Int(bytes.littleEndian16(offset + 2))
    guard first >= head, total >= first else {
      throw USBDescriptorError(.badLength(min(first, total)), offset: offset)
    }
    guard total <= present else {
      throw USBDescriptorError(.truncated(stated: total, present: present), offset: offset)
    }
    number = bytes.byte(offset + 5)
    interfaces = []
    let end = offset + total
    offset += first
    try addAll(bytes, &offset, to: end)
  }

  /// Reads what a capture has of one, which may be cut: as far as it goes, and without an error behind that. Nil for
  /// what is none.
  package init?(asFarAsReadable bytes: RawSpan) {
    guard bytes.byteCount >= 9, bytes.byte(0) >= 9, bytes.byte(1) == USBDescriptorType.configuration else { return nil }
    number = bytes.byte(5)
    interfaces = []
    var offset = Int(bytes.byte(0))
    // What was read until then stays.
    do { try addAll(bytes, &offset, to: bytes.byteCount) } catch {}
  }

  private mutating func addAll(_ bytes: RawSpan, _ offset: inout Int, to end: Int) throws(USBDescriptorError) {
    while offset < end {
      guard end - offset >= 2 else { throw USBDescriptorError(.badLength(end - offset), offset: offset) }
      let length = Int(bytes.byte(offset))
      guard length >= 2, length <= end - offset else { throw USBDescriptorError(.badLength(length), offset: offset) }
      try add(bytes, offset..<(offset + length))
      offset += length
    }
  }

  /// Takes interfaces and endpoints; other descriptors describe them further, in ways of no concern here.
  private mutating func add(_ bytes: RawSpan, _ range: Range<Int>) throws(USBDescriptorError) {
    let start = range.lowerBound
    switch bytes.byte(start + 1) {
    case USBDescriptorType.interface:
      guard range.count >= 9 else { throw USBDescriptorError(.badLength(range.count), offset: start) }
      guard interfaces.count < USBDescriptorLimits.interfaces else {
        throw USBDescriptorError(.tooMany(.interfaces, limit: USBDescriptorLimits.interfaces), offset: start)
      }
      interfaces.append(
        USBInterface(
          number: bytes.byte(start + 2), alternateSetting: bytes.byte(start + 3),
          use: USBInterfaceUse(bytes.byte(start + 5), bytes.byte(start + 6), bytes.byte(start + 7)),
          nameIndex: bytes.byte(start + 8), endpoints: []))
    case USBDescriptorType.endpoint:
      guard range.count >= 7 else { throw USBDescriptorError(.badLength(range.count), offset: start) }
      guard let last = interfaces.indices.last else {
        throw USBDescriptorError(.endpointWithoutInterface, offset: start)
      }
      guard interfaces[last].endpoints.count < USBDescriptorLimits.endpoints else {
        throw USBDescriptorError(.tooMany(.endpoints, limit: USBDescriptorLimits.endpoints), offset: start)
      }
      interfaces[last].endpoints.append(
        USBEndpoint(
          address: bytes.byte(start + 2), kind: .init(attributes: bytes.byte(start + 3)),
          maximumPacketByteCount: Int(bytes.littleEndian16(start + 4) & 0x7FF)))
    case USBDescriptorType.hid:
      // The first of its list, which nearly every device has alone.
      guard range.count >= 9, bytes.byte(start + 6) == USBDescriptorType.report else { return }
      guard let last = interfaces.indices.last,
        interfaces[last].use.interfaceClass == USBInterfaceUse.reports.interfaceClass
      else { return }
      interfaces[last].reportDescriptorByteCount = Int(bytes.littleEndian16(start + 7))
    default: break
    }
  }
}

extension USBEndpoint.Kind {
  /// The two lowest bits of `bmAttributes`.
  init(attributes: UInt8) {
    switch attributes & 3 {
    case 0: self = .control
    case 1: self = .isochronous
    case 2: self = .bulk
    default: self = .interrupt
    }
  }
}
