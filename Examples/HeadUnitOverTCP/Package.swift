// swift-tools-version: 6.2
// A head unit of your own, over TCP or any other transport.

import PackageDescription

let package = Package(
  name: "HeadUnitOverTCP",
  dependencies: [.package(name: "swift-iap2", path: "../..")],
  targets: [
    .executableTarget(
      name: "head-unit",
      dependencies: [
        .product(name: "IAP2Runtime", package: "swift-iap2"), .product(name: "IAP2Sockets", package: "swift-iap2"),
      ]),
    .testTarget(name: "HeadUnitTests", dependencies: ["head-unit"]),
  ]
)
