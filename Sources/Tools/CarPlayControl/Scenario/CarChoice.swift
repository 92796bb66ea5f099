// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import Foundation

/// A car for a run.
public struct CarChoice: Sendable, Hashable {
  /// The name of a profile of the app's host, or of a profile's file.
  public var name: String
  /// The text of a profile's file; nil for a profile of the host.
  public var yaml: String?
  /// The settings of the profile's behavior that are changed, by name.
  package var behavior: [String: CarValue] = [:]

  /// Creates a choice.
  public init(name: String, yaml: String? = nil) {
    self.name = name
    self.yaml = yaml
  }

  /// The name of a folder for the car. For a file, it is the file's name without its folders.
  var folderName: String { name.split(separator: "/").last.map(String.init) ?? name }

  /// The changed settings as JSON, which YAML reads; nil for the profile as it is.
  var behaviorText: String? {
    guard !behavior.isEmpty else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do { return String(decoding: try encoder.encode(behavior), as: UTF8.self) } catch {
      preconditionFailure("settings have no JSON: \(error)")
    }
  }
}
