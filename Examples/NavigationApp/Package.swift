// swift-tools-version: 6.2
// A navigation app's code for the car and its tests, which take its map buttons and its cable away. `iap2 car` drives the app.

import PackageDescription

let package = Package(
  name: "NavigationApp",
  dependencies: [.package(name: "swift-iap2", path: "../..")],
  targets: [
    .target(
      name: "NavigationCode",
      dependencies: [.product(name: "CarPlay", package: "swift-iap2", condition: .when(platforms: [.linux]))]),
    .executableTarget(
      name: "navigation-app", dependencies: ["NavigationCode", .product(name: "CarPlayHost", package: "swift-iap2")]),
    .testTarget(
      name: "NavigationCodeTests",
      dependencies: ["NavigationCode", .product(name: "CarPlayTesting", package: "swift-iap2")]),
  ]
)
