// swift-iap2 · Apache-2.0

/// A car for a run.
public struct CarChoice: Sendable, Hashable {
  /// The name of a profile of the app's host, or of a profile's file.
  public var name: String
  /// The text of a profile's file; nil for a profile of the host.
  public var yaml: String?

  /// Creates a choice.
  public init(name: String, yaml: String? = nil) {
    self.name = name
    self.yaml = yaml
  }

  /// The name of a folder for the car. For a file, it is the file's name without its folders.
  var folderName: String { name.split(separator: "/").last.map(String.init) ?? name }
}
