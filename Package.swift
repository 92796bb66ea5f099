// swift-tools-version: 6.2
// swift-iap2: both sides of the accessory protocol, as a library and as the command `iap2`.
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

/// The layers of the house, bottom first: a target imports targets of its own layer and of the layers below.
///
/// `tools/check layers` reads the imports of every file and holds them to this order.
enum Layer: String {
  case protocols = "Protocol"
  case transport = "Transport"
  case live = "Live"
  case laboratory = "Laboratory"
  case apps = "Apps"
  case tools = "Tools"

  func target(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .target(
      name: name, dependencies: dependencies, path: "Sources/\(rawValue)/\(name)", resources: resources,
      swiftSettings: settings)
  }

  func executable(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .executableTarget(
      name: name, dependencies: dependencies, path: "Sources/\(rawValue)/\(name)", resources: resources,
      swiftSettings: settings)
  }

  func system(_ name: String, pkgConfig: String? = nil, package: String? = nil) -> Target {
    .systemLibrary(
      name: name, path: "Sources/\(rawValue)/\(name)", pkgConfig: pkgConfig, providers: package.map { [.apt([$0])] })
  }

  /// A target with helpers that the tests of several targets share.
  func testSupport(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(rawValue)/\(name)", swiftSettings: settings)
  }

  /// Code of apps in the language mode that most apps have. Their warnings are errors here too.
  func appInSwift5(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
      name: name, dependencies: dependencies, path: "Tests/\(rawValue)/\(name)",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)])
  }

  /// A program that tests start as a process of its own.
  func testProgram(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
      name: name, dependencies: dependencies, path: "Tests/\(rawValue)/\(name)", swiftSettings: settings)
  }

  func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
      name: name, dependencies: dependencies, path: "Tests/\(rawValue)/\(name)", exclude: exclude,
      swiftSettings: settings)
  }
}

let libraries = [
  "IAP2", "IAP2Formats", "IAP2Roles", "IAP2Authentication", "IAP2Transport", "IAP2Sockets", "IAP2USB", "IAP2Bluetooth",
  "IAP2Coprocessor", "IAP2Transports", "IAP2Runtime", "IAP2Capture", "IAP2Analysis", "IAP2Replay", "IAP2Faults",
  "IAP2Scenario", "IAP2Simulation", "IAP2Conformance", "IAP2Testing", "ExternalAccessory", "ExternalAccessoryTesting",
  "CarPlay", "CarPlayHost", "CarPlayTesting", "CarPlaySession", "CarPlayLive", "CarPlayPrograms", "CarPlaySimulation",
  "Cryptography", "Basics", "FaultModel", "HIDReports",
]

/// The modules with the shapes of other frameworks of iOS, as far as CarPlay apps use them.
let shapes = [
  "AVFoundation", "CallKit", "Contacts", "CoreLocation", "Intents", "MapKit", "MediaPlayer", "UIKit",
  "UserNotifications",
]

