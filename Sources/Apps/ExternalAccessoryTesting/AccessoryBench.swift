// swift-iap2 · Apache-2.0

@_exported public import AccessoryPlatform
import ExternalAccessory
import Foundation
@_exported public import IAP2Roles
@_exported public import IAP2Runtime

/// The phone around the app under test: which accessories there are, and what happens to them.
///
/// There is one phone in a process, so tests that use it run one after another (`@Suite(.serialized)`). A test begins
/// with ``reset()``. Accessories come and go on the main queue, which must be served: a test is `async`, or runs the
/// main run loop.
public enum AccessoryBench {
  private static var platform: Platform { .shared }

  /// Ends every accessory, and forgets registrations, settings and the log. Accessories of the environment stay out.
  public static func reset() async { await platform.reset() }

  // MARK: Settings, until the next reset

  /// The behavior of the phone where Apple's is not known.
  public static var options: PlatformOptions {
    get { platform.options }
    set { platform.options = newValue }
  }

  /// Declares the app's Info.plist, in the place of a file.
  public static func setInfoPlist(_ entries: [String: Any]) {
    platform.declare(AppDeclaration(entries, place: "the test's Info.plist"))
  }

  /// Declares the app's EA protocols and its background mode, in the place of an Info.plist.
  public static func declare(protocols: [String], runsInBackground: Bool = false) {
    platform.declare(
      AppDeclaration(protocols: protocols, runsInBackground: runsInBackground, place: "the test's declaration"))
  }

  /// The faults of the phone that apps have met in the field.
  public static var faults: PhoneFaults {
    get { platform.faults }
    set { platform.faults = newValue }
  }

  /// Refuses this number of sessions from now on, with the reason `fault`.
  public static func refuseSessions(_ count: Int) { platform.faults.refuseOpen = .init(count: count) }

  /// The user's answer to the Bluetooth picker.
  public static var picker: PickerAnswer {
    get { platform.picker }
    set { platform.picker = newValue }
  }

  /// The accessories that wait for their Wi-Fi configuration.
  public static var wireless: WirelessAccessories {
    get { platform.wireless }
    set { platform.wireless = newValue }
  }

  // MARK: Accessories

  /// Attaches an accessory with a name and EA protocols, and plugs it in.
  ///
  /// - Parameters:
  ///   - name: The name of the accessory.
  ///   - protocols: Its EA protocols.
  ///   - services: The services by protocol. A session ends when its service returns. The bytes of a protocol without a
  ///     service are read and kept, see ``AttachedAccessory/received(_:)``. Services run on a thread of the accessory.
  ///   - faults: A fault plan of the connection, such as `stall=2000+500,seed=7`. Faults of the phone by their names,
  ///   such as `space=7`, are added to ``faults``.
  ///   - isPlugged: Whether the accessory is plugged in. If so, the call returns when the app can see it.
  /// - Throws: ``AccessoryBenchError`` if the fault plan is wrong, or the name or the protocols are no identification:
  ///   at most 1024 bytes for a name, and at most 255 protocols with different names that are not empty.
  @discardableResult
  public static func attach(
    name: String, protocols: [String],
    services: [String: @Sendable (ExternalAccessoryStream) async -> Void] = [:], faults: String = "",
    isPlugged: Bool = true
  ) async throws -> AttachedAccessory {
    try readable { () throws(ConfigurationProblem) in try EmulatedDescription.check(name: name, protocols: protocols) }
    return try await attach(
      .standard(name: name, protocols: protocols, features: []), services: services, faults: faults,
      isPlugged: isPlugged)
  }

  /// Attaches an accessory with an identification of its own. The other parameters are those of
  /// ``attach(name:protocols:services:faults:isPlugged:)``.
  @discardableResult
  public static func attach(
    _ profile: HeadUnitProfile, services: [String: @Sendable (ExternalAccessoryStream) async -> Void] = [:],
    faults: String = "", isPlugged: Bool = true
  ) async throws -> AttachedAccessory {
    let description = EmulatedDescription(headUnit: profile, services: services.mapValues { .body($0) })
    return try await attach(description, faults, isPlugged)
  }

