// swift-iap2 · Apache-2.0

import IAP2
import IAP2Fuzzing
import IAP2Roles
import Testing
import WireSupport

@Suite struct CatalogTests {
  static let typed = MessageCatalog.all.compactMap(\.type)

  private static func recoded<M: ControlMessage>(_ type: M.Type, _ bytes: [UInt8]) throws -> [UInt8] {
    try M(decoding: unsafe bytes.span.bytes).encoded()
  }

  @Test func theCatalogIsWhole() {
    #expect(MessageCatalog.all.count == 152)
    #expect(Set(MessageCatalog.all.map(\.info.id)).count == 152)
    #expect(Set(MessageCatalog.all.map(\.name)).count == 152)
    // A message whose parameters are not known has no rows and is marked so.
    for entry in MessageCatalog.all where entry.type == nil {
      #expect(!entry.info.parametersKnown && entry.rows.isEmpty, "\(entry.name)")
    }
    for entry in MessageCatalog.all {
      #expect("\(entry.info.evidence[0])".contains(".md#") && entry.info.evidence.count >= 2, "\(entry.name)")
    }
  }

  @Test func everyMessageRoundTripsWithDistinctValuesAndExtras() throws {
    for entry in MessageCatalog.all {
      guard let type = entry.type else { continue }
      var distinct = DistinctBytes()
      let plain = distinct.message(entry)
      #expect(try Self.recoded(type, plain) == plain, "\(entry.name)")
      let extra =
        distinct.parameters(entry.rows) + parameter(63, [1, 2]) + parameter(0x1234, [])
      let extended = controlMessage(entry.info.id, extra)
      #expect(try Self.recoded(type, extended) == extended, "\(entry.name)")
    }
  }

  @Test func everyPropertyHasASchemaRow() throws {
    func check<M: ParameterSchema>(_ type: M.Type, _ message: some ParameterSchema) {
      let names = Mirror(reflecting: message).children.compactMap(\.label).filter { $0 != "unrepresented" }
      let rows = M.rows.map(\.name)
      #expect(names.count == rows.count, "\(type)")
      for (name, row) in zip(names, rows) {
        // The property of a parameter's second form has the suffix Form5 or Form6.
        let plain = name.hasSuffix("Form5") || name.hasSuffix("Form6") ? String(name.dropLast(5)) : name
        #expect(plain.lowercased() == row.lowercased(), "\(type): \(name)")
      }
      // Distinct bytes never give the default value, so an unchanged property was not read.
      for (read, fresh) in zip(Mirror(reflecting: message).children, Mirror(reflecting: M()).children)
      where read.label != "unrepresented" {
        #expect("\(read.value)" != "\(fresh.value)", "\(type).\(read.label ?? "")")
      }
      for child in Mirror(reflecting: message).children { nested(child.value) }
    }
    func nested(_ value: Any) {
      if let group = value as? any ParameterGroup { open(group) }
      if let groups = value as? [any ParameterGroup], let first = groups.first { open(first) }
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .optional, let wrapped = mirror.children.first?.value as? any ParameterGroup {
        open(wrapped)
      }
    }
    func open<G: ParameterGroup>(_ group: G) {
      // A group without known parameters has nothing to check.
      if !G.rows.isEmpty { check(G.self, group) }
    }
    func decode<M: ControlMessage>(_ type: M.Type, _ bytes: [UInt8]) throws -> M {
      try M(decoding: unsafe bytes.span.bytes)
    }
    func whole<M: ControlMessage>(_ type: M.Type, _ entry: CatalogEntry) throws {
      var distinct = DistinctBytes()
      check(M.self, try decode(M.self, distinct.message(entry)))
    }
    for entry in MessageCatalog.all { if let type = entry.type { try whole(type, entry) } }
  }

  @Test func idsAscendInEverySchemaAndFitTheWalk() {
    func check(_ rows: [ParameterRow], _ name: String) {
      #expect(rows.map(\.id) == rows.map(\.id).sorted() && rows.allSatisfy { $0.id < 64 }, "\(name)")
      #expect(Set(rows.map(\.id)).count == rows.count, "\(name)")
      for row in rows { if case .group(let inner) = row.shape { check(inner, "\(name)/\(row.name)") } }
    }
    for entry in MessageCatalog.all { check(entry.rows, entry.name) }
  }

