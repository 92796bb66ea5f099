// swift-tools-version: 6.2
// An app of a car's maker: it draws its own screen in the maker's cars and talks to them by an EA protocol. With tests.

import PackageDescription

let package = Package(
  name: "MakerApp",
  dependencies: [.package(name: "swift-iap2", path: "../..")],
  targets: [
    .target(
      name: "MakerCode",
      dependencies: ["CarPlay", "ExternalAccessory"].map {
        .product(name: $0, package: "swift-iap2", condition: .when(platforms: [.linux]))
      }),
    .executableTarget(
      name: "maker-app", dependencies: ["MakerCode", .product(name: "CarPlayHost", package: "swift-iap2")]),
    .testTarget(
      name: "MakerCodeTests",
      dependencies: [
        "MakerCode", .product(name: "CarPlayTesting", package: "swift-iap2"),
        .product(name: "ExternalAccessoryTesting", package: "swift-iap2"),
      ]),
  ]
)