/// The modules that an app imports beside one of its frameworks.
let companions = ["CarPlay": shapes + ["LogSupport"], "ExternalAccessory": ["LogSupport"]]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "swift-iap2",
  products: libraries.map { .library(name: $0, targets: [$0] + (companions[$0] ?? [])) } + [
    .executable(name: "iap2", targets: ["iap2"]), .executable(name: "iap2-port", targets: ["iap2-port"]),
  ],
  traits: [
    .trait(name: "USB", description: "USB transports, through libusb-1.0"),
    .trait(name: "Bluetooth", description: "D-Bus: Bluetooth transports, through BlueZ, and Bonjour, through Avahi"),
    .trait(
      name: "Screen", description: "Pictures of the car's screen: Cairo, Pango, libjpeg-turbo, libsixel, OpenH264"),
    .default(enabledTraits: ["USB", "Bluetooth"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // Protocol: pure values, no I/O, no clock.
    // The ground floor: time, numbers, bytes and text, and the one way to declare an event.
    Layer.protocols.target("Basics"),
    Layer.protocols.tests("BasicsTests", ["Basics"]),
    // Values of YAML files: one description for the reader, the schema for editors, and the words of lists.
    Layer.protocols.target("YAMLForms", ["Basics", .product(name: "Yams", package: "Yams")]),
    Layer.protocols.testSupport("SchemaSupport", ["YAMLForms"]),
    Layer.protocols.tests("YAMLFormsTests", ["Basics", "SchemaSupport", "YAMLForms"]),
    Layer.protocols.target("IAP2", ["Basics"]),
    // The report descriptors of input devices, which both protocols carry.
    Layer.protocols.target("HIDReports", ["Basics"]),
    Layer.protocols.tests("HIDReportsTests", ["Basics", "HIDReports", "WireSupport"]),
    Layer.protocols.target("IAP2Formats", ["HIDReports", "IAP2"]),
    Layer.protocols.target("IAP2Roles", ["Basics", "IAP2", "IAP2Formats"]),
    // All cryptography, behind calls without pointers: the libcrypto of the system.
    Layer.protocols.system("COpenSSL", pkgConfig: "libcrypto", package: "libssl-dev"),
    Layer.protocols.target("Cryptography", ["COpenSSL"]),
    Layer.protocols.tests("CryptographyTests", ["Cryptography", "WireSupport"], exclude: ["Wycheproof"]),
    Layer.protocols.target("IAP2Authentication", ["Cryptography"]),
    Layer.protocols.target("CarPlaySession", ["Basics", "Cryptography", "HIDReports"]),
    Layer.protocols.tests(
      "CarPlaySessionTests", ["Basics", "CarPlaySession", "Cryptography", "HIDReports", "WireSupport"],
      exclude: ["Fixtures"]),
    Layer.protocols.testSupport("WireSupport", ["HIDReports"]),
    Layer.protocols.tests(
      "IAP2Tests", ["WireSupport", "IAP2", "IAP2Capture", "IAP2Faults", "IAP2Fuzzing", "IAP2Roles"], exclude: ["Golden"]
    ),
    Layer.protocols.tests("IAP2FormatsTests", ["Basics", "WireSupport", "IAP2", "IAP2Formats", "IAP2Roles"]),
    Layer.protocols.tests(
      "IAP2RolesTests", ["Basics", "WireSupport", "IAP2", "IAP2Faults", "IAP2Formats", "IAP2Fuzzing", "IAP2Roles"],
      exclude: ["Golden"]),
    Layer.protocols.tests(
      "IAP2AuthenticationTests",
      ["IAP2Authentication", "IAP2Faults", "IAP2Roles", "IAP2Runtime", "IAP2Testing", "IAP2Transport"]),

    // Transport: bytes and time.
    Layer.transport.target("IAP2Transport", ["IAP2"]),
    Layer.transport.target(
      "IAP2Sockets",
      [
        "IAP2Transport", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    Layer.transport.system("CI2C"),
    Layer.transport.target(
      "IAP2Coprocessor", ["CI2C", "IAP2", "IAP2Authentication", "IAP2Sockets", "IAP2Transport"]),
    Layer.transport.system("CLibUSB", pkgConfig: "libusb-1.0", package: "libusb-1.0-0-dev"),
    Layer.transport.target(
      "IAP2USB", ["IAP2", "IAP2Formats", "IAP2Transport", .target(name: "CLibUSB", condition: .when(traits: ["USB"]))]),
    Layer.transport.system("CBlueZ", pkgConfig: "bluez", package: "libbluetooth-dev"),
    Layer.transport.system("CDBus", pkgConfig: "dbus-1", package: "libdbus-1-dev"),
    // Calls to daemons of the system: BlueZ and Avahi.
    Layer.transport.target("DBus", [.target(name: "CDBus", condition: .when(traits: ["Bluetooth"]))]),
    Layer.transport.target(
      "IAP2Bluetooth",
      [
        "DBus", "IAP2", "IAP2Formats", "IAP2Transport",
        .target(name: "CBlueZ", condition: .when(traits: ["Bluetooth"])),
      ]),
    // The services of CarPlay on the network, through Avahi.
    Layer.transport.target("Bonjour", ["CarPlaySession", "DBus", "IAP2Transport"]),
    Layer.transport.tests("BonjourTests", ["Bonjour", "CarPlaySession"]),
    Layer.transport.target(
      "IAP2Transports", ["IAP2", "IAP2Bluetooth", "IAP2Formats", "IAP2Sockets", "IAP2Transport", "IAP2USB"]),
    Layer.transport.tests(
      "IAP2CoprocessorTests",
      [
        "IAP2", "IAP2Authentication", "IAP2Coprocessor", "IAP2Runtime", "IAP2Testing", "IAP2Transport",
      ]),
    Layer.transport.tests(
      "IAP2SocketsTests",
      [
        "IAP2Sockets", "IAP2Transport", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ]),
    Layer.transport.tests(
      "IAP2USBTests", ["IAP2", "IAP2Formats", "IAP2Runtime", "IAP2Transport", "IAP2USB"]),
    Layer.transport.tests("IAP2BluetoothTests", ["DBus", "IAP2", "IAP2Bluetooth", "IAP2Formats", "IAP2Transport"]),

    // Live: roles on real or virtual clocks.
    Layer.live.target(
      "IAP2Runtime", ["IAP2", "IAP2Authentication", "IAP2Formats", "IAP2Roles", "IAP2Transport"]),
    Layer.live.tests(
      "IAP2RuntimeTests",
      [
        "IAP2", "IAP2Authentication", "IAP2Formats", "IAP2Roles", "IAP2Runtime", "IAP2Testing", "IAP2Transport",
      ]),

    // The programs and the content of both sides of a CarPlay session: values, without files and sockets.
    Layer.live.target("CarPlayPrograms", ["Basics", "CarPlaySession"]),
    // iAP2 inside a CarPlay session, on both sides, for sockets and for memory.
    Layer.live.target(
      "CarPlayInnerLink",
      ["CarPlaySession", "IAP2", "IAP2Authentication", "IAP2Roles", "IAP2Runtime", "IAP2Transport"]),
    Layer.live.tests(
      "CarPlayInnerLinkTests",
      [
        "CarPlayInnerLink", "CarPlaySession", "IAP2Authentication", "IAP2Roles", "IAP2Runtime", "IAP2Transport",
      ]),
    Layer.live.tests("CarPlayProgramsTests", ["Basics", "CarPlayPrograms", "CarPlaySession", "Cryptography"]),
    Layer.live.target(
      "CarPlayLive",
      [
        "Basics", "CarPlaySession", "Cryptography", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),

    // Laboratory: what is done with sessions.
    Layer.laboratory.target("IAP2Capture", ["IAP2", "IAP2Formats", "IAP2Roles", "IAP2Transport"]),
    // `tools/check layers` holds IAP2Capture and IAP2Analysis free of sockets and cryptography.
    Layer.laboratory.target("IAP2Analysis", ["Basics", "IAP2", "IAP2Capture", "IAP2Formats", "IAP2Roles"]),
    // The rules of CarPlay sessions and their judge, and the comparison of sessions.
    Layer.laboratory.target("CarPlayAnalysis", ["Basics", "CarPlaySession", "HIDReports", "IAP2", "IAP2Analysis"]),
    // CarPlay sessions in captures, beside the iAP2 of IAP2Capture.
    Layer.laboratory.target(
      "CarPlayCapture",
      [
        "Basics", "CarPlayAnalysis", "CarPlaySession", "Cryptography", "HIDReports", "IAP2", "IAP2Authentication",
        "IAP2Capture",
      ]),
    Layer.laboratory.target(
      "IAP2Replay",
      [
        "Basics", "IAP2", "IAP2Analysis", "IAP2Authentication", "IAP2Capture", "IAP2Roles", "IAP2Runtime",
        "IAP2Transport",
      ]),
    // Plans of faults as values, for every kind of connection.
    Layer.laboratory.target("FaultModel", ["Basics"]),
    Layer.laboratory.target(
      "CarPlaySimulation", ["Basics", "CarPlaySession", "Cryptography", "FaultModel", "IAP2Authentication"]),
    Layer.laboratory.tests(
      "CarPlaySimulationTests",
      ["Basics", "CarPlayPrograms", "CarPlaySession", "CarPlaySimulation", "Cryptography", "FaultModel"],
      exclude: ["Golden"]),
    Layer.laboratory.testProgram("carplay-sessions", ["CarPlaySimulation"]),
    Layer.laboratory.target("IAP2Faults", ["Basics", "FaultModel", "IAP2", "IAP2Roles", "IAP2Transport"]),
    Layer.laboratory.target(
      "IAP2Simulation", ["IAP2", "IAP2Authentication", "IAP2Faults", "IAP2Roles", "IAP2Runtime", "IAP2Transport"]),
    Layer.laboratory.target(
      "IAP2Scenario",
      [
        "Basics", "CarPlayInnerLink", "CarPlayPrograms", "CarPlaySession", "CarPlaySimulation", "IAP2",
        "IAP2Authentication", "IAP2Faults", "IAP2Formats", "IAP2Roles", "IAP2Runtime", "IAP2Simulation", "IAP2Sockets",
        "IAP2Transport", "YAMLForms",
      ],
      resources: [.embedInCode("Bundled"), .embedInCode("Profiles")]),
    // Accessories and replay peers from recordings. Without them, scenarios build before the readers of captures.
    Layer.laboratory.target(
      "IAP2Recordings",
      [
        "IAP2", "IAP2Analysis", "IAP2Authentication", "IAP2Capture", "IAP2Replay", "IAP2Roles", "IAP2Runtime",
        "IAP2Scenario", "IAP2Transport",
      ]),
    Layer.laboratory.target(
      "IAP2Conformance",
      [
        "IAP2", "IAP2Authentication", "IAP2Capture", "IAP2Faults", "IAP2Fuzzing", "IAP2Roles", "IAP2Runtime",
        "IAP2Transport",
      ]),
    // The checks of CarPlay sessions, beside those of iAP2.
    Layer.laboratory.target(
      "CarPlayConformance",
      [
        "Basics", "CarPlayAnalysis", "CarPlayPrograms", "CarPlaySession", "CarPlaySimulation", "Cryptography", "IAP2",
        "IAP2Conformance",
      ]),
    Layer.laboratory.tests(
      "CarPlayConformanceTests",
      [
        "Basics", "CaptureSupport", "CarPlayAnalysis", "CarPlayCapture", "CarPlayConformance", "CarPlayPrograms",
        "CarPlaySession", "CarPlaySimulation", "Cryptography", "IAP2", "IAP2Analysis", "IAP2Capture", "IAP2Conformance",
        "IAP2Fuzzing",
      ]),
    Layer.laboratory.target(
      "IAP2Testing", ["IAP2", "IAP2Authentication", "IAP2Roles", "IAP2Runtime", "IAP2Simulation", "IAP2Transport"]),
    Layer.laboratory.target(
      "IAP2Fuzzing",
      [
        "Basics", "CarPlayAnalysis", "CarPlayCapture", "CarPlaySession", "Cryptography", "HIDReports", "IAP2",
        "IAP2Authentication", "IAP2Capture", "IAP2Faults", "IAP2Roles", "IAP2Transport",
      ]),
    Layer.laboratory.testSupport("CaptureSupport"),
    Layer.laboratory.tests(
      "IAP2CaptureTests", ["Basics", "CaptureSupport", "IAP2", "IAP2Capture", "IAP2Fuzzing", "IAP2Testing"]),
    Layer.laboratory.tests("CarPlayAnalysisTests", ["CarPlayAnalysis", "CarPlaySession"]),
    Layer.laboratory.tests(
      "CarPlayCaptureTests",
      [
        "Basics", "CaptureSupport", "CarPlayAnalysis", "CarPlayCapture", "CarPlaySession", "CarPlaySimulation", "IAP2",
        "IAP2Analysis", "IAP2Capture",
      ]),
    Layer.laboratory.tests(
      "IAP2AnalysisTests",
      [
        "Basics", "CaptureSupport", "IAP2", "IAP2Analysis", "IAP2Capture", "IAP2Formats", "IAP2Replay", "IAP2Roles",
        "IAP2Runtime", "IAP2Simulation", "IAP2Transport",
      ]),
    Layer.laboratory.tests("IAP2FaultsTests", ["IAP2", "IAP2Faults", "IAP2Runtime", "IAP2Transport"]),
    Layer.laboratory.tests(
      "IAP2SimulationTests", ["IAP2", "IAP2Faults", "IAP2Roles", "IAP2Runtime", "IAP2Simulation", "IAP2Transport"]),
    Layer.laboratory.tests(
      "IAP2ScenarioTests",
      [
        "Basics", "CarPlaySession", "CarPlaySimulation", "IAP2", "IAP2Faults", "IAP2Roles", "IAP2Runtime",
        "IAP2Scenario", "IAP2Simulation", "IAP2Transport", "SchemaSupport", "YAMLForms",
      ]),
    Layer.laboratory.tests(
      "IAP2ConformanceTests",
      [
        "IAP2", "IAP2Authentication", "IAP2Conformance", "IAP2Fuzzing", "IAP2Roles", "IAP2Runtime", "IAP2Transport",
      ]),
    Layer.laboratory.tests("IAP2TestingTests", ["IAP2", "IAP2Roles", "IAP2Runtime", "IAP2Testing", "IAP2Transport"]),
    Layer.laboratory.tests("IAP2FuzzingTests", ["IAP2Fuzzing"], exclude: ["Corpora", "Findings"]),

    // Apps: what an app under test imports, and the phone around it.
    Layer.apps.target(
      "AccessoryPlatform",
      [
        "Basics", "IAP2", "IAP2Authentication", "IAP2Capture", "IAP2Faults", "IAP2Recordings", "IAP2Roles",
        "IAP2Runtime", "IAP2Scenario", "IAP2Transport", "IAP2Transports", "YAMLForms",
      ]),
    // Names that `iap2 port` writes into the source of apps: selectors, the iOS version, scene delegates.
    Layer.apps.target("PortingSupport"),
    Layer.apps.tests("PortingSupportTests", ["CarSupport", "PortingSupport"]),
    // The logger that `iap2 port` puts in the place of those of `os` and `OSLog`.
    Layer.apps.target("LogSupport", ["PortingSupport"]),
    Layer.apps.tests("LogSupportTests", ["LogSupport"]),
    Layer.apps.target("ExternalAccessory", ["AccessoryPlatform", "PortingSupport"]),
    Layer.apps.target(
      "ExternalAccessoryTesting",
      ["AccessoryPlatform", "Basics", "ExternalAccessory", "IAP2Analysis", "IAP2Roles", "IAP2Runtime"]),
    Layer.apps.target("Contacts"),
    Layer.apps.target("CoreLocation"),
    // The compiler imports this module into files that import Testing and UIKit.
    Layer.apps.target("_Testing_UIKit"),
    Layer.apps.target("UIKit", ["PortingSupport", "_Testing_UIKit"]),
    Layer.apps.target("MapKit", ["Contacts", "CoreLocation", "UIKit"]),
    Layer.apps.target("MediaPlayer", ["PortingSupport", "UIKit"]),
    Layer.apps.target("AVFoundation", ["PortingSupport"]),
    Layer.apps.target("CallKit", ["AVFoundation"]),
    Layer.apps.target("UserNotifications"),
    Layer.apps.target("Intents", ["UserNotifications"]),
    Layer.apps.target("CarPlayPlatform", ["Basics"]),
    // Programs that read a car's profile build no shape.
    Layer.apps.target(
      "CarPlayProfiles", ["Basics", "CarPlayPlatform", "YAMLForms"],
      resources: [.embedInCode("Profiles")]),
    Layer.apps.target(
      "CarPlay", ["CarPlayPlatform", "CoreLocation", "MapKit", "MediaPlayer", "PortingSupport", "UIKit"]),
    Layer.apps.target(
      "CarPlayHost",
      [
        "AVFoundation", "Basics", "CallKit", "CarPlay", "CarPlayPlatform", "CarPlayProfiles", "CarPlayScreen",
        "CoreLocation", "IAP2", "IAP2Roles", "Intents", "MapKit", "MediaPlayer", "PortingSupport", "UIKit",
        "UserNotifications",
      ]),
    Layer.apps.target(
      "CarPlayTesting",
      [
        "Basics", "CarPlay", "CarPlayDrawing", "CarPlayHost", "CarPlayPlatform", "CarPlayProfiles", "IAP2Roles",
        "MediaPlayer", "UIKit",
      ]),
    // The starter of other programs, and of the one that draws.
    Layer.apps.system("CSpawn"),
    Layer.apps.target("CarPlayDrawing", ["CSpawn", "CarPlayPlatform"]),
    // The layout of the car's screen: values, without a library that draws.
    Layer.apps.target("CarPlayScreen", ["CarPlayPlatform"]),
    Layer.apps.tests(
      "CarPlayScreenTests", ["Basics", "CarPlayPlatform", "CarPlayProfiles", "CarPlayScreen"],
      exclude: ["Golden", "Screens.jsonl"]),
    Layer.apps.testSupport("CarSupport"),
    Layer.apps.tests(
      "ShapesTests", (shapes + ["Basics", "CarSupport", "PortingSupport"]).map { .init(stringLiteral: $0) }),
    Layer.apps.appInSwift5("Swift5App", ["AVFoundation", "CarPlay", "MediaPlayer"]),
    Layer.apps.tests(
      "CarPlayTests", ["CarPlay", "CarPlayPlatform", "CarSupport", "MapKit", "PortingSupport", "Swift5App", "UIKit"]),
    Layer.apps.tests(
      "CarPlayHostTests",
      [
        "AVFoundation", "Basics", "CallKit", "CarPlayHost", "CarPlayPlatform", "CarPlayScreen", "CarPlayTesting",
        "CarSupport", "CoreLocation", "IAP2", "IAP2Roles", "Intents", "MediaPlayer", "PortingSupport", "Swift5App",
        "UIKit", "UserNotifications",
      ]),
    Layer.apps.testProgram("car-operation", ["CarPlayTesting"]),
    Layer.apps.testProgram("car-probe", ["AVFoundation", "CarPlay", "CarPlayHost", "MediaPlayer", "UIKit"]),
    Layer.apps.testProgram("accessory-probe", ["ExternalAccessory"]),
    Layer.apps.tests(
      "ExternalAccessoryTests",
      [
        "accessory-probe", "AccessoryPlatform", "CarSupport", "ExternalAccessory", "ExternalAccessoryTesting", "IAP2",
        "IAP2Faults", "IAP2Roles", "IAP2Sockets", "IAP2Transport",
      ]),

    // Tools: the programs.
    // The converter of source has no dependency, so the command `iap2-port` builds quickly.
    Layer.tools.target("SourcePorting", ["Basics"]),
    Layer.tools.tests("SourcePortingTests", ["Basics", "SourcePorting"]),
    // The driver of an app's host builds neither the host nor the shapes.
    Layer.tools.target(
      "CarPlayControl",
      [
        "Basics", "CarPlayDrawing", "CarPlayPlatform", "IAP2", "IAP2Authentication", "IAP2Scenario", "IAP2Transport",
        "IAP2Transports", "YAMLForms",
      ],
      resources: [.embedInCode("Scenarios")]),
    Layer.tools.tests(
      "CarPlayControlTests",
      [
        "Basics", "car-probe", "CarPlayControl", "CarPlayDrawing", "CarPlayPhone", "CarPlayPlatform", "CarPlayProfiles",
        "CarPlaySession", "HIDReports", "IAP2", "IAP2Roles", "IAP2Scenario", "SchemaSupport", "YAMLForms",
      ]),
    Layer.tools.target("PortCommand", ["SourcePorting", argumentParser]),
    Layer.tools.executable("iap2-port", ["PortCommand", "SourcePorting", argumentParser]),
    // The output, the errors and the signals of a command.
    Layer.tools.target(
      "CommandSupport",
      [
        "Basics", "FaultModel", "IAP2", "IAP2Authentication", "IAP2Coprocessor", "IAP2Runtime", "IAP2Transport",
        "IAP2Transports", argumentParser,
      ]),
    // The emulated phone in a CarPlay session: its app's pictures, and the driver's input.
    Layer.tools.target(
      "CarPlayPhone",
      [
        "CarPlayControl", "CarPlayDrawing", "CarPlayPlatform", "CarPlayPrograms", "CarPlaySession", "HIDReports",
        "IAP2", "IAP2Roles", "IAP2Transport",
      ]),
    // The encoder and the decoder of sound, which are child processes.
    Layer.tools.target("CarPlaySound", ["Basics", "CarPlayDrawing", "CarPlayPrograms", "CarPlaySession"]),
    Layer.tools.tests("CarPlaySoundTests", ["Basics", "CarPlaySession", "CarPlaySound"]),
    // `iap2 carplay` and `iap2 pairings`, and the sessions of `iap2 headunit` and `iap2 phone`.
    Layer.tools.target(
      "CarPlayCommand",
      [
        "Basics", "Bonjour", "CaptureText", "CarPlayAnalysis", "CarPlayCapture", "CarPlayControl", "CarPlayInnerLink",
        "CarPlayLive", "CarPlayPhone", "CarPlayPlatform", "CarPlayPrograms", "CarPlayProfiles", "CarPlaySession",
        "CarPlaySimulation", "CarPlaySound",
        "CommandSupport", "Cryptography", "FaultModel", "IAP2", "IAP2Analysis", "IAP2Authentication", "IAP2Capture",
        "IAP2Faults", "IAP2Roles", "IAP2Runtime", "IAP2Scenario", "IAP2Transport", "IAP2USB", argumentParser,
      ]),
    // The events of a run as lines and rows, and its reports as pages and for build servers.
    Layer.tools.target(
      "RunReports",
      [
        "Basics", "CarPlayCapture", "CarPlayCommand", "CarPlayControl", "CarPlaySession", "CommandSupport", "IAP2",
        "IAP2Analysis", "IAP2Capture", "IAP2Roles", "IAP2Runtime", argumentParser,
      ]),
    Layer.tools.target("CaptureText", ["CommandSupport", "IAP2", "IAP2Analysis", "IAP2Capture"]),
    // `iap2 conformance`: what its two suites share, and the suite of CarPlay sessions on sockets.
    Layer.tools.target(
      "ConformanceCommand",
      [
        "Basics", "CarPlayAnalysis", "CarPlayCommand", "CarPlayConformance", "CarPlayLive", "CarPlaySession",
        "CommandSupport", "Cryptography", "IAP2", "IAP2Authentication", "IAP2Conformance", "IAP2Transport",
        argumentParser,
      ]),
    // The page of `iap2 lab`, its server, and the sessions that it shows.
    Layer.tools.target(
      "Lab",
      [
        "Basics", "CarPlayControl", "CarPlayDrawing", "CarPlayPhone", "CarPlayPlatform", "CarPlaySession",
        "Cryptography", "FaultModel", "IAP2", "IAP2Analysis", "IAP2Capture", "IAP2Faults", "IAP2Roles", "IAP2Runtime",
        "IAP2Scenario", "IAP2Transport", "IAP2Transports",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      resources: [.embedInCode("Page")]),
    Layer.tools.tests(
      "LabTests",
      [
        "CaptureSupport", "CarPlayCapture", "CarPlayControl", "CarPlayPlatform", "IAP2", "IAP2Analysis", "IAP2Capture",
        "IAP2Roles", "IAP2Runtime", "IAP2Scenario", "IAP2Transport", "Lab",
      ]),
    Layer.tools.executable(
      "iap2",
      [
        "Basics", "CaptureText", "CarPlayAnalysis", "CarPlayCapture", "CarPlayCommand", "CarPlayConformance",
        "CarPlayControl", "CarPlayInnerLink", "CarPlaySession", "CommandSupport", "ConformanceCommand", "IAP2",
        "IAP2Analysis", "IAP2Authentication", "IAP2Bluetooth", "IAP2Capture", "IAP2Conformance", "IAP2Coprocessor",
        "IAP2Faults", "IAP2Formats", "IAP2Fuzzing", "IAP2Recordings", "IAP2Replay", "IAP2Roles", "IAP2Runtime",
        "IAP2Scenario", "IAP2Simulation", "IAP2Sockets", "IAP2Transport", "IAP2Transports", "IAP2USB", "Lab",
        "PortCommand", "RunReports", "SourcePorting", argumentParser,
      ],
      resources: [.embedInCode("Wireshark/Lua")]),
    Layer.tools.executable(
      "iap2-benchmark",
      [
        "AccessoryPlatform", "CarPlaySession", "CarPlaySimulation", "CarPlaySound", "COpenSSL", "Cryptography",
        "ExternalAccessory", "ExternalAccessoryTesting", "IAP2", "IAP2Authentication", "IAP2Capture", "IAP2Fuzzing",
        "IAP2Roles", "IAP2Runtime", "IAP2Simulation", "IAP2Sockets", "IAP2Transport", argumentParser,
      ]),
    // Draws pictures of the car's screen. Without its trait it says only that it cannot.
    Layer.tools.system("CPango", pkgConfig: "pangocairo", package: "libpango1.0-dev"),
    Layer.tools.system("CTurboJPEG", pkgConfig: "libturbojpeg", package: "libturbojpeg0-dev"),
    Layer.tools.system("CSixel", pkgConfig: "libsixel", package: "libsixel-dev"),
    Layer.tools.system("COpenH264", pkgConfig: "openh264", package: "libopenh264-dev"),
    Layer.tools.executable(
      "iap2-screen",
      [
        "CarPlayPlatform", "CarPlayScreen", .target(name: "CPango", condition: .when(traits: ["Screen"])),
        .target(name: "CTurboJPEG", condition: .when(traits: ["Screen"])),
        .target(name: "CSixel", condition: .when(traits: ["Screen"])),
        .target(name: "COpenH264", condition: .when(traits: ["Screen"])), argumentParser,
      ]),
    Layer.tools.executable("iap2-fuzz", ["CarPlayConformance", "IAP2Fuzzing"]),
    Layer.tools.tests(
      "CommandTests",
      [
        "Basics", "car-probe", "CarPlayCommand", "CarPlayPhone", "CarPlayPlatform", "CarPlayPrograms",
        "CarPlaySession", "CarPlaySound", "CommandSupport", "ConformanceCommand", "iap2", "iap2-port", "IAP2",
        "IAP2Bluetooth", "IAP2Capture", "IAP2Conformance", "IAP2Coprocessor", "IAP2Fuzzing", "IAP2Roles", "IAP2Runtime",
        "IAP2Simulation", "IAP2Transport", "IAP2Transports", "RunReports",
      ],
      exclude: ["Fixtures", "Golden"]),
  ]
)
