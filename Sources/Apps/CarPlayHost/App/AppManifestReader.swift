// swift-iap2 · Apache-2.0

public import Basics
import CarPlayPlatform
public import Foundation

extension AppManifest {
  /// Reads an Info.plist.
  ///
  /// - Throws: The fault with file, line, key and the expected value.
  public init(contentsOf url: URL) throws(CarFileProblem) {
    try self.init(PropertyListFile(Self.data(url), file: url.lastPathComponent))
  }

  /// Reads the values of an Info.plist.
  public init(_ values: [String: Any]) throws(CarFileProblem) {
    try self.init(PropertyListFile(values, name: "Info.plist"))
  }

  static func data(_ url: URL) throws(CarFileProblem) -> Data {
    do { return try Data(contentsOf: url) } catch {
      throw CarFileProblem(file: url.lastPathComponent, text: "the file cannot be read: \(error.localizedDescription)")
    }
  }

  private static let manifestKey = "UIApplicationSceneManifest"
  private static let configurationsKey = "UISceneConfigurations"

  init(_ list: PropertyListFile) throws(CarFileProblem) {
    self.init()
    let top = list.values
    func flag(_ path: [String], _ values: [String: Any]) throws(CarFileProblem) -> Bool {
      try list.value(path, in: values, as: Bool.self, "true or false") ?? false
    }
    hasSectionedBrowsing = try flag(["UIBrowsableContentSupportsSectionedBrowsing"], top)
    hasImmediatePlayback = try flag(["UIBrowsableContentSupportsImmediatePlayback"], top)
    backgroundModes =
      try list.value(["UIBackgroundModes"], in: top, as: [String].self, "a list of texts, such as audio") ?? []
    let manifest = Self.manifestKey
    guard let scenes = try list.value([manifest], in: top, as: [String: Any].self, "a dictionary") else { return }
    hasScenes = true
    supportsMultipleScenes = try flag([manifest, "UIApplicationSupportsMultipleScenes"], scenes)
    supportsDashboard = try flag([manifest, "CPSupportsDashboardNavigationScene"], scenes)
    supportsCluster = try flag([manifest, "CPSupportsInstrumentClusterNavigationScene"], scenes)
    let path = [manifest, Self.configurationsKey]
    let roles = try list.value(path, in: scenes, as: [String: Any].self, "a dictionary of roles") ?? [:]
    for (role, value) in roles.sorted(by: { $0.key < $1.key }) {
      guard let entries = value as? [[String: Any]] else {
        throw list.problem(path + [role], "expected a list of dictionaries")
      }
      for (index, entry) in entries.enumerated() {
        let place = path + [role, "\(index)"]
        func text(_ key: String) throws(CarFileProblem) -> String? {
          try list.value(place + [key], in: entry, as: String.self, "a text")
        }
        self.scenes[role, default: []].append(
          try Scene(
            name: text("UISceneConfigurationName"), sceneClass: text("UISceneClassName"),
            delegateClass: text("UISceneDelegateClassName")))
      }
    }
  }
}

/// A reader of the entitlements of an app's signature.
public enum Entitlements {
  /// Returns the granted keys of an `.entitlements` file: those whose value is true or a list with entries.
  ///
  /// - Throws: The fault with file, line, key and the expected value.
  public static func read(contentsOf url: URL) throws(CarFileProblem) -> Set<String> {
    try read(PropertyListFile(AppManifest.data(url), file: url.lastPathComponent))
  }

  /// Returns the granted keys of the values of an `.entitlements` file.
  public static func read(_ values: [String: Any]) throws(CarFileProblem) -> Set<String> {
    try read(PropertyListFile(values, name: "entitlements"))
  }

  private static func read(_ list: PropertyListFile) throws(CarFileProblem) -> Set<String> {
    var granted: Set<String> = []
    let known = Set(AppCategory.allCases.flatMap { [$0.entitlement] + $0.oldEntitlements })
    for (key, value) in list.values {
      if let flag = value as? Bool {
        if flag { granted.insert(key) }
      } else if let entries = value as? [Any] {
        if !entries.isEmpty { granted.insert(key) }
      } else if known.contains(key) {
        throw list.problem([key], "expected true, or a list of EA protocols for carplay-protocols")
      } else {
        granted.insert(key)
      }
    }
    return granted
  }
}
