// swift-iap2 · Apache-2.0

import Foundation
import Synchronization

/// The images and colors of the app's bundle: files, and asset catalogs as Xcode writes them.
package enum AssetCatalog {
  private struct Settings {
    var folders: [URL] = []
    var usesPlaceholders = true
  }

  private static let settings = Mutex(Settings())

  /// The folders that are searched before the app's bundle, such as the folder of the app's source.
  package static var folders: [URL] {
    get { settings.withLock { $0.folders } }
    set { settings.withLock { $0.folders = newValue } }
  }

  /// Whether a name without an image gives a placeholder. iOS gives nil; but the assets of an app are seldom beside its
  /// tests on Linux, and most apps unwrap the image by force.
  package static var usesPlaceholders: Bool {
    get { settings.withLock { $0.usesPlaceholders } }
    set { settings.withLock { $0.usesPlaceholders = newValue } }
  }

  /// The image of a name, for all traits.
  static func image(named name: String, in bundle: Bundle?) throws(ImageProblem) -> UIImageAsset {
    guard isName(name) else { throw .noImage(named: name) }
    for folder in places(of: bundle) {
      if let set = AssetFolder.set(named: name + ".imageset", in: folder) {
        return try ImageSet(at: set).asset(named: name)
      }
      if let files = imageFiles(named: name, in: folder) { return try files() }
    }
    throw .noImage(named: name)
  }

  /// The light and the dark form of a color; nil if there is none, or it is no color.
  static func color(named name: String, in bundle: Bundle?) -> (light: ColorComponents, dark: ColorComponents)? {
    guard isName(name) else { return nil }
    for folder in places(of: bundle) {
      guard let set = AssetFolder.set(named: name + ".colorset", in: folder) else { continue }
      return ColorSet(at: set)?.pair
    }
    return nil
  }

  /// Whether a text can name a file below a folder. Names come from the app, and may come from its server.
  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200 && !name.utf8.contains(0) && !name.hasPrefix("/")
      && !name.split(separator: "/").contains("..")
  }

  /// The folders of a bundle: its resources, and the resources of targets that SwiftPM puts beside a program.
  private static func places(of bundle: Bundle?) -> [URL] {
    guard let root = (bundle ?? Bundle.main).resourceURL else { return folders }
    let beside = AssetFolder.entries(of: root).filter {
      $0.pathExtension == "resources" || $0.pathExtension == "bundle"
    }
    return folders + [root] + beside
  }

  /// Returns a reader of the files `NAME.png`, `NAME@2x.png`, …; nil if there is no such file.
  private static func imageFiles(
    named name: String, in folder: URL
  ) -> (() throws(ImageProblem) -> UIImageAsset)? {
    let stem = name.hasSuffix(".png") || name.hasSuffix(".jpg") ? String(name.dropLast(4)) : name
    var paths: [(scale: CGFloat, path: String)] = []
    for (suffix, scale) in [("", 1), ("@2x", 2), ("@3x", 3)] as [(String, CGFloat)] {
      for type in ["png", "jpg", "jpeg"] {
        let path = folder.appending(path: "\(stem)\(suffix).\(type)").path
        if FileManager.default.fileExists(atPath: path) { paths.append((scale, path)) }
      }
    }
    guard !paths.isEmpty else { return nil }
    return { () throws(ImageProblem) in
      var variants: [(UITraitCollection, ImageContent)] = []
      for (scale, path) in paths {
        variants.append(
          (UITraitCollection(displayScale: scale), try ImageContent(file: path, name: name, scale: scale)))
      }
      return UIImageAsset(variants)
    }
  }
}

/// A folder with asset catalogs.
enum AssetFolder {
  /// The folders that are read for one search. A bundle has some catalogs with some groups each.
  private static let limit = 2000

  /// The files and folders of a folder; none if it cannot be read.
  static func entries(of folder: URL) -> [URL] {
    do {
      return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .sorted { $0.path < $1.path }
    } catch {
      // A folder that does not exist has no image.
      return []
    }
  }

  /// Finds a set in the asset catalogs of a folder, and in their groups.
  static func set(named name: String, in folder: URL) -> URL? {
    var open = entries(of: folder).filter { $0.pathExtension == "xcassets" }
    var index = 0
    while index < open.count, index < limit {
      let current = open[index]
      index += 1
      let set = current.appending(path: name)
      if FileManager.default.fileExists(atPath: set.appending(path: "Contents.json").path) { return set }
      // A group has no extension. A link could lead back to a folder above.
      open += entries(of: current).filter { $0.pathExtension.isEmpty && isFolder($0) }
    }
    return nil
  }

