// swift-tools-version: 6.2
// A radio app's code for the car, on the API of iOS 14 and on the one before, and its tests. `iap2 car` drives the app.

import PackageDescription

let package = Package(
  name: "RadioApp",
  dependencies: [.package(name: "swift-iap2", path: "../..")],
  targets: [
    .target(
      name: "RadioCode",
      dependencies: [.product(name: "CarPlay", package: "swift-iap2", condition: .when(platforms: [.linux]))],
      resources: [.process("Resources")]),
    .executableTarget(
      name: "radio-app", dependencies: ["RadioCode", .product(name: "CarPlayHost", package: "swift-iap2")]),
    .testTarget(
      name: "RadioCodeTests",
      dependencies: ["RadioCode", .product(name: "CarPlayTesting", package: "swift-iap2")]),
  ]
)