  /// Attaches the accessory of a bundled profile or of a profile's file. `services` replaces services of the profile.
  /// The other parameters are those of ``attach(name:protocols:services:faults:isPlugged:)``.
  @discardableResult
  public static func attach(
    profile: String, services: [String: @Sendable (ExternalAccessoryStream) async -> Void] = [:],
    faults: String = "", isPlugged: Bool = true
  ) async throws -> AttachedAccessory {
    var description = try readable { () throws(ConfigurationProblem) in
      try EmulatedDescription(.init(.profile, profile))
    }
    description.services.merge(services.mapValues { .body($0) }) { $1 }
    return try await attach(description, faults, isPlugged)
  }

  /// Attaches an accessory whose services are scripts in YAML, as those of scenarios and profiles, and plugs it in.
  ///
  ///     let thermometer = try await AccessoryBench.attach(
  ///       name: "Thermometer", scripts: ["com.example.thermo": #"- {expect: "TEMP?\n", reply: "TEMP=23.5\n"}"#])
  ///
  /// - Parameters:
  ///   - name: The name of the accessory.
  ///   - scripts: The services by EA protocol: the list of a script, `echo`, `discard`, `stall`, or the socket of a
  ///     program as `tcp:HOST:PORT` or `unix:PATH`.
  ///   - faults: A fault plan of the connection.
  /// - Throws: ``AccessoryBenchError`` with the line and the key of the first wrong value.
  @discardableResult
  public static func attach(
    name: String, scripts: [String: String], faults: String = ""
  ) async throws -> AttachedAccessory {
    let description = try readable { () throws(ConfigurationProblem) in
      try EmulatedDescription(name: name, scripts: scripts)
    }
    return try await attach(description, faults, true)
  }

  /// Attaches the accessory of a bundled scenario or of a scenario's file, and plays the scenario's steps against the
  /// app.
  ///
  /// Steps of the phone are an error, because the app is the phone. ``AttachedAccessory/scenarioFailure()`` waits for
  /// the end of the steps. The call returns when the app can see the accessory, or at once if the scenario begins with
  /// `cut`.
  ///
  /// - Parameters:
  ///   - scenario: The name of a bundled scenario, or the path of a file.
  ///   - services: Closures in the place of services of the scenario.
  ///   - faults: A fault plan in the place of that of the scenario.
  @discardableResult
  public static func attach(
    scenario: String, services: [String: @Sendable (ExternalAccessoryStream) async -> Void] = [:], faults: String = ""
  ) async throws -> AttachedAccessory {
    var description = try readable { () throws(ConfigurationProblem) in
      try EmulatedDescription(.init(.scenario, scenario))
    }
    description.services.merge(services.mapValues { .body($0) }) { $1 }
    return try await attach(description, faults, true)
  }

  /// Attaches the accessory of a capture, and plugs it in. Its EA sessions play the recorded bytes.
  ///
  /// The recorded bytes of the accessory follow the app's bytes by position, without the recorded times. The first byte
  /// that differs from the recording is one line on standard error and in the ``log``, and ends the session.
  ///
  /// - Parameters:
  ///   - replay: The path of a capture in any format that `iap2 decode` reads.
  ///   - isLenient: Whether a session continues after a difference.
  ///   - faults: A fault plan of the connection.
  @discardableResult
  public static func attach(
    replay: String, isLenient: Bool = false, faults: String = ""
  ) async throws -> AttachedAccessory {
    let description = try readable { () throws(ConfigurationProblem) in
      try EmulatedDescription(.init(.replay, replay, isLenient: isLenient))
    }
    return try await attach(description, faults, true)
  }

