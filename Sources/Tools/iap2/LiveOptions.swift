// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import Foundation
import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transports

/// Options that `headunit` and `phone` share.
struct LiveOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The transport to the other side: \(AnyTransportAddress.forms).", valueName: "transport"))
  var transport: String

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @Option(help: "The name of this side, as sent to the other.")
  var name: String?

  @Flag(help: "Serve one transport connection, then exit: 0 if it was identified and ended in order, else 1.")
  var once = false

  @Option(help: "Seconds within which identification must finish (default: 60; no limit on pty and serial lines).")
  var timeout: Double?

  @Option(
    help: ArgumentHelp(
      "Link values to offer: \(Self.linkValues.map(\.name).joined(separator: ", ")), each =NUMBER, separated by commas.",
      valueName: "values"))
  var link: String?

  @Flag(
    help:
      "At the end, list on stderr messages that were advertised and never used; exit 1 if one was used without being advertised."
  )
  var check = false

  @Option(
    help: ArgumentHelp(
      "Write the bytes of the transport into this capture: pcapng unless its name ends in .btsnoop or .txt.",
      valueName: "file"), completion: .file())
  var capture: String?

  @OptionGroup(title: "Connection") var life: LifecycleOptions

  func validate() throws {
    _ = try address()
    _ = try preferences()
    if let name, name.utf8.count > Self.maximumNameByteCount {
      throw ValidationError("--name has at most \(Self.maximumNameByteCount) bytes")
    }
    if let timeout, !(timeout > 0 && timeout < 1e9) { throw ValidationError("--timeout takes seconds, above 0") }
  }

  /// Opens the capture; nil without one.
  func openCapture(hasSockets: Bool = false, hasSecrets: Bool = false) throws -> CaptureFile? {
    try capture.map { try CaptureFile($0, hasSockets: hasSockets, hasSecrets: hasSecrets) }
  }

  /// Far more than any display shows, far less than a message holds.
  static let maximumNameByteCount = 255

  func address() throws -> AnyTransportAddress { try AnyTransportAddress(option: transport) }

  /// The limit of identification in seconds; nil without a limit.
  var identifySeconds: Double? {
    if let timeout { return timeout }
    // The address was checked before.
    do { return try address().defaultTimeout.map { Double($0.components.seconds) } } catch { return nil }
  }

  /// Checks that a side can use the transport.
  func check(_ side: Side) throws { _ = try AnyTransportAddress(option: transport, as: side) }

  /// - Parameter behavior: of a profile or scenario. `--link` overrides it.
  func options(clock: any RuntimeClock, behavior: Behavior?, life: LifecycleConditions) throws -> RoleOptions {
    var options = RoleOptions()
    options.clock = clock
    life.apply(to: &options)
    behavior?.apply(to: &options)
    options.preferences = try preferences(options.preferences)
    options.identifyTimeout = try timeout.map { .nanoseconds(Int64($0 * 1e9)) } ?? address().defaultTimeout
    // A transport without a limit has no peer yet, so detection never gives up.
    if options.identifyTimeout == nil { options.limits.detectAttempts = .max }
    return options
  }

  /// The names of `--link`.
  private static let linkValues: [(name: String, field: LinkField)] = [
    ("max-outstanding", .maxOutstandingPackets), ("max-length", .maxPacketLength),
    ("retransmission-timeout", .retransmissionTimeout), ("cumulative-ack-timeout", .cumulativeAckTimeout),
    ("max-retransmissions", .maxRetransmissions), ("max-cumulative-acks", .maxCumulativeAcks),
  ]

  private func preferences(_ base: LinkPreferences = LinkPreferences()) throws -> LinkPreferences {
    var preferences = base
    var offer = base.offer
    var named: Set<LinkField> = []
    for item in (link ?? "").split(separator: ",") {
      let parts = item.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let number = UInt16(parts[1]) else {
        throw ValidationError("--link takes NAME=NUMBER, not \(item)")
      }
      guard let field = Self.linkValues.first(where: { $0.name == parts[0] })?.field else {
        let names = Self.linkValues.map(\.name).joined(separator: ", ")
        throw ValidationError("--link: no link value is called \(parts[0]); the values are \(names)")
      }
      guard number <= field.maximum else {
        throw ValidationError("--link: \(parts[0]) is at most \(field.maximum)")
      }
      offer[field] = number
      named.insert(field)
    }
    // A value derived from others is checked only if the option names it.
    if !named.isEmpty, !named.contains(.maxCumulativeAcks) {
      offer.maxCumulativeAcks = min(offer.maxCumulativeAcks, offer.maxOutstandingPackets)
    }
    if !named.isEmpty, !named.contains(.cumulativeAckTimeout) {
      offer.cumulativeAckTimeout = min(offer.cumulativeAckTimeout, offer.retransmissionTimeout / 2)
    }
    // A profile may be out of range on purpose.
    let bad = offer.outOfRange.filter { !base.offer.outOfRange.contains($0) }
    guard bad.isEmpty else {
      throw ValidationError("--link: these values are outside the recommended range: \(bad.joined(separator: ", "))")
    }
    preferences.offer = offer
    return preferences
  }
}

/// Options that describe a live side by files.
struct PlayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Use the profile of a scenario and play its steps for this side.", valueName: "name|file"),
    completion: .names { BundledScenarios.names })
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      "Play this head unit or phone: a built-in profile (`iap2 run --list`) or a YAML file.",
      valueName: "name|file"), completion: .names { BundledProfiles.names })
  var profile: String?

  func validate() throws {
    guard profile == nil || scenario == nil else {
      throw ValidationError("--scenario names its own profiles: leave out --profile")
    }
  }
}
