// swift-iap2 · Apache-2.0

import IAP2

/// The device descriptor: 18 bytes.
package struct USBDeviceDescriptor: Sendable, Equatable {
  /// The size of the descriptor in bytes.
  package static let byteCount = 18

  /// The vendor id.
  package var vendor: UInt16
  /// The product id.
  package var product: UInt16
  /// The number of configurations.
  package var configurationCount: UInt8

  /// Creates a device descriptor.
  package init(vendor: UInt16, product: UInt16, configurationCount: UInt8) {
    self.vendor = vendor
    self.product = product
    self.configurationCount = configurationCount
  }

  /// Reads a device descriptor at the start of the bytes.
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

/// A configuration with its interfaces and all their alternate settings, in the order of the descriptors.
package struct USBConfiguration: Sendable, Equatable {
  /// The number of the configuration.
  package var number: UInt8
  /// The interfaces; each alternate setting is an entry.
  package var interfaces: [USBInterface]

  /// Creates a configuration.
  package init(number: UInt8, interfaces: [USBInterface]) {
    self.number = number
    self.interfaces = interfaces
  }
}

/// One alternate setting of an interface.
package struct USBInterface: Sendable, Equatable {
  /// The number of the interface.
  package var number: UInt8
  /// The alternate setting.
  package var alternateSetting: UInt8
  /// The class, subclass and protocol.
  package var use: USBInterfaceUse
  /// The string index of the name; 0 for none.
  package var nameIndex: UInt8
  /// The endpoints.
  package var endpoints: [USBEndpoint]
  /// The size of the report descriptor in bytes that a HID interface declares; nil for other interfaces.
  package var reportDescriptorByteCount: Int?

  /// Creates an alternate setting without a report descriptor.
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

/// The class, subclass and protocol of an interface.
package struct USBInterfaceUse: Sendable, Hashable {
  /// The class.
  package var interfaceClass: UInt8
  /// The subclass.
  package var subclass: UInt8
  /// The protocol.
  package var interfaceProtocol: UInt8

  /// Creates a combination.
  package init(_ interfaceClass: UInt8, _ subclass: UInt8, _ interfaceProtocol: UInt8) {
    self.interfaceClass = interfaceClass
    self.subclass = subclass
    self.interfaceProtocol = interfaceProtocol
  }

  /// The link of an accessory (USB.md#interface; high: dumps of two accessories, WIO, CAT, FLIR, BOYA).
  package static let link = Self(0xFF, 0xF0, 0x00)
  /// An EA protocol with endpoints of its own, whose string is the protocol's name
  /// (ExternalAccessory.md#native-interface; high: a dump, TCC).
  package static let nativeExternalAccessory = Self(0xFF, 0xF0, 0x01)
  /// The control interface of a network function (CDC-NCM), which CarPlay needs (USB.md#ncm-interfaces; high: CAT,
  /// MTK).
  package static let networkControl = Self(0x02, 0x0D, 0x00)
  /// HID without a boot protocol, as on a phone in device mode (USB.md#phone-configuration-2; high).
  package static let reports = Self(0x03, 0x00, 0x00)
}

/// An endpoint of an interface.
package struct USBEndpoint: Sendable, Equatable {
  /// The transfer type, in the order of `bmAttributes`.
  package enum Kind: UInt8, Sendable { case control, isochronous, bulk, interrupt }

  /// The address: the number in bits 0 to 3, and bit 7 for the direction to the host.
  package var address: UInt8
  /// The transfer type.
  package var kind: Kind
  /// The maximum packet size in bytes.
  package var maximumPacketByteCount: Int

  /// Whether the endpoint sends to the host.
  package var isToHost: Bool { address & 0x80 != 0 }

  /// Whether the endpoint can carry bytes: its number is 1 to 15, bits 4 to 6 of the address are 0 (a host controller
  /// has no other endpoints), and its packets hold at least one byte.
  package var isUsable: Bool { address & 0x0F != 0 && address & 0x70 == 0 && maximumPacketByteCount > 0 }

  /// Creates an endpoint.
  package init(address: UInt8, kind: Kind, maximumPacketByteCount: Int) {
    self.address = address
    self.kind = kind
    self.maximumPacketByteCount = maximumPacketByteCount
  }
}

/// An error in descriptors and its offset in the bytes that were read.
package struct USBDescriptorError: Error, Sendable, Equatable {
  /// The rule that the descriptor breaks.
  package enum Reason: Sendable, Equatable {
    /// The bytes end before the size that the descriptor states.
    case truncated(stated: Int, present: Int)
    /// A descriptor is shorter than its kind requires, or longer than the descriptor that contains it.
    case badLength(Int)
    /// The descriptor has another type than expected.
    case wrongType(UInt8)
    /// An endpoint comes before any interface.
    case endpointWithoutInterface
    /// One of the bounds in ``USBDescriptorLimits`` is exceeded.
    case tooMany(USBDescriptorLimits.Item, limit: Int)
  }

  /// The rule that the descriptor breaks.
  package var reason: Reason
  /// The offset of the descriptor in bytes.
  package var offset: Int

  /// Creates an error.
  package init(_ reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

/// Bounds for the descriptors of a device.
package enum USBDescriptorLimits {
  /// The kind of a bounded list.
  package enum Item: Sendable { case configurations, interfaces, endpoints }

  /// Configurations of a device. Linux keeps 8; a phone has 4 to 6.
  package static let configurations = 8
  /// Alternate settings of one configuration. An audio device with many formats has some dozens.
  package static let interfaces = 256
  /// Endpoints of one alternate setting. USB allows 30 besides endpoint 0.
  package static let endpoints = 30
}

/// The descriptor types.
package enum USBDescriptorType {
  /// Device.
  package static let device: UInt8 = 1
  /// Configuration.
  package static let configuration: UInt8 = 2
  /// Interface.
  package static let interface: UInt8 = 4
  /// Endpoint.
  package static let endpoint: UInt8 = 5
  /// HID: the other descriptors of a HID interface (HID 1.11, section 6.2.1).
  package static let hid: UInt8 = 0x21
  /// HID report.
  package static let report: UInt8 = 0x22
  /// SuperSpeed endpoint companion, which follows an endpoint at super speed.
  package static let companion: UInt8 = 0x30
}

extension RawSpan {
  /// Returns the little-endian number at an offset that the caller has checked.
  fileprivate func littleEndian16(_ offset: Int) -> UInt16 { UInt16(byte(offset + 1)) << 8 | UInt16(byte(offset)) }
}

extension USBConfiguration {
  /// Reads the configurations after a device descriptor. This is the form of `descriptors` in the sysfs folder of a
  /// Linux device.
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

  /// Reads one configuration with its interfaces and endpoints.
  ///
  /// - Parameter offset: The start of the configuration; set to its end.
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

  /// Reads a configuration from a capture, which may have truncated it. The descriptors before the first error count.
  /// Nil if the bytes do not start with a configuration.
  package init?(asFarAsReadable bytes: RawSpan) {
    guard bytes.byteCount >= 9, bytes.byte(0) >= 9, bytes.byte(1) == USBDescriptorType.configuration else { return nil }
    number = bytes.byte(5)
    interfaces = []
    var offset = Int(bytes.byte(0))
    // The descriptors that were read before the error stay.
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

  /// Reads interfaces, endpoints and HID descriptors. Other descriptors are ignored.
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
      // The first descriptor in the list counts; nearly every device has only one.
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
  /// Creates a type from the two lowest bits of `bmAttributes`.
  init(attributes: UInt8) {
    switch attributes & 3 {
    case 0: self = .control
    case 1: self = .isochronous
    case 2: self = .bulk
    default: self = .interrupt
    }
  }
}
