// swift-iap2 · Apache-2.0

import Foundation
import Testing

@testable import CarPlayControl

@Suite struct PictureFolderTests {
  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "pictures-\(UUID().uuidString)")
    defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
    try body(folder.path())
  }

  private func names(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") }.sorted()
  }

  @Test func aFolderHasThePicturesOfOneRun() throws {
    try inFolder { path in
      let first = try PictureFolder(path)
      for name in ["0001-list.png", "0002-map.png"] {
        try first.add(name)
        try first.write([1], to: name)
      }
      let car = try PictureFolder(try first.add("knob"))
      try car.replace([1], in: "screen.png")
      try car.replace([2, 3], in: "screen.png")
      try first.replace([4], in: "index.html")
      #expect(try names(path) == ["0001-list.png", "0002-map.png", "index.html", "knob"])
      #expect(try Data(contentsOf: URL(filePath: path + "/knob/screen.png")).count == 2)
      _ = try PictureFolder(path)
      #expect(try names(path).isEmpty)
    }
  }

  @Test func filesOfOthersStay() throws {
    try inFolder { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: URL(filePath: path + "/index.html"))
      let failure = #expect(throws: CarFailure.self) { try PictureFolder(path) }
      #expect(failure?.description.contains("has other files, such as index.html") == true)
      #expect(try Data(contentsOf: URL(filePath: path + "/index.html")) == Data("mine".utf8))
    }
  }

  @Test func nothingIsRemovedBesideAFileOfOthers() throws {
    try inFolder { path in
      let folder = try PictureFolder(path)
      try folder.replace([1], in: "screen.png")
      let car = try PictureFolder(try folder.add("knob"))
      try car.replace([1], in: "screen.png")
      // A run that was killed leaves a part.
      try Data([1]).write(to: URL(filePath: path + "/.screen.png"))
      let notes = URL(filePath: path + "/knob/notes.txt")
      try Data([1]).write(to: notes)
      let failure = #expect(throws: CarFailure.self) { try PictureFolder(path) }
      #expect(failure?.description.contains("such as knob/notes.txt") == true)
      #expect(try names(path) == ["knob", "screen.png"] && names(path + "/knob") == ["notes.txt", "screen.png"])
      try FileManager.default.removeItem(at: notes)
      _ = try PictureFolder(path)
      #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [".iap2-pictures"])
    }
  }

  @Test func aLinkIsNeitherFollowedNorRemovedThroughAList() throws {
    try inFolder { path in
      let folder = try PictureFolder(path)
      let other = path + "-other"
      defer { do { try FileManager.default.removeItem(atPath: other) } catch {} }
      try Data("mine".utf8).write(to: URL(filePath: other))
      try FileManager.default.createSymbolicLink(atPath: path + "/0001-list.png", withDestinationPath: other)
      try folder.add("0001-list.png")
      #expect(throws: CarFailure.self) { try folder.write([1], to: "0001-list.png") }
      // A changed list cannot name a file outside of the folder.
      try Data("0001-list.png\n../\(URL(filePath: other).lastPathComponent)\n..\n".utf8)
        .write(to: URL(filePath: path + "/.iap2-pictures"))
      #expect(throws: CarFailure.self) { try PictureFolder(path) }
      #expect(try Data(contentsOf: URL(filePath: other)) == Data("mine".utf8))
    }
  }
}
