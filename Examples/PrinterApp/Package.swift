// swift-tools-version: 6.2
// A printer's app code and its tests, which pull the cable.

import PackageDescription

let package = Package(
  name: "PrinterApp",
  dependencies: [.package(name: "swift-iap2", path: "../..")],
  targets: [
    .target(
      name: "PrinterCode",
      dependencies: [
        .product(name: "ExternalAccessory", package: "swift-iap2", condition: .when(platforms: [.linux]))
      ]),
    .testTarget(
      name: "PrinterCodeTests",
      dependencies: ["PrinterCode", .product(name: "ExternalAccessoryTesting", package: "swift-iap2")]),
  ]
)
