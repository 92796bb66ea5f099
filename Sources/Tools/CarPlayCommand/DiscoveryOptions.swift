// swift-iap2 · Apache-2.0

import ArgumentParser
import Bonjour
import CarPlaySession
import CommandSupport
package import IAP2Transport

/// The options of a head unit that phones find.
package struct HeadUnitDiscoveryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Announce the head unit by Bonjour under this name, through Avahi; --listen is then every address.",
      valueName: "name"))
  var announce: String?

  @Option(
    help: ArgumentHelp(
      "Ask a phone that announces itself to connect (control request): any, a name, or a Bluetooth address.",
      valueName: "any|name|address"))
  var call: String?

  package init() {}

  package func validate() throws {
    try announce.map { try DiscoveryName.check($0, of: "--announce") }
    if call?.isEmpty == true { throw ValidationError("--call takes any, a name or an address") }
    guard call == nil || announce != nil else {
      throw ValidationError("--call needs --announce: a phone that is called looks for the head unit by Bonjour")
    }
  }

  /// Whether the head unit is announced.
  package var isGiven: Bool { announce != nil }

  /// Which phones are called; nil for none.
  var target: PhoneCaller.Target? { call.map { $0 == "any" ? .any : .named($0) } }
}

/// The options of a phone that finds its head unit.
package struct PhoneDiscoveryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Find the head unit by Bonjour, through Avahi, in place of --connect: any, a name, or its address as in deviceid.
      """,
      valueName: "any|name|address"))
  var find: String?

  @Flag(
    help: """
      Announce the phone by Bonjour, through Avahi, and connect to a head unit that asks for it (control request).
      """)
  package var announce = false

  package init() {}

  package func validate() throws {
    if find?.isEmpty == true { throw ValidationError("--find takes any, a name or an address") }
  }

  /// Whether the phone finds head units.
  package var isGiven: Bool { target != nil }

  /// Returns what finds the head unit; nil for one that the user names.
  package func discovery(
    _ pairings: PairingFile, name: String?, sourceVersion: String, json: Bool, clock: any RuntimeClock
  ) -> PhoneDiscovery? {
    guard let target else { return nil }
    let announced = DeviceID(pairings.identity.macAddress).map { id in
      (name: name ?? "iap2 phone", text: PhoneRecord.text(bluetoothID: id, sourceVersion: sourceVersion))
    }
    var settings = HeadUnitFinder.Settings(target)
    settings.known = Set(pairings.keys.keys)
    return PhoneDiscovery(settings, announced: announce ? announced : nil) { event in
      CarPlayLine.show(event.record, of: .phone, at: clock.now, json: json)
    }
  }

  /// Which head unit the phone connects to; nil without discovery.
  var target: HeadUnitFinder.Target? {
    guard let find else { return announce ? .caller : nil }
    return find == "any" ? .any : .named(find)
  }
}

/// The names of services and networks.
package enum DiscoveryName {
  package static func check(
    _ name: String, of option: String, maximumByteCount: Int = AdvertisedService.maximumNameByteCount
  ) throws {
    guard (1...maximumByteCount).contains(name.utf8.count) else {
      throw ValidationError("\(option) takes a name of 1 to \(maximumByteCount) bytes")
    }
    guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      throw ValidationError("\(option) takes a name without control characters")
    }
  }
}

extension DirectoryProblem {
  /// The end of a command.
  var failure: CommandFailure {
    switch self {
    case .denied: CommandFailure(.noPermission, explanation)
    default: CommandFailure(.unavailable, explanation)
    }
  }
}
