// swift-iap2 · Apache-2.0

import IAP2
import IAP2Fuzzing
import IAP2Roles
import IAP2Simulation

enum MessageBenchmarks {
  static func run() -> [Figure] {
    var identification = HeadUnitProfile.standard(protocols: ["com.example.one", "com.example.two"]).identification
    identification.productPlanUID = "0123456789abcdef"
    var power = PowerUpdate()
    power.maximumCurrentDrawnFromAccessory = 2400
    power.deviceBatteryWillChargeIfPowerIsPresent = true
    power.accessoryPowerMode = .lowPower
    power.isExternalChargerConnected = true
    power.batteryChargingState = .charging
    power.batteryChargeLevel = 80
    // Called on a known type, as users do. The generic `measure` would not notice a slow call there.
    return measure("identification", identification) { try IdentificationInformation(decoding: unsafe $0.span.bytes) }
      + measure("power update", power) { try PowerUpdate(decoding: unsafe $0.span.bytes) }
  }

  private static func measure<Message: ControlMessage>(
    _ name: String, _ message: Message, decode read: ([UInt8]) throws -> Message
  ) -> [Figure] {
    do {
      let bytes = try message.encoded()
      var out: [UInt8] = []
      let encode = Measure.rate(100) {
        for _ in 0..<100 {
          out.removeAll(keepingCapacity: true)
          do { try message.encode(into: &out) } catch { fatalError("\(error)") }
        }
        use(out.count)
      }
      let decode = Measure.rate(100) {
        for _ in 0..<100 {
          do { use(try read(bytes)) } catch { fatalError("\(error)") }
        }
      }
      return [
        Figure(name: "\(name) decoded, \(bytes.count) B", rate: decode, unit: "messages"),
        Figure(name: "\(name) encoded, \(bytes.count) B", rate: encode, unit: "messages"),
      ]
    } catch { fatalError("\(error)") }
  }

  /// Every message of the catalog with every parameter it has.
  static func catalog() -> [Figure] {
    MessageCatalog.all.flatMap { entry -> [Figure] in
      guard let type = entry.type else { return [] }
      var distinct = DistinctBytes()
      return measure(entry.name, type, distinct.message(entry))
    }
  }

  private static func measure<Message: ControlMessage>(
    _ name: String, _ type: Message.Type, _ bytes: [UInt8]
  ) -> [Figure] {
    do {
      return measure(name, try Message(decoding: unsafe bytes.span.bytes)) {
        try Message(decoding: unsafe $0.span.bytes)
      }
    } catch { fatalError("\(name): \(error)") }
  }
}
