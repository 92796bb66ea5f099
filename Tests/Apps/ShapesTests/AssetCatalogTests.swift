// swift-iap2 · Apache-2.0

import CarSupport
import Foundation
import Testing
import UIKit

/// The catalog's folders are settings of the process, so these tests run one after the other. No test has a car
/// meanwhile, which would report images that cannot be made.
@Suite(.serialized, .onlyCar) struct AssetCatalogTests {
  /// Calls a body with a folder of assets.
  private func withFolder(_ files: [String: Data], _ body: () throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "assets-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (path, data) in files {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    }
    AssetCatalog.folders = [folder]
    defer {
      AssetCatalog.folders = []
      AssetCatalog.usesPlaceholders = true
    }
    try body()
    try FileManager.default.removeItem(at: folder)
  }

  private static let set = """
    {"images": [
      {"filename": "a.png", "scale": "1x", "idiom": "universal"},
      {"filename": "a2.png", "scale": "2x", "idiom": "universal"},
      {"filename": "d2.png", "scale": "2x", "appearances": [{"appearance": "luminosity", "value": "dark"}]},
      {"scale": "3x"}],
     "properties": {"template-rendering-intent": "template"}}
    """

  @Test func `a name gives the image of the catalog for the scale and the appearance`() throws {
    let folder = "App.xcassets/Group/Map.imageset/"
    let files = [
      folder + "Contents.json": Data(Self.set.utf8), folder + "a.png": ImageFiles.png(width: 10, height: 10),
      folder + "a2.png": ImageFiles.png(width: 20, height: 20),
      folder + "d2.png": ImageFiles.png(width: 22, height: 22),
    ]
    try withFolder(files) {
      let image = try #require(UIImage(named: "Map"))
      #expect(image.content.origin == .asset("Map"))
      #expect(image.renderingMode == .alwaysTemplate)
      let light = image.resolved(for: UITraitCollection(style: .light, displayScale: 2, idiom: .carPlay))
      #expect(light.content.pixels.width == 20)
      #expect(light.size == CGSize(width: 10, height: 10))
      let dark = image.resolved(for: UITraitCollection(style: .dark, displayScale: 3, idiom: .carPlay))
      #expect(dark.content.pixels.width == 22)
      #expect(image.imageAsset?.registeredTraits.map(\.displayScale) == [1, 2, 2])
    }
  }

  @Test func `a name gives the files of the bundle with their scales`() throws {
    let files = [
      "logo@2x.png": ImageFiles.png(width: 8, height: 8), "logo@3x.png": ImageFiles.png(width: 12, height: 12),
    ]
    try withFolder(files) {
      let image = try #require(UIImage(named: "logo", in: nil, compatibleWith: UITraitCollection(displayScale: 2)))
      #expect(image.scale == 2)
      #expect(image.resolved(for: UITraitCollection(displayScale: 3)).content.pixels.width == 12)
      #expect(UIImage(contentsOfFile: AssetCatalog.folders[0].appending(path: "logo@3x.png").path)?.size.width == 4)
    }
  }

  @Test(arguments: ["nothing", "", "../secret", "/etc/passwd", "a\u{0}b", String(repeating: "x", count: 5000)])
  func `a name without an image is a placeholder with the name, or nil if the host asks for it`(name: String) throws {
    try withFolder([:]) {
      let image = try #require(UIImage(named: name))
      #expect(image.content.origin == .missing(name))
      AssetCatalog.usesPlaceholders = false
      #expect(UIImage(named: name) == nil)
    }
  }

  @Test(arguments: ["{", "[]", #"{"images": 7}"#, #"{"images": [{"filename": "../../x.png"}]}"#, #"{"images": []}"#])
  func `a damaged catalog gives no image`(contents: String) throws {
    try withFolder(["App.xcassets/Map.imageset/Contents.json": Data(contents.utf8)]) {
      AssetCatalog.usesPlaceholders = false
      #expect(UIImage(named: "Map") == nil)
    }
  }

  @Test func `a name gives the color of the catalog for the appearance`() throws {
    let contents = """
      {"colors": [
        {"color": {"components": {"red": "0xFF", "green": "128", "blue": "0.500", "alpha": "1.000"}}},
        {"color": {"components": {"white": "0.000", "alpha": "0.500"}},
         "appearances": [{"appearance": "luminosity", "value": "dark"}]}]}
      """
    try withFolder(["App.xcassets/Accent.colorset/Contents.json": Data(contents.utf8)]) {
      let color = try #require(UIColor(named: "Accent"))
      #expect(color.components(for: UITraitCollection(userInterfaceStyle: .light)).text == "#FF8080")
      #expect(color.components(for: UITraitCollection(userInterfaceStyle: .dark)).text == "#00000080")
      #expect(UIColor(named: "Other") == nil)
    }
  }

  @Test func `a group that links to itself does not hang the search`() throws {
    try withFolder(["App.xcassets/Group/readme": Data()]) {
      let group = AssetCatalog.folders[0].appending(path: "App.xcassets/Group")
      try FileManager.default.createSymbolicLink(
        at: group.appending(path: "Again"), withDestinationURL: group.deletingLastPathComponent())
      #expect(UIImage(named: "Map")?.content.origin == .missing("Map"))
    }
  }
}
