// swift-iap2 · Apache-2.0
// The program of tools/bench/compare-speed: the benchmarks of the core, as one line NAME<TAB>RATE for each figure, or
// with `count CASE N` a case that is run N times, for a counter of allocations.

import Foundation
import IAP2

@main
enum CompareSpeed {
  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1] == "count", let count = Int(arguments[3]) {
      return try run(arguments[2], count)
    }
    unsafe Measure.seconds = arguments.count > 1 ? Double(arguments[1]) ?? 0.3 : 0.3
    let identification = identification()
    let power = power()
    let figures =
      try measure("identification", identification) { try IdentificationInformation(decoding: unsafe $0.span.bytes) }
      + measure("power update", power) { try PowerUpdate(decoding: unsafe $0.span.bytes) }
      + ExternalAccessoryBenchmarks.run() + LinkBenchmarks.run()
    for figure in figures { print("\(figure.name)\t\(figure.rate)") }
  }

  private static func identification() -> IdentificationInformation {
    var information = IdentificationInformation()
    information.name = "Speaker"
    information.modelIdentifier = "Model"
    information.manufacturer = "Maker"
    information.serialNumber = "0123456789"
    information.firmwareVersion = "1.0.0"
    information.hardwareVersion = "1.0.0"
    information.currentLanguage = "en"
    information.supportedLanguage = ["en", "de"]
    information.productPlanUID = "0123456789abcdef"
    return information
  }

  private static func power() -> PowerUpdate {
    var power = PowerUpdate()
    power.maximumCurrentDrawnFromAccessory = 2400
    power.deviceBatteryWillChargeIfPowerIsPresent = true
    power.accessoryPowerMode = .lowPower
    power.isExternalChargerConnected = true
    power.batteryChargingState = .charging
    power.batteryChargeLevel = 80
    return power
  }

  private static func measure<Message: ControlMessage>(
    _ name: String, _ message: Message, read: ([UInt8]) throws -> Message
  ) throws -> [Figure] {
    let bytes = try message.encoded()
    var out: [UInt8] = []
    func rate(_ what: String, _ body: () throws -> Void) -> Figure {
      let rate = Measure.rate(100) {
        for _ in 0..<100 { do { try body() } catch { fatalError("\(error)") } }
      }
      return Figure(name: "\(name) \(what)", rate: rate, unit: "messages")
    }
    return [
      rate("decoded by a call on the type") { use(try read(bytes)) },
      rate("decoded through a type parameter") { use(try Message(decoding: unsafe bytes.span.bytes)) },
      rate("encoded through a type parameter") {
        out.removeAll(keepingCapacity: true)
        try message.encode(into: &out)
      },
    ]
  }

  /// The cases whose allocations are counted.
  private static func run(_ name: String, _ count: Int) throws {
    let identification = identification()
    let bytes = try identification.encoded()
    let power = power()
    let powerBytes = try power.encoded()
    switch name {
    case "identification-decoded":
      for _ in 0..<count { use(try IdentificationInformation(decoding: unsafe bytes.span.bytes)) }
    case "identification-encoded": for _ in 0..<count { use(try identification.encoded()) }
    case "power-decoded": for _ in 0..<count { use(try PowerUpdate(decoding: unsafe powerBytes.span.bytes)) }
    case "power-encoded": for _ in 0..<count { use(try power.encoded()) }
    case "ea-packet": ExternalAccessoryBenchmarks.move(packets: count)
    case "link-of-two-endpoints":
      for _ in 0..<count { use(JoinedEndpoints(window: 32, packetLength: 4096).accessory.isUp) }
    default: fatalError("no case \(name)")
    }
  }
}