  @Test func aTruncatedOrChangedMessageIsReadOrRejected() {
    for entry in MessageCatalog.all {
      guard let type = entry.type else { continue }
      var distinct = DistinctBytes()
      let bytes = distinct.message(entry)
      for index in bytes.indices {
        for value: UInt8 in [0, 0xFF, bytes[index] ^ 1] {
          var changed = bytes
          changed[index] = value
          _ = ParameterNode.nodes(of: unsafe changed.span.bytes, rows: entry.rows)
          do { _ = try Self.recoded(type, changed) } catch {}
        }
        let cut = Array(bytes[..<index])
        #expect(throws: WireError.self, "\(entry.name) cut at \(index)") { try Self.recoded(type, cut) }
      }
    }
  }

  @Test func missingAndRepeatedParametersAreNamed() {
    for entry in MessageCatalog.all {
      guard let type = entry.type else { continue }
      for row in entry.rows {
        var distinct = DistinctBytes()
        let others = entry.rows.filter { $0.id != row.id }
        func error(_ parameters: [UInt8]) -> WireError? {
          do {
            _ = try Self.recoded(type, controlMessage(entry.info.id, parameters))
            return nil
          } catch { return error as? WireError }
        }
        let without = error(distinct.parameters(others))
        if row.count == .one || row.count == .some {
          #expect(without?.reason == .missing && without?.parameter == row.id, "\(entry.name) \(row.name)")
        } else {
          #expect(without == nil, "\(entry.name) \(row.name)")
        }
        var isSeveral = row.count == .any || row.count == .some
        if case .packed = row.shape { isSeveral = row.count == .one }
        let twice = error(distinct.parameters(others + [row]) + distinct.parameters([row]))
        if isSeveral {
          #expect(twice == nil, "\(entry.name) \(row.name)")
        } else {
          #expect(twice?.reason == .duplicate && twice?.parameter == row.id, "\(entry.name) \(row.name)")
        }
      }
    }
  }

  @Test func bothFormsOfAWiFiNetworkAreRead() throws {
    func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
    let stated = controlMessage(
      0x5701,
      parameter(0, [0]) + parameter(1, [2]) + parameter(2, text("Garage"))
        + parameter(3, text("open sesame")))
    let other = controlMessage(
      0x5701,
      parameter(0, [0]) + parameter(1, text("Garage"))
        + parameter(2, text("open sesame")))
    for (bytes, security) in [(stated, WiFiSecurityType.wpaOrWPA2), (other, nil)] {
      let message = try WiFiInformation(decoding: unsafe bytes.span.bytes)
      #expect(message.network == .init(name: "Garage", passphrase: "open sesame", securityType: security))
      #expect(try message.encoded() == bytes)
      let (_, errors) = ParameterNode.nodes(of: unsafe bytes.span.bytes, rows: WiFiInformation.rows)
      #expect(errors.isEmpty)
    }
  }

  @Test func anglesOfAJunctionAreReadRepeatedAndJoined() throws {
    let repeated = parameter(10, [0xFF, 0xA6]) + parameter(10, [0, 90])
    let joined = parameter(10, [0xFF, 0xA6, 0, 90])
    for angles in [repeated, joined] {
      let bytes = controlMessage(0x5202, parameter(1, [0, 4]) + angles)
      let message = try RouteGuidanceManeuverUpdate(decoding: unsafe bytes.span.bytes)
      #expect(message.index == 4 && message.junctionElementAngle == [-90, 90])
    }
    let bytes = controlMessage(0x5202, parameter(1, [0, 4]) + joined)
    let (nodes, errors) = ParameterNode.nodes(of: unsafe bytes.span.bytes, rows: RouteGuidanceManeuverUpdate.rows)
    #expect(errors.isEmpty && nodes.last?.value == .signedList([-90, 90]))
  }

  /// Found by fuzzing: repeated parameters before a smaller id were lost.
  @Test func parametersThatRepeatAreAllReadInAnyOrder() throws {
    func lane(_ index: UInt8) -> [UInt8] { parameter(2, parameter(0, [0, index])) }
    let index = parameter(1, [0, 4])
    for order in [[lane(7), index, lane(8)], [lane(7), lane(8), index], [index, lane(7), lane(8)]] {
      let bytes = controlMessage(0x5204, order.flatMap { $0 })
      let message = try LaneGuidanceInformation(decoding: unsafe bytes.span.bytes)
      #expect(message.laneInformation.map(\.laneIndex) == [7, 8])
      #expect(try message.encoded() == bytes)
    }
  }
}
