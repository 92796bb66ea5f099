// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import IAP2Recordings
import IAP2Roles
import IAP2Scenario
import YAMLForms

extension EmulatedDescription {
  /// A file or a bundled name that describes an emulated accessory.
  package struct Source: Sendable, Equatable {
    /// The kind of a source.
    package enum Kind: String, Sendable, CaseIterable {
      /// A profile: an accessory with its services.
      case profile
      /// A scenario: an accessory, and steps that play against the app.
      case scenario
      /// A capture: an accessory with its recorded EA sessions.
      case replay
    }

    package var kind: Kind
    package var name: String
    /// Whether a recorded session continues after a difference.
    package var isLenient: Bool

    package init(_ kind: Kind, _ name: String, isLenient: Bool = false) {
      self.kind = kind
      self.name = name
      self.isLenient = isLenient
    }
  }

  /// Creates the accessory of a source. The files are relative to the working directory.
  package init(_ source: Source) throws(ConfigurationProblem) {
    try self.init(source, ReadableFile.workingDirectory)
  }

  /// Creates an accessory whose services are scripts in YAML, by protocol.
  package init(name: String, scripts: [String: String]) throws(ConfigurationProblem) {
    var services: [String: Service] = [:]
    for (name, yaml) in scripts {
      do throws(ScenarioProblem) {
        services[name] = .scenario(try DataForms.service.read(YAMLValue(yaml, file: "the script of \(name)")))
      } catch { throw ConfigurationProblem(error.description) }
    }
    try Self.check(name: name, protocols: Array(scripts.keys))
    self.init(
      headUnit: .standard(name: name, protocols: scripts.keys.sorted(), features: []), services: services)
  }

  /// Checks the name and the EA protocols of an accessory.
  package static func check(name: String, protocols: [String]) throws(ConfigurationProblem) {
    for text in [name] + protocols where text.utf8.count > textByteCountLimit {
      throw ConfigurationProblem("\"\(String(text.prefix(20)).printable)…\" has more than \(textByteCountLimit) bytes")
    }
    guard protocols.count <= maximumProtocols else {
      throw ConfigurationProblem("\(protocols.count) protocols: an accessory has at most \(maximumProtocols)")
    }
    guard !protocols.contains("") else { throw ConfigurationProblem("a protocol has no name") }
    var seen: Set<String> = []
    if let again = protocols.first(where: { !seen.insert($0).inserted }) {
      throw ConfigurationProblem("the protocol \(again.printable) is there more than once")
    }
  }

  /// Throws if the identification does not fit into a message.
  package func checkIdentification() throws(ConfigurationProblem) {
    do throws(EncodeError) { _ = try headUnit.identification.encoded() } catch {
      throw ConfigurationProblem("the identification of the accessory is longer than a message")
    }
  }

  /// The limit of a text in bytes, as in profiles.
  private static let textByteCountLimit = 1024
  /// The numbers of EA protocols have one byte (Identification.md#ea-distinct).
  private static let maximumProtocols = 255

  init(_ source: Source, _ files: ReadableFile) throws(ConfigurationProblem) {
    do throws(ScenarioProblem) {
      switch source.kind {
      case .profile: try self.init(try Self.profile(source.name, files), source.name)
      case .scenario: self.init(try Self.scenario(source.name, files))
      case .replay:
        self.init(try Self.recording(source.name, files), isLenient: source.isLenient)
      }
    } catch { throw ConfigurationProblem(error.description) }
    place = "\(source.kind.rawValue):\(source.name)"
  }

  private init(_ profile: Profile, _ name: String) throws(ScenarioProblem) {
    guard case .headUnit(let headUnit, let services) = profile.subject else {
      throw ScenarioProblem(
        file: name, text: "the profile \(name) is a phone, not an accessory")
    }
    self.init(headUnit: headUnit, services: services.mapValues { .scenario($0) })
    behavior = profile.behavior
  }

  private init(_ story: AppScenario) {
    let scenario = story.scenario
    self.init(headUnit: scenario.headUnit, services: scenario.services.mapValues { .scenario($0) })
    behavior = scenario.headUnitBehavior
    faults = scenario.life.fault
    self.story = story
  }

  private init(_ recording: AccessoryRecording, isLenient: Bool) {
    self.init(
      headUnit: recording.headUnit,
      services: Dictionary(
        uniqueKeysWithValues: recording.sessions.map {
          ($0.key, .recorded(RecordedService($0.key, $0.value, isLenient: isLenient)))
        }))
  }

  // MARK: Files

  private static func profile(_ name: String, _ files: ReadableFile) throws(ScenarioProblem) -> Profile {
    if let bundled = try BundledProfiles.profile(name) { return bundled }
    let text = try files.text(name, or: "a profile", BundledProfiles.names)
    return try Profile(yaml: text, file: name, files: files.beside(name).scenarioFiles)
  }

  private static func scenario(_ name: String, _ files: ReadableFile) throws(ScenarioProblem) -> AppScenario {
    if let bundled = try BundledScenarios.scenario(name) { return try AppScenario(bundled) }
    let text = try files.text(name, or: "a scenario", BundledScenarios.names)
    return try AppScenario(
      Scenario(yaml: text, file: name, files: files.beside(name).scenarioFiles))
  }

  /// The largest capture that is read, in bytes. The whole file is in memory, as the decoder needs it.
  private static let captureByteCountLimit = 256 << 20

  private static func recording(_ name: String, _ files: ReadableFile) throws(ScenarioProblem) -> AccessoryRecording {
    func problem(_ text: String) -> ScenarioProblem {
      ScenarioProblem(file: name, text: text)
    }
    let bytes: [UInt8]
    do throws(ReadableFile.Reason) { bytes = try files.content(name, limit: captureByteCountLimit) } catch {
      throw problem(error.text)
    }
    do throws(AccessoryRecording.Problem) {
      let recording = try AccessoryRecording(Capture(bytes))
      if let damage = recording.damage {
        note("replay:\(name): the capture is damaged, what could be read is played: \(damage)")
      }
      return recording
    } catch { throw problem(error.text) }
  }
}
