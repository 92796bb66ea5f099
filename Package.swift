// swift-tools-version: 6.2
// swift-iap2: both sides of the accessory protocol, as a library and as the command `iap2`.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableExperimentalFeature("Lifetimes"),
]

/// The floors of the house, bottom first: a target imports targets of its own floor and of the floors below.
///
/// `tools/check-layers` reads the imports of every file and holds them to this order.
enum Floor: String {
  case protocols = "Protocol"
  case transport = "Transport"
  case live = "Live"
  case laboratory = "Laboratory"
  case tools = "Tools"

  func target(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .target(
      name: name, dependencies: dependencies, path: "Sources/\(rawValue)/\(name)", resources: resources,
      swiftSettings: settings)
  }

  func executable(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .executableTarget(
      name: name, dependencies: dependencies, path: "Sources/\(rawValue)/\(name)", resources: resources,
      swiftSettings: settings)
  }

  func system(_ name: String, pkgConfig: String? = nil, package: String? = nil) -> Target {
    .systemLibrary(
      name: name, path: "Sources/\(rawValue)/\(name)", pkgConfig: pkgConfig, providers: package.map { [.apt([$0])] })
  }

  func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
      name: name, dependencies: dependencies, path: "Tests/\(rawValue)/\(name)", exclude: exclude,
      swiftSettings: settings)
  }
}

let libraries = [
  "IAP2", "IAP2Authentication", "IAP2Runtime", "IAP2Capture", "IAP2Coprocessor", "IAP2Scenario", "IAP2Simulation",
  "IAP2Conformance", "IAP2Testing",
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "swift-iap2",
  products: libraries.map { .library(name: $0, targets: [$0]) } + [.executable(name: "iap2", targets: ["iap2"])],
  traits: [
    .trait(name: "USB", description: "USB transports, through libusb-1.0"),
    .trait(name: "Bluetooth", description: "Bluetooth transports, through BlueZ"),
    .default(enabledTraits: ["USB", "Bluetooth"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // Protocol: pure values, no I/O, no clock.
    Floor.protocols.target("IAP2"),
    Floor.protocols.target(
      "IAP2Authentication",
      [
        "IAP2", .product(name: "Crypto", package: "swift-crypto"), .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "X509", package: "swift-certificates"),
      ]),
    Floor.protocols.tests("IAP2Tests", ["IAP2", "IAP2Simulation"], exclude: ["Golden"]),
    Floor.protocols.tests("IAP2AuthenticationTests", ["IAP2Authentication", "IAP2Testing"]),

    // Transport: bytes and time.
    Floor.transport.system("CI2C"),
    Floor.transport.target("IAP2Coprocessor", ["CI2C", "IAP2", "IAP2Authentication", "IAP2Runtime"]),
    Floor.transport.system("CLibUSB", pkgConfig: "libusb-1.0", package: "libusb-1.0-0-dev"),
    Floor.transport.target(
      "IAP2USB", ["IAP2", "IAP2Runtime", .target(name: "CLibUSB", condition: .when(traits: ["USB"]))]),
    Floor.transport.system("CBlueZ", pkgConfig: "bluez", package: "libbluetooth-dev"),
    Floor.transport.system("CDBus", pkgConfig: "dbus-1", package: "libdbus-1-dev"),
    Floor.transport.target(
      "IAP2Bluetooth",
      [
        "IAP2", "IAP2Runtime", .target(name: "CBlueZ", condition: .when(traits: ["Bluetooth"])),
        .target(name: "CDBus", condition: .when(traits: ["Bluetooth"])),
      ]),
    Floor.transport.tests(
      "IAP2CoprocessorTests", ["IAP2", "IAP2Authentication", "IAP2Coprocessor", "IAP2Runtime", "IAP2Testing"]),
    Floor.transport.tests("IAP2USBTests", ["IAP2", "IAP2Runtime", "IAP2USB", "IAP2Testing"]),
    Floor.transport.tests("IAP2BluetoothTests", ["IAP2", "IAP2Bluetooth", "IAP2Runtime"]),

    // Live: roles on real or virtual clocks.
    Floor.live.target(
      "IAP2Runtime",
      [
        "IAP2", "IAP2Authentication", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    Floor.live.tests("IAP2RuntimeTests", ["IAP2", "IAP2Authentication", "IAP2Runtime", "IAP2Testing"]),

    // Laboratory: what is done with sessions.
    Floor.laboratory.target("IAP2Capture", ["IAP2", "IAP2Runtime"]),
    Floor.laboratory.target("IAP2Simulation", ["IAP2", "IAP2Authentication", "IAP2Runtime"]),
    Floor.laboratory.target(
      "IAP2Scenario",
      ["IAP2", "IAP2Authentication", "IAP2Runtime", "IAP2Simulation", .product(name: "Yams", package: "Yams")],
      resources: [.embedInCode("Shipped"), .embedInCode("Profiles")]),
    Floor.laboratory.target("IAP2Conformance", ["IAP2", "IAP2Authentication", "IAP2Capture", "IAP2Runtime"]),
    Floor.laboratory.target("IAP2Testing", ["IAP2", "IAP2Runtime", "IAP2Simulation"]),
    Floor.laboratory.target("IAP2Fuzzing", ["IAP2", "IAP2Capture", "IAP2Simulation"]),
    Floor.laboratory.tests(
      "IAP2CaptureTests", ["IAP2", "IAP2Authentication", "IAP2Capture", "IAP2Runtime", "IAP2Simulation"]),
    Floor.laboratory.tests("IAP2SimulationTests", ["IAP2", "IAP2Runtime", "IAP2Simulation"]),
    Floor.laboratory.tests("IAP2ScenarioTests", ["IAP2", "IAP2Runtime", "IAP2Scenario"]),
    Floor.laboratory.tests(
      "IAP2ConformanceTests", ["IAP2", "IAP2Authentication", "IAP2Conformance", "IAP2Runtime"]),
    Floor.laboratory.tests("IAP2FuzzingTests", ["IAP2Fuzzing"], exclude: ["Corpora", "Findings"]),

    // Tools: the programs.
    Floor.tools.executable(
      "iap2",
      [
        "IAP2", "IAP2Authentication", "IAP2Runtime", "IAP2Scenario", "IAP2Capture", "IAP2Simulation", "IAP2USB",
        "IAP2Bluetooth", "IAP2Conformance", "IAP2Coprocessor", argumentParser,
      ],
      resources: [.embedInCode("Wireshark/Lua")]),
    Floor.tools.executable(
      "iap2-benchmark",
      ["IAP2", "IAP2Authentication", "IAP2Capture", "IAP2Runtime", "IAP2Simulation", argumentParser]),
    Floor.tools.executable("iap2-fuzz", ["IAP2Fuzzing"]),
    Floor.tools.tests(
      "CommandTests", ["iap2", "IAP2", "IAP2Bluetooth", "IAP2Capture", "IAP2Runtime", "IAP2Simulation"],
      exclude: ["Fixtures", "Golden"]),
  ]
)
