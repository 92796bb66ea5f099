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

let package = Package(
  name: "swift-iap2",
  products: [
    .library(name: "IAP2", targets: ["IAP2"]),
    .library(name: "IAP2Authentication", targets: ["IAP2Authentication"]),
    .library(name: "IAP2Runtime", targets: ["IAP2Runtime"]),
    .library(name: "IAP2Capture", targets: ["IAP2Capture"]),
    .library(name: "IAP2Coprocessor", targets: ["IAP2Coprocessor"]),
    .library(name: "IAP2Scenario", targets: ["IAP2Scenario"]),
    .library(name: "IAP2Simulation", targets: ["IAP2Simulation"]),
    .library(name: "IAP2Conformance", targets: ["IAP2Conformance"]),
    .library(name: "IAP2Testing", targets: ["IAP2Testing"]),
    .executable(name: "iap2", targets: ["iap2"]),
  ],
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
    .target(name: "IAP2", swiftSettings: settings),
    .target(
      name: "IAP2Authentication",
      dependencies: [
        "IAP2",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SwiftASN1", package: "swift-asn1"),
        .product(name: "X509", package: "swift-certificates"),
      ],
      swiftSettings: settings),
    .target(
      name: "IAP2Runtime",
      dependencies: [
        "IAP2", "IAP2Authentication",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .target(
      name: "IAP2Scenario",
      dependencies: [
        "IAP2", "IAP2Authentication", "IAP2Runtime", "IAP2Simulation", .product(name: "Yams", package: "Yams"),
      ],
      resources: [.embedInCode("Shipped"), .embedInCode("Profiles")],
      swiftSettings: settings),
    .target(name: "IAP2Capture", dependencies: ["IAP2", "IAP2Runtime"], swiftSettings: settings),
    .target(
      name: "IAP2Simulation", dependencies: ["IAP2", "IAP2Authentication", "IAP2Runtime"], swiftSettings: settings),
    .target(
      name: "IAP2Conformance", dependencies: ["IAP2", "IAP2Authentication", "IAP2Capture", "IAP2Runtime"],
      swiftSettings: settings),
    .target(name: "IAP2Testing", dependencies: ["IAP2", "IAP2Runtime", "IAP2Simulation"], swiftSettings: settings),
    .systemLibrary(name: "CI2C"),
    .target(
      name: "IAP2Coprocessor", dependencies: ["CI2C", "IAP2", "IAP2Authentication", "IAP2Runtime"],
      swiftSettings: settings),
    .systemLibrary(name: "CLibUSB", pkgConfig: "libusb-1.0", providers: [.apt(["libusb-1.0-0-dev"])]),
    .systemLibrary(name: "CBlueZ", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
    .target(
      name: "IAP2USB",
      dependencies: ["IAP2", "IAP2Runtime", .target(name: "CLibUSB", condition: .when(traits: ["USB"]))],
      swiftSettings: settings),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .target(
      name: "IAP2Bluetooth",
      dependencies: [
        "IAP2", "IAP2Runtime", .target(name: "CBlueZ", condition: .when(traits: ["Bluetooth"])),
        .target(name: "CDBus", condition: .when(traits: ["Bluetooth"])),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "iap2",
      dependencies: [
        "IAP2", "IAP2Authentication", "IAP2Runtime", "IAP2Scenario", "IAP2Capture", "IAP2Simulation", "IAP2USB",
        "IAP2Bluetooth", "IAP2Conformance", "IAP2Coprocessor",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [.embedInCode("Wireshark/Lua")],
      swiftSettings: settings),
    .executableTarget(
      name: "iap2-benchmark",
      dependencies: [
        "IAP2", "IAP2Authentication", "IAP2Capture", "IAP2Runtime", "IAP2Simulation",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .target(
      name: "IAP2Fuzzing", dependencies: ["IAP2", "IAP2Capture", "IAP2Simulation"], swiftSettings: settings),
    .executableTarget(name: "iap2-fuzz", dependencies: ["IAP2Fuzzing"], swiftSettings: settings),
    .testTarget(
      name: "IAP2FuzzingTests", dependencies: ["IAP2Fuzzing"], exclude: ["Corpora", "Findings"],
      swiftSettings: settings),
    .testTarget(
      name: "IAP2Tests", dependencies: ["IAP2", "IAP2Simulation"], exclude: ["Golden"], swiftSettings: settings),
    .testTarget(
      name: "IAP2AuthenticationTests", dependencies: ["IAP2Authentication", "IAP2Testing"], swiftSettings: settings),
    .testTarget(
      name: "IAP2RuntimeTests", dependencies: ["IAP2", "IAP2Authentication", "IAP2Runtime", "IAP2Testing"],
      swiftSettings: settings),
    .testTarget(
      name: "CommandTests",
      dependencies: ["iap2", "IAP2", "IAP2Bluetooth", "IAP2Capture", "IAP2Runtime", "IAP2Simulation"],
      exclude: ["Fixtures", "Golden"], swiftSettings: settings),
    .testTarget(
      name: "IAP2USBTests", dependencies: ["IAP2", "IAP2Runtime", "IAP2USB", "IAP2Testing"], swiftSettings: settings),
    .testTarget(
      name: "IAP2SimulationTests", dependencies: ["IAP2", "IAP2Runtime", "IAP2Simulation"], swiftSettings: settings),
    .testTarget(
      name: "IAP2CoprocessorTests",
      dependencies: ["IAP2", "IAP2Authentication", "IAP2Coprocessor", "IAP2Runtime", "IAP2Testing"],
      swiftSettings: settings),
    .testTarget(
      name: "IAP2BluetoothTests", dependencies: ["IAP2", "IAP2Bluetooth", "IAP2Runtime"], swiftSettings: settings),
    .testTarget(
      name: "IAP2ConformanceTests", dependencies: ["IAP2", "IAP2Authentication", "IAP2Conformance", "IAP2Runtime"],
      swiftSettings: settings),
    .testTarget(
      name: "IAP2ScenarioTests", dependencies: ["IAP2", "IAP2Runtime", "IAP2Scenario"], swiftSettings: settings),
    .testTarget(
      name: "IAP2CaptureTests",
      dependencies: ["IAP2", "IAP2Authentication", "IAP2Capture", "IAP2Runtime", "IAP2Simulation"],
      swiftSettings: settings),
  ]
)
