// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Formats
import IAP2Fuzzing
import IAP2Roles
import Testing
import WireSupport

/// Tests of both policies after authentication and identification, with peers that send any message.
@Suite struct PolicyTests {
  static func encoded(_ message: some ControlMessage) throws -> [UInt8] { try message.encoded() }

  static func phone(_ profile: HeadUnitProfile) throws -> PhonePolicy {
    var phone = PhonePolicy(profile: PhoneProfile())
    _ = phone.handle(.linkUp(.standard))
    var certificate = AuthenticationCertificate()
    certificate.authenticationCertificate = [1]
    _ = phone.handle(.message(id: 0xAA01, bytes: try encoded(certificate)))
    _ = phone.handle(.certificateChecked(challenge: [2], reason: nil))
    var response = AuthenticationResponse()
    response.authenticationChallengeResponse = [3]
    _ = phone.handle(.message(id: 0xAA03, bytes: try encoded(response)))
    _ = phone.handle(.responseChecked(isValid: true, reason: nil))
    _ = phone.handle(.message(id: 0x1D01, bytes: try encoded(profile.identification)))
    #expect(phone.isReady)
    return phone
  }

  static func car(_ profile: HeadUnitProfile) throws -> HeadUnitPolicy {
    var car = HeadUnitPolicy(profile: profile)
    _ = car.handle(.signatureReady([1]))
    _ = car.handle(.message(id: 0x1D00, bytes: try encoded(StartIdentification())))
    _ = car.handle(.message(id: 0xAA05, bytes: try encoded(AuthenticationSucceeded())))
    _ = car.handle(.message(id: 0x1D02, bytes: try encoded(IdentificationAccepted())))
    #expect(car.isReady)
    return car
  }

  static func violations(_ actions: [RoleAction]) -> [ProtocolViolation] {
    actions.compactMap { if case .event(.violation(let violation)) = $0 { violation } else { nil } }
  }

  /// Identification.md#required
  @Test func theSchemaHasTheRequiredParametersOfAnIdentification() {
    #expect(HeadUnitPolicy.requiredParameters == Set(0...9).union([12, 13]))
  }

  @Test func sessionsThatNeverOpenHaveABound() throws {
    var phone = try Self.phone(.standard(protocols: ["com.example.echo"]))
    var sessions: Set<UInt16> = []
    for _ in 0..<PhonePolicy(profile: PhoneProfile()).maximumSessions {
      sessions.insert(try phone.openExternalAccessory("com.example.echo").session)
    }
    #expect(sessions.count == PhonePolicy(profile: PhoneProfile()).maximumSessions)
    #expect(
      throws: ExternalAccessoryOpenProblem.tooManySessions(limit: PhonePolicy(profile: PhoneProfile()).maximumSessions)
    ) {
      try phone.openExternalAccessory("com.example.echo")
    }
    _ = phone.closeExternalAccessory(try #require(sessions.first))
    _ = try phone.openExternalAccessory("com.example.echo")
  }

