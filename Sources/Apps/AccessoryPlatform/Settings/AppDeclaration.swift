// swift-iap2 · Apache-2.0

import Foundation

/// The entries of the app's Info.plist that concern accessories.
///
/// The file is the first that exists of: the path in `EXTERNAL_ACCESSORY_INFO_PLIST`, the `Info.plist` of the main
/// bundle (beside the executable), `Info.plist` in the working directory. `EXTERNAL_ACCESSORY_PROTOCOLS=a,b` declares
/// protocols beside it.
package struct AppDeclaration: Sendable, Equatable {
  private static var protocolsKey: String { "UISupportedExternalAccessoryProtocols" }
  private static var protocolsVariable: String { "EXTERNAL_ACCESSORY_PROTOCOLS" }

  /// The declared protocols; nil if no file and no variable declares any.
  package var protocols: [String]?
  /// Whether the app has the background mode `external-accessory`.
  package var runsInBackground = false
  /// The place of the declaration, for messages.
  package var place: String
  /// Whether there is a file that cannot be read. Then no accessory of the environment is attached.
  package private(set) var isUnreadable = false

  package init(protocols: [String]?, runsInBackground: Bool = false, place: String) {
    self.protocols = protocols
    self.runsInBackground = runsInBackground
    self.place = place
  }

  private init(unreadable path: String) {
    self.init(protocols: nil, place: path)
    isUnreadable = true
  }

  /// Reads the entries of an Info.plist.
  package init(_ entries: [String: Any], place: String) {
    self.init(
      protocols: entries[Self.protocolsKey] as? [String],
      runsInBackground: (entries["UIBackgroundModes"] as? [String])?.contains("external-accessory") ?? false,
      place: "\(Self.protocolsKey) of \(place)")
  }

  /// Reads the declaration of this process. A problem of a file is one line on standard error.
  static func ofProcess() -> AppDeclaration {
    let environment = ProcessInfo.processInfo.environment
    var declaration = fromFiles(environment)
    if let more = environment[protocolsVariable] {
      let names = more.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      let isAlone = declaration.protocols == nil
      declaration.place = isAlone ? protocolsVariable : "\(declaration.place), nor in \(protocolsVariable)"
      declaration.protocols = (declaration.protocols ?? []) + names
    }
    return declaration
  }

  private static func fromFiles(_ environment: [String: String]) -> AppDeclaration {
    if let path = environment["EXTERNAL_ACCESSORY_INFO_PLIST"] {
      guard !path.isEmpty else {
        note("EXTERNAL_ACCESSORY_INFO_PLIST is empty; set it to the path of the app's Info.plist, or unset it")
        return AppDeclaration(unreadable: path)
      }
      do { return try AppDeclaration(contentsOf: path) } catch {
        note("EXTERNAL_ACCESSORY_INFO_PLIST: \(error.text)")
        return AppDeclaration(unreadable: path)
      }
    }
    if let entries = Bundle.main.infoDictionary, entries[protocolsKey] != nil {
      return AppDeclaration(entries, place: "the Info.plist beside the executable")
    }
    let beside = Bundle.main.bundleURL.appending(path: "Info.plist").path(percentEncoded: false)
    if Bundle.main.infoDictionary?.isEmpty ?? true, FileManager.default.fileExists(atPath: beside) {
      do { return try AppDeclaration(contentsOf: beside) } catch {
        note(error.text)
        return AppDeclaration(unreadable: beside)
      }
    }
    let path = "Info.plist"
    guard FileManager.default.fileExists(atPath: path) else {
      return AppDeclaration(protocols: nil, place: "no Info.plist")
    }
    do { return try AppDeclaration(contentsOf: path) } catch {
      note(error.text)
      return AppDeclaration(unreadable: path)
    }
  }

  /// Reads an Info.plist, as XML or binary.
  package init(contentsOf path: String) throws(ConfigurationProblem) {
    let data = Data(try ReadableFile.workingDirectory.bytes(path))
    let value: Any
    do { value = try unsafe PropertyListSerialization.propertyList(from: data, format: nil) } catch {
      throw ConfigurationProblem("\(path) is not a property list")
    }
    guard let entries = value as? [String: Any] else { throw ConfigurationProblem("\(path) is not a dictionary") }
    if let protocols = entries[Self.protocolsKey], !(protocols is [String]) {
      throw ConfigurationProblem("\(path): \(Self.protocolsKey) is not a list of strings")
    }
    self.init(entries, place: path)
  }

  /// Returns why a session of a protocol may not open; nil if it may.
  func refusal(of name: String) -> String? {
    guard let protocols else {
      return "\(Self.protocolsKey) was not found: set EXTERNAL_ACCESSORY_INFO_PLIST to the path of the app's "
        + "Info.plist, put an Info.plist beside the executable or into the working directory, or set "
        + Self.protocolsVariable
    }
    return protocols.contains(name) ? nil : "the protocol is not in \(place)"
  }

  /// Whether the app declares one of the protocols.
  package func declares(oneOf names: [String]) -> Bool { names.contains { protocols?.contains($0) == true } }
}

/// A problem of the configuration as one line.
package struct ConfigurationProblem: Error, Equatable, Sendable {
  package var text: String

  init(_ text: String) { self.text = text }
}
