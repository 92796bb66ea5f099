// swift-tools-version: 6.2
// The fuzz targets and what they need of swift-iap2, and nothing else: with sanitizers, the cryptography and the network
// that some of its modules depend on would take longer to build than all of this. What needs them is in folders of its
// own, left out here.
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
  name: "swift-iap2-fuzz",
  targets: [
    .target(name: "IAP2", swiftSettings: settings),
    .target(
      name: "IAP2Capture", dependencies: ["IAP2"], exclude: ["Live/CapturingTransport.swift", "Replay"],
      swiftSettings: settings),
    .target(
      name: "IAP2Simulation", dependencies: ["IAP2"],
      exclude: ["Fuzz", "Session", "Soak", "Study", "Transport"],
      swiftSettings: settings),
    .target(
      name: "IAP2Fuzzing", dependencies: ["IAP2", "IAP2Capture", "IAP2Simulation"], swiftSettings: settings),
    .executableTarget(name: "iap2-fuzz", dependencies: ["IAP2Fuzzing"], swiftSettings: settings),
  ]
)
