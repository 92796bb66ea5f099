// swift-tools-version: 6.2
// A command-line program that talks to an accessory through `EASession`.

import PackageDescription

let package = Package(
  name: "AccessoryTerminal",
  dependencies: [.package(name: "swift-iap2", path: "../..")],
  targets: [
    .executableTarget(
      name: "accessory-terminal", dependencies: [.product(name: "ExternalAccessory", package: "swift-iap2")]),
    .testTarget(
      name: "AccessoryTerminalTests",
      dependencies: ["accessory-terminal", .product(name: "ExternalAccessoryTesting", package: "swift-iap2")]),
  ]
)
