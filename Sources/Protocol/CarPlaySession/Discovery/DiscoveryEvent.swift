// swift-iap2 · Apache-2.0

public import Basics

/// An event of discovery: what one side advertises and finds before a session.
public enum DiscoveryEvent: Sendable, Hashable {
  /// The service is advertised, under this name.
  case advertised(CarPlayService, name: String, port: UInt16)
  /// A service was found, or has other values now.
  case found(FoundService)
  /// A service is gone.
  case lost(FoundService.ID)
  /// The head unit asks a phone to connect.
  case calls(phone: String, address: String, attempt: Int)
  /// The answer of a phone to that request.
  case answered(phone: String, status: Int)
  /// A control request brought no connection, or a connection was not established. `pauses` is true if the next
  /// attempt waits longer.
  case failed(name: String, reason: String, pauses: Bool)
  /// A head unit asked this phone to connect.
  case called(ControlCall.Reading, name: String?)
  /// The phone refused a control request.
  case refused(status: Int, reason: String)
  /// The phone connects to a head unit that it found.
  case connects(name: String, address: String)
  /// The daemon that does mDNS is gone. Nothing is advertised or found until it is back.
  case daemonGone
  /// The daemon is back.
  case daemonBack
}

extension DiscoveryEvent {
  private enum Kinds {
    private static let services = CarPlayService.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    static let advertised = EventKind(
      "carPlayAdvertised", "The service is advertised on the network.", text: "{service}, {name}, port {port}",
      EventField<String>("service", services),
      EventField<String>("name", "its name, with a number if another service has it"),
      EventField<Int>("port", "its TCP port"))
    static let found = EventKind(
      "carPlayFound", "A service of the other side was found, or changed.",
      text: "{name}[ at {address}], port {port}, {interface}[: {problem}]", EventField<String>("service", services),
      EventField<String>("name", "its name"), EventField<String?>("address", "its IP address"),
      EventField<Int>("port", "its TCP port"), EventField<String>("interface", "the interface of this machine"),
      EventField<String?>("problem", "what is wrong with its TXT record"))
    static let lost = EventKind(
      "carPlayLost", "A service of the other side is gone.", text: "{name}, {interface}, {family}",
      EventField<String>("service", services), EventField<String>("name", "its name"),
      EventField<String>("interface", "the interface of this machine"),
      EventField<String>("family", "the family of its addresses, `IPv4` or `IPv6`"))
    static let calls = EventKind(
      "carPlayCalls", "The head unit asks a phone to connect (control request).",
      text: "{name} at {address}, attempt {attempt}", EventField<String>("name", "the phone's name"),
      EventField<String>("address", "its address"), EventField<Int>("attempt", "the number of the request, from 1"))
    static let answered = EventKind(
      "carPlayCallAnswered", "The phone answered the control request.", text: "{name}, status {status}",
      EventField<String>("name", "the phone's name"), EventField<Int>("status", "the status of the answer"))
    static let failed = EventKind(
      "carPlayCallFailed", "A control request, or a connection to a head unit that was found, failed.", .warning,
      text: "{name}: {reason}{pauses:, the next attempt waits|}",
      EventField<String>("name", "the name of the phone, or the address of the head unit"),
      EventField<String>("reason", "why"), EventField<Bool>("pauses", "whether the next attempt waits longer"))
    static let called = EventKind(
      "carPlayCalled", "A head unit asked this phone to connect.", text: "{deviceID}, {form}[, {name}]",
      EventField<String>("deviceID", "the address of the head unit"),
      EventField<String>("form", "`decimal` or `hexadecimal`, as it was sent"),
      EventField<String?>("name", "its name, if it was found"))
    static let refused = EventKind(
      "carPlayCallRefused", "A control request was refused.", .warning, text: "status {status}: {reason}",
      EventField<Int>("status", "the status of the answer"), EventField<String>("reason", "why"))
    static let connects = EventKind(
      "carPlayConnects", "The phone connects to a head unit that it found.", text: "{name} at {address}",
      EventField<String>("name", "its name"), EventField<String>("address", "its address"))
    static let daemon = EventKind(
      "carPlayDiscovery", "The daemon of discovery, Avahi, ended or came back.", .warning, text: "{state}",
      EventField<String>("state", "`gone` or `back`"))
  }

  /// The declarations of all events.
  public static let declarations: [EventDeclaration] = [
    Kinds.advertised.declaration, Kinds.found.declaration, Kinds.lost.declaration, Kinds.calls.declaration,
    Kinds.answered.declaration, Kinds.failed.declaration, Kinds.called.declaration, Kinds.refused.declaration,
    Kinds.connects.declaration, Kinds.daemon.declaration,
  ]

  /// The record of the event.
  public var record: EventRecord {
    switch self {
    case .advertised(let service, let name, let port): Kinds.advertised(service.rawValue, name, Int(port))
    case .found(let found):
      Kinds.found(
        found.id.service.rawValue, found.id.name, found.address, Int(found.port), found.id.interface, found.problems)
    case .lost(let id): Kinds.lost(id.service.rawValue, id.name, id.interface, id.isIPv6 ? "IPv6" : "IPv4")
    case .calls(let phone, let address, let attempt): Kinds.calls(phone, address, attempt)
    case .answered(let phone, let status): Kinds.answered(phone, status)
    case .failed(let name, let reason, let pauses): Kinds.failed(name, reason, pauses)
    case .called(let reading, let name): Kinds.called("\(reading.deviceID)", reading.form.rawValue, name)
    case .refused(let status, let reason): Kinds.refused(status, reason)
    case .connects(let name, let address): Kinds.connects(name, address)
    case .daemonGone: Kinds.daemon("gone")
    case .daemonBack: Kinds.daemon("back")
    }
  }
}

extension FoundService {
  /// The faults of the TXT record.
  public var recordProblems: [RecordProblem] {
    switch id.service {
    case .airPlay: HeadUnitRecord(text).problems
    case .control: PhoneRecord(text).problems
    }
  }

  /// The faults of the TXT record in words; nil without one.
  var problems: String? {
    let problems = recordProblems
    return problems.isEmpty ? nil : problems.map(\.description).joined(separator: "; ")
  }

  /// The address with the port, such as `[fe80::1%eth0]:7000`; nil without an address.
  public var endpoint: String? {
    address.map { ($0.contains(":") ? "[\($0)]" : $0) + ":\(port)" }
  }
}
