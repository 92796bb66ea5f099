// swift-iap2 · Apache-2.0

import IAP2Faults
import IAP2Scenario
import YAMLForms

/// The accessories of a YAML file: a list of entries, or the list under the key `accessories` with the phone's
/// `faults`.
///
///     faults: space=7,linger=500
///     accessories:
///       - profile: printer
///         fault: stall=2000+500,seed=7
///         services: {com.example.print: "tcp:127.0.0.1:7000"}
///       - replay: session.pcapng
///         lenient: true
///         plug: 2
///       - transport: usb
///
/// An entry has one of `transport`, `profile`, `scenario` and `replay`. Files are relative to the folder of this file.
struct ConfigurationFile {
  private(set) var emulated: [EmulatedDescription] = []
  private(set) var transports: [TransportDescription] = []
  private var faults: [FaultText] = []

  private static let keys = ["transport"] + EmulatedDescription.Source.Kind.allCases.map(\.rawValue)
  /// The accessories of a file at most.
  private static let maximumAccessories = 100
  /// The longest time until a plug, in seconds: a day.
  private static let maximumPlugTime = 86_400.0

  /// Reads a file.
  init(_ path: String) throws(ConfigurationProblem) {
    let files = ReadableFile.workingDirectory
    let text = try files.text(path)
    do throws(ScenarioProblem) {
      try self.init(YAMLValue(text, file: path, files: files.beside(path).scenarioFiles), files.beside(path))
    } catch { throw ConfigurationProblem(error.description) }
  }

  private init(_ root: YAMLValue, _ files: ReadableFile) throws(ScenarioProblem) {
    let fields = root.isList ? ["accessories": root] : try root.fields(["accessories", "faults"])
    guard let list = fields["accessories"] else { throw root.problem("expected a list of accessories") }
    if let value = fields["faults"], try addFaults(value).plan != nil {
      throw value.problem("the faults of a transport stand at an accessory, as fault")
    }
    let entries = try list.list()
    guard entries.count <= Self.maximumAccessories else {
      throw list.problem("at most \(Self.maximumAccessories) accessories are allowed")
    }
    for entry in entries { try add(entry, files) }
  }

  /// Adds the faults of the phone to others.
  func apply(to faults: inout PhoneFaults) throws(ConfigurationProblem) {
    for text in self.faults { try text.apply(to: &faults) }
  }

  private mutating func addFaults(_ value: YAMLValue) throws(ScenarioProblem) -> FaultText {
    let text = try value.text()
    let read = try value.readable { () throws(ConfigurationProblem) in try FaultText(text) }
    faults.append(read)
    return read
  }

  private mutating func add(_ entry: YAMLValue, _ files: ReadableFile) throws(ScenarioProblem) {
    let fields = try entry.fields(Self.keys + ["fault", "lenient", "plug", "services"])
    let sources = Self.keys.filter { fields[$0] != nil }
    guard sources.count == 1, let key = sources.first, let value = fields[key] else {
      throw entry.problem("expected one of \(Self.keys.joined(separator: ", "))")
    }
    let plug = try fields["plug"].map { field throws(ScenarioProblem) in
      Int(try field.number(0...Self.maximumPlugTime) * 1000)
    }
    var plan: FaultPlan?
    if let field = fields["fault"] { plan = try addFaults(field).plan }
    guard let kind = EmulatedDescription.Source.Kind(rawValue: key) else {
      try refuse(["services", "lenient"], fields, "a transport leads to a real accessory: leave it out")
      return transports.append(try Self.transport(value, plan, plug ?? 0))
    }
    if kind != .replay { try refuse(["lenient"], fields, "only replay is lenient: leave it out") }
    let source = EmulatedDescription.Source(
      kind, try value.text(), isLenient: try fields["lenient"]?.flag() ?? false)
    var description = try value.readable { () throws(ConfigurationProblem) in
      try EmulatedDescription(source, files)
    }
    if let plan { description.faults = plan }
    description.plugMilliseconds = plug ?? 0
    if let services = fields["services"] { try description.serve(services) }
    emulated.append(description)
  }

  private func refuse(
    _ keys: [String], _ fields: [String: YAMLValue], _ reason: String
  ) throws(ScenarioProblem) {
    for key in keys { if let value = fields[key] { throw value.problem(reason) } }
  }

  private static func transport(
    _ value: YAMLValue, _ plan: FaultPlan?, _ start: Int
  ) throws(ScenarioProblem) -> TransportDescription {
    let text = try value.text()
    let address = try value.readable { () throws(ConfigurationProblem) in try Configuration.address(text) }
    return TransportDescription(address: address, faults: plan, place: text, startMilliseconds: start)
  }
}

extension EmulatedDescription {
  /// Replaces services by those of a mapping of protocols to services.
  fileprivate mutating func serve(_ value: YAMLValue) throws(ScenarioProblem) {
    for (name, service) in try value.entries() {
      guard protocols.contains(name) else {
        throw service.problem(
          "the accessory has no such protocol; it has \(protocols.isEmpty ? "none" : protocols.joined(separator: ", "))"
        )
      }
      services[name] = .scenario(try DataForms.service.read(service))
    }
  }
}

extension YAMLValue {
  /// Gives a problem of a part the place of this value.
  fileprivate func readable<Value>(
    _ body: () throws(ConfigurationProblem) -> Value
  ) throws(ScenarioProblem) -> Value {
    do { return try body() } catch { throw problem(error.text) }
  }
}