  @Test func aSessionIsOpenedOnlyIfItsMessageIsListed() throws {
    var profile = HeadUnitProfile.standard(protocols: ["com.example.echo"])
    profile.identification.messagesReceivedFromDevice.elements.removeAll { $0 == 0xEA00 }
    var phone = try Self.phone(profile)
    #expect(throws: ExternalAccessoryOpenProblem.notListed) { try phone.openExternalAccessory("com.example.echo") }
    #expect(throws: ExternalAccessoryOpenProblem.unknownProtocol) {
      try phone.openExternalAccessory("com.example.other")
    }
  }

  @Test(arguments: [-1, 0, 1, Int(Int32.max)]) func aBatteryOfAnySizeKeepsItsLevelInBounds(capacity: Int) {
    var battery = Battery(percent: 50)
    battery.capacity = capacity
    battery.isMoving = true
    for current in [0, 5000] {
      battery.wallCurrent = current
      for _ in 0..<100 { battery.advance(milliseconds: 60_000) }
      #expect((0...10_000).contains(battery.level))
    }
  }

  /// All messages of the catalog with a value in every parameter, including messages whose parameters are not known.
  static let everything: [(id: UInt16, bytes: [UInt8])] = MessageCatalog.all.map { entry in
    var distinct = DistinctBytes()
    return (entry.info.id, distinct.message(entry))
  }

  @Test(arguments: 1...20) func anyMessageAtAnyTimeIsHandled(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var phone = try Self.phone(.standard(features: .all))
    var car = try Self.car(.standard(features: .all))
    for _ in 0..<600 {
      let (id, original) = Self.everything[Int.random(in: 0..<Self.everything.count, using: &generator)]
      var bytes = original
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        let count = Int.random(in: 6...max(6, bytes.count), using: &generator)
        bytes = Array(bytes.prefix(count))
        bytes[2] = UInt8(bytes.count >> 8)
        bytes[3] = UInt8(bytes.count & 255)
      case 1:
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes = Array(bytes.prefix(4)) + [bytes[4], bytes[5]]
      default: break
      }
      _ = phone.handle(.message(id: id, bytes: bytes))
      _ = phone.handle(.tick(milliseconds: 100))
      _ = car.handle(.message(id: id, bytes: bytes))
      _ = car.handle(.tick(milliseconds: 100))
    }
    // Both policies still process valid messages.
    var source = PowerSourceUpdate()
    source.availableCurrentForDevice = 777
    let actions = phone.handle(.message(id: 0xAE03, bytes: try Self.encoded(source)))
    #expect(actions.contains(.event(.powerSourceChanged(source))))
    var power = PowerUpdate()
    power.batteryChargeLevel = 7
    #expect(
      car.handle(.message(id: 0xAE01, bytes: try Self.encoded(power))).contains(.event(.powerChanged(power))))
  }

  @Test func onlyUnlistedMessagesAreReported() throws {
    for (id, bytes) in Self.everything where id >> 8 != 0xAA && id >> 8 != 0x1D {
      guard let entry = MessageCatalog[id] else { continue }
      for features in [HeadUnitFeatures.all, []] {
        let profile = HeadUnitProfile.standard(protocols: ["com.example.p"], features: features)
        let lists = profile.identification
        if entry.info.sender == .accessory {
          var phone = try Self.phone(profile)
          let isNamed = Self.violations(phone.handle(.message(id: id, bytes: bytes))).contains(.undeclaredMessage(id))
          #expect(isNamed == !lists.messagesSentByAccessory.elements.contains(id), "\(entry.name)")
        } else {
          var car = try Self.car(profile)
          let isNamed = Self.violations(car.handle(.message(id: id, bytes: bytes))).contains(.undeclaredMessage(id))
          #expect(isNamed == !lists.messagesReceivedFromDevice.elements.contains(id), "\(entry.name)")
        }
      }
    }
  }

  @Test func unknownAttributesAreReportedAndTheOthersAreSent() throws {
    var phone = try Self.phone(.standard())
    let start = controlMessage(
      0xAE00, parameter(6, []) + parameter(44, []) + parameter(0x777, []))
    let actions = phone.handle(.message(id: 0xAE00, bytes: start))
    #expect(Self.violations(actions) == [.unknownAttributes(message: 0xAE00, [44, 0x777])])
    #expect(actions.contains(.send(controlMessage(0xAE01, parameter(6, [0, 80])))))
    // A second Stop is reported as a violation and has no other effect.
    let stop = RoleInput.message(id: 0xAE02, bytes: controlMessage(0xAE02, []))
    #expect(phone.handle(stop) == [])
    #expect(phone.handle(stop) == [.event(.violation(.notStarted(0xAE02)))])
    #expect(phone.change { $0.battery.percent = 10 } == [])
  }

  @Test func updatesOfManyCallsAndManeuversDoNotGrowACar() throws {
    var car = try Self.car(.standard(features: .all))
    var dropped = 0
    for number in 0..<5000 {
      var call = CallStateUpdate()
      call.callUUID = "call \(number)"
      call.status = .active
      var maneuver = RouteGuidanceManeuverUpdate()
      maneuver.index = UInt16(number)
      for message in [try Self.encoded(call), try Self.encoded(maneuver)] {
        let id = UInt16(message[4]) << 8 | UInt16(message[5])
        dropped += Self.violations(car.handle(.message(id: id, bytes: message))).count
      }
    }
    #expect(dropped == 5000 - 64 + 5000 - 1024)
    #expect(car.maneuvers.count == 1024)
  }

  @Test func aReportHasThePressedKeys() throws {
    for device in [HIDDevice.mediaRemote(component: 1), .keyboard(component: 2), .pointer(component: 3)] {
      let descriptor = try HIDReportDescriptor(device.descriptor)
      let usages = Set(descriptor.fields.filter { $0.report.kind == .input }.flatMap(\.usages)).filter {
        $0.number != 0
      }
      #expect(usages.count > 4)
      for usage in usages {
        let reports = descriptor.reports([usage: 1])
        #expect(reports.count == 1 && descriptor.values(in: reports[0]) == [usage: 1], "\(device.name) \(usage)")
      }
    }
    // The report of the boot keyboard as in HID 1.11, B.1: modifiers, a reserved byte, six keys.
    let keyboard = try HIDReportDescriptor(HIDDevice.keyboard(component: 1).descriptor)
    let report = keyboard.reports([HIDUsage(page: 7, 0xE1): 1, HIDUsage(page: 7, 4): 1])
    #expect(report[0].count == 8 && report[0][0] == 2 && report[0].dropFirst(2).contains(4))
    // Relative axes are signed.
    let pointer = try HIDReportDescriptor(HIDDevice.pointer(component: 1).descriptor)
    #expect(pointer.values(in: [0, 0xFF, 5]) == [HIDUsage(page: 1, 0x30): -1, HIDUsage(page: 1, 0x31): 5])
  }
}
