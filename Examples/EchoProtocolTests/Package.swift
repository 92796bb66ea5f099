// swift-tools-version: 6.2
// How a project of yours tests its accessory protocol with swift-iap2.

import PackageDescription

let package = Package(
  name: "EchoProtocolTests",
  dependencies: [.package(name: "swift-iap2", path: "../..")],
  targets: [
    .testTarget(name: "EchoProtocolTests", dependencies: [.product(name: "IAP2Testing", package: "swift-iap2")])
  ]
)