  /// Attaches the accessories of a configuration file, as `EXTERNAL_ACCESSORY_CONFIG` does. Returns when the app can
  /// see those that are plugged in at once.
  ///
  /// - Throws: ``AccessoryBenchError`` with the file, the line and the key of the first wrong value.
  @discardableResult
  public static func attach(
    configuration: String
  ) async throws -> (accessories: [AttachedAccessory], transports: [AttachedTransport]) {
    let (emulated, transports) = try readable { () throws(ConfigurationProblem) in
      try platform.attach(configuration: configuration)
    }
    let accessories = emulated.map(AttachedAccessory.init)
    for accessory in accessories { await accessory.begin() }
    for transport in transports { transport.start() }
    return (accessories, transports.map(AttachedTransport.init))
  }

  private static func attach(
    _ description: EmulatedDescription, _ faults: String, _ isPlugged: Bool
  ) async throws -> AttachedAccessory {
    var description = description
    try readable { () throws(ConfigurationProblem) in try description.checkIdentification() }
    if let plan = try readable({ () throws(ConfigurationProblem) in try platform.setFaults(faults) }) {
      description.faults = plan
    }
    let attached = AttachedAccessory(platform.attach(description))
    if isPlugged { await attached.begin() }
    return attached
  }

  /// Attaches the accessories that connect over a transport, such as `tcp-listen:127.0.0.1:7000` or `usb`.
  ///
  /// - Parameters:
  ///   - transport: The transport.
  ///   - faults: A fault plan of the connection.
  ///   - authentication: The accessories that the phone trusts: `test` for those with a certificate of the test
  ///     authority, `any`, or the PEM file of a certificate authority. Without a value, the variable
  ///     `EXTERNAL_ACCESSORY_AUTHENTICATION` decides, then `test`. Real accessories need another value than `test`.
  /// - Throws: ``AccessoryBenchError`` if the transport, the fault plan or the authentication is wrong.
  @discardableResult
  public static func attach(
    transport: String, faults: String = "", authentication: String? = nil
  ) throws -> AttachedTransport {
    try readable { () throws(ConfigurationProblem) in
      let accessory = try platform.attach(transport, faults: faults, authentication: authentication)
      accessory.start()
      return AttachedTransport(accessory)
    }
  }

  private static func readable<Value>(
    _ body: () throws(ConfigurationProblem) -> Value
  ) throws(AccessoryBenchError) -> Value {
    do { return try body() } catch { throw AccessoryBenchError(description: error.text) }
  }

  // MARK: The app

  /// Puts the app into the background. UIKit's notification is posted by its name, for apps that have a replacement.
  public static func enterBackground() async {
    await platform.onMainQueue { post("UIApplicationDidEnterBackgroundNotification") }
    await platform.enterBackground()
  }

  /// Puts the app into the foreground. UIKit's notification is posted by its name.
  public static func enterForeground() async {
    await platform.onMainQueue { post("UIApplicationWillEnterForegroundNotification") }
    await platform.enterForeground()
  }

  /// Suspends the app: its streams report nothing, and accessories come and go without a notification. The code of the
  /// app goes on, so an app under test has no events to act on.
  public static func suspend() { platform.suspend() }

  /// Resumes the app. It is notified of accessories that connected or disconnected, except of those that did both.
  public static func resume() async { await platform.resume() }

  /// Ends all sessions with an error and all connections, as a restart of the phone's accessory service does. The
  /// emulated accessories connect again, and the call returns when the app can see them.
  public static func restartService() async { await platform.restartService() }

  private static func post(_ name: String) {
    NotificationCenter.default.post(name: Notification.Name(name), object: nil)
  }

  /// The calls of the app, and the events and notifications it received since the last reset. The last 65,536 entries
  /// are kept.
  public static var log: [PlatformLogEntry] { platform.log.entries }
}

/// A wrong profile, transport or fault plan of a test.
public struct AccessoryBenchError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The problem as one line.
  public let description: String
}
