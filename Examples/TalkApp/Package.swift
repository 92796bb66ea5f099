// swift-tools-version: 6.2
// An app for messages and calls in the car, and its tests. `iap2 car` drives the app.

import PackageDescription

let package = Package(
  name: "TalkApp",
  dependencies: [.package(name: "swift-iap2", path: "../..")],
  targets: [
    .target(
      name: "TalkCode",
      dependencies: [.product(name: "CarPlay", package: "swift-iap2", condition: .when(platforms: [.linux]))]),
    .executableTarget(
      name: "talk-app", dependencies: ["TalkCode", .product(name: "CarPlayHost", package: "swift-iap2")]),
    .testTarget(
      name: "TalkCodeTests", dependencies: ["TalkCode", .product(name: "CarPlayTesting", package: "swift-iap2")]),
  ]
)