  private static func isFolder(_ url: URL) -> Bool {
    do {
      let type = try FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
      return type == .typeDirectory
    } catch {
      return false
    }
  }

  /// Reads `Contents.json` of a set.
  static func contents<Contents: Decodable>(_ type: Contents.Type, of set: URL) throws(ImageProblem) -> Contents {
    let file = set.appending(path: "Contents.json")
    do {
      let handle = try FileHandle(forReadingFrom: file)
      // A list of all sizes and appearances of a picture has some kilobytes.
      let data = try handle.read(upToCount: 1 << 20) ?? Data()
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw .unreadable(path: file.path, reason: "\(error)")
    }
  }
}

/// An appearance in `Contents.json`.
private struct Appearance: Decodable {
  var appearance: String?
  var value: String?

  static func style(of appearances: [Appearance]?) -> UIUserInterfaceStyle {
    switch appearances?.first(where: { $0.appearance == "luminosity" })?.value {
    case "dark": .dark
    case "light": .light
    default: .unspecified
    }
  }
}

/// An image set of an asset catalog.
private struct ImageSet {
  private struct Contents: Decodable {
    struct Image: Decodable {
      var filename: String?
      var scale: String?
      var appearances: [Appearance]?
    }

    struct Properties: Decodable {
      var intent: String?
      enum CodingKeys: String, CodingKey { case intent = "template-rendering-intent" }
    }

    var images: [Image]?
    var properties: Properties?
  }

  private let folder: URL
  private let contents: Contents

  init(at folder: URL) throws(ImageProblem) {
    self.folder = folder
    contents = try AssetFolder.contents(Contents.self, of: folder)
  }

  func asset(named name: String) throws(ImageProblem) -> UIImageAsset {
    var variants: [(UITraitCollection, ImageContent)] = []
    for image in contents.images ?? [] {
      guard let file = image.filename, !file.contains("/") else { continue }
      let scale: CGFloat? = ["1x": 1, "2x": 2, "3x": 3][image.scale ?? ""]
      let path = folder.appending(path: file).path
      let isVector = file.hasSuffix(".pdf") || file.hasSuffix(".svg")
      var content =
        isVector
        ? ImageContent(ofUnknownSize: .asset(name)) : try ImageContent(file: path, name: name, scale: scale ?? 1)
      switch contents.properties?.intent {
      case "template": content.renderingMode = .alwaysTemplate
      case "original": content.renderingMode = .alwaysOriginal
      default: break
      }
      let traits = UITraitCollection(
        style: Appearance.style(of: image.appearances), displayScale: scale ?? 0, idiom: .unspecified)
      variants.append((traits, content))
    }
    guard !variants.isEmpty else { throw .noImage(named: name) }
    return UIImageAsset(variants)
  }
}

/// A color set of an asset catalog.
private struct ColorSet {
  private struct Contents: Decodable {
    struct Entry: Decodable {
      struct Value: Decodable { var components: [String: String]? }

      var color: Value?
      var appearances: [Appearance]?
    }

    var colors: [Entry]?
  }

  let pair: (light: ColorComponents, dark: ColorComponents)

  init?(at folder: URL) {
    let contents: Contents
    do {
      contents = try AssetFolder.contents(Contents.self, of: folder)
    } catch {
      ImageProblem.report(error)
      return nil
    }
    var colors: [UIUserInterfaceStyle: ColorComponents] = [:]
    for entry in contents.colors ?? [] {
      guard let parts = entry.color?.components, let color = Self.color(of: parts) else { continue }
      colors[Appearance.style(of: entry.appearances)] = color
    }
    guard let any = colors[.unspecified] ?? colors[.light] ?? colors[.dark] else { return nil }
    pair = (colors[.light] ?? any, colors[.dark] ?? any)
  }

  /// Parts are numbers from 0 to 1 (`0.500`), bytes (`128`) or hexadecimal bytes (`0x80`).
  private static func color(of parts: [String: String]) -> ColorComponents? {
    func part(_ name: String) -> CGFloat? {
      guard let text = parts[name] else { return nil }
      if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16).map { CGFloat($0) / 255 } }
      guard let number = Double(text) else { return nil }
      return text.contains(".") || name == "alpha" ? number : number / 255
    }
    guard let red = part("red") ?? part("white"), let green = part("green") ?? part("white"),
      let blue = part("blue") ?? part("white")
    else { return nil }
    return ColorComponents(red: red, green: green, blue: blue, alpha: part("alpha") ?? 1)
  }
}
