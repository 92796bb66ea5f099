// swift-tools-version: 6.2
// A capture decoded, filtered and explained by the library.

import PackageDescription

let package = Package(
  name: "DecodeCapture",
  dependencies: [.package(name: "swift-iap2", path: "../..")],
  targets: [
    .executableTarget(
      name: "decode-capture", dependencies: [.product(name: "IAP2Analysis", package: "swift-iap2")]),
    .testTarget(name: "DecodeCaptureTests", dependencies: ["decode-capture"]),
  ]
)
