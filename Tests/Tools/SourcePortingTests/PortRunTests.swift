// swift-iap2 · Apache-2.0

import Foundation
import Testing

@testable import SourcePorting

@Suite struct PortRunTests {
  private static let source = "@objc class A {}\n"
  private static let ported = "class A {}\n"

  /// Runs a test in a new folder with files.
  private static func inFolder(_ files: [String: String], _ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "port-\(UUID().uuidString)")
    for (name, text) in files {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    try body(folder)
    try FileManager.default.removeItem(at: folder)
  }

  private static func text(_ folder: URL, _ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  /// The text of a ported file without its mark.
  private static func code(_ folder: URL, _ name: String) throws -> String {
    let text = try text(folder, name)
    let mark = try #require(PortMark(of: Array(text.utf8)), "\(text)")
    #expect(!mark.isEdited)
    let start = try #require(text.range(of: "// Made by iap2 port, ", options: .backwards)).lowerBound
    return String(text[..<start])
  }

  private static func run(
    _ folder: URL, _ sources: String..., output: String? = "out", writes: Bool = true, isForced: Bool = false
  ) throws -> PortReport {
    try PortRun(
      sources: sources.map { folder.appending(path: $0).path() },
      folder: output.map { folder.appending(path: $0).path() }, isForced: isForced
    ).run(writes: writes)
  }

  @Test("A ported file has the source's name and a mark, and the source stays")
  func aFileIsPorted() throws {
    try Self.inFolder(["App.swift": Self.source]) { folder in
      let report = try Self.run(folder, "App.swift")
      #expect(try Self.code(folder, "out/App.swift") == Self.ported)
      #expect(try Self.text(folder, "App.swift") == Self.source)
      #expect(report.files.map(\.output) == [folder.appending(path: "out/App.swift").path()])
      #expect(report.isWritten && report.changeCount == 1 && report.leftCount == 0)
    }
  }

  @Test("The package with the names of Combine is named once, with what Package.swift needs")
  func packagesAreNamed() throws {
    let combine = "import Combine\n"
    try Self.inFolder(["A.swift": combine, "B.swift": combine, "C.swift": Self.source]) { folder in
      let report = try Self.run(folder, "A.swift", "B.swift", "C.swift", writes: false)
      #expect(report.packages.map(\.product) == ["OpenCombineShim"])
      #expect(report.lines.count { $0.contains(#".product(name: "OpenCombineShim", package: "OpenCombine")"#) } == 1)
      let json = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
      #expect(json.contains(#""from":"0.14.0""#))
      #expect(try Self.run(folder, "C.swift", writes: false).packages.isEmpty)
    }
  }

  @Test("Sources of equal names keep their paths below their common folder")
  func equalNamesKeepPaths() throws {
    try Self.inFolder(["App/A/X.swift": Self.source, "App/B/X.swift": "let b = 1\n"]) { folder in
      _ = try Self.run(folder, "App/A/X.swift", "App/B/../B/X.swift")
      #expect(try Self.code(folder, "out/A/X.swift") == Self.ported)
      #expect(try Self.text(folder, "out/B/X.swift").hasPrefix("let b = 1\n"))
    }
  }

  @Test("Objective-C is left behind with a reason, and other files are no sources")
  func otherLanguagesAreNamed() throws {
    try Self.inFolder(["A.swift": Self.source, "Old.m": "@implementation A\n@end\n", "notes.txt": "a"]) { folder in
      let report = try Self.run(folder, ".")
      #expect(report.files.count == 2 && report.leftCount == 1 && report.isWritten)
      #expect(report.lines.contains { $0.contains("Old.m:1:1: left: Objective-C does not compile on Linux") })
      #expect(report.lines.last == "1 file written, 1 change, 1 left")
      for name in ["Old.m", "notes.txt"] {
        let named = try Self.run(folder, name, output: "other")
        #expect(named.files.isEmpty && named.unreadable.count == 1 && !named.isWritten, "\(name)")
      }
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "other").path()))
    }
  }

  @Test("A folder gives its Swift files, except hidden ones, links and the ported ones")
  func foldersAreSearched() throws {
    let files = ["A.swift": Self.source, "Sub/B.swift": Self.source, ".build/C.swift": Self.source, "D.txt": ""]
    try Self.inFolder(files) { folder in
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "Link.swift"), withDestinationURL: folder.appending(path: "A.swift"))
      for _ in 1...2 {
        let report = try Self.run(folder, ".")
        #expect(report.files.count == 2)
      }
      #expect(try Self.code(folder, "out/Sub/B.swift") == Self.ported)
    }
  }

  @Test("A check writes nothing and finds the same")
  func aCheckWritesNothing() throws {
    try Self.inFolder(["App.swift": Self.source]) { folder in
      let report = try Self.run(folder, "App.swift", writes: false)
      #expect(report.changeCount == 1 && !report.isWritten)
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out").path()))
      #expect(try Self.run(folder, "App.swift", output: nil, writes: false).changeCount == 1)
    }
  }

  @Test("A source is never replaced, by any name", arguments: ["plain", "hard link", "symbolic link", "linked folder"])
  func sourcesAreNeverReplaced(way: String) throws {
    try Self.inFolder(["App.swift": Self.source, "out/Other.swift": ""]) { folder in
      let (source, output) = (folder.appending(path: "App.swift"), folder.appending(path: "out/App.swift"))
      var place = "out"
      switch way {
      case "hard link": try FileManager.default.linkItem(at: source, to: output)
      case "symbolic link": try FileManager.default.createSymbolicLink(at: output, withDestinationURL: source)
      case "linked folder":
        place = "link"
        try FileManager.default.createSymbolicLink(
          at: folder.appending(path: "link"), withDestinationURL: folder)
      default: place = "."
      }
      #expect(throws: PortRun.Failure.self) { try Self.run(folder, "App.swift", output: place) }
      #expect(throws: PortRun.Failure.self) { try Self.run(folder, "App.swift", output: place, writes: false) }
      #expect(try Self.text(folder, "App.swift") == Self.source)
    }
  }

  @Test("A file that no run has made stays, and then nothing is written")
  func foreignFilesStay() throws {
    let files = ["A.swift": Self.source, "B.swift": Self.source, "out/B.swift": "mine\n"]
    try Self.inFolder(files) { folder in
      let foreign = PortRun.Failure.replacesForeignFile(folder.appending(path: "out/B.swift").path())
      #expect(throws: foreign) { try Self.run(folder, "A.swift", "B.swift") }
      let kept = try Self.text(folder, "out/B.swift")
      #expect(kept == "mine\n")
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "out/A.swift").path()))
    }
  }

  @Test("A folder in the output that is a link is not followed")
  func linksLeadNowhere() throws {
    let files = ["App/A/X.swift": Self.source, "App/Y.swift": "", "else/x": "", "out/x": ""]
    try Self.inFolder(files) { folder in
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "out/A"), withDestinationURL: folder.appending(path: "else"))
      #expect(throws: PortRun.Failure.self) { try Self.run(folder, "App") }
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "else/X.swift").path()))
    }
  }

  @Test("A file of an earlier run is replaced")
  func ownFilesAreReplaced() throws {
    try Self.inFolder(["App.swift": Self.source]) { folder in
      _ = try Self.run(folder, "App.swift")
      try Data("let new = 1\n".utf8).write(to: folder.appending(path: "App.swift"))
      _ = try Self.run(folder, "App.swift")
      #expect(try Self.code(folder, "out/App.swift") == "let new = 1\n")
    }
  }

  @Test(
    "A ported file that was edited stays, and nothing is written, unless that is forced",
    arguments: ["first line", "last line", "mark"])
  func editsStay(place edit: String) throws {
    try Self.inFolder(["App/A.swift": Self.source, "App/B.swift": Self.source]) { folder in
      _ = try Self.run(folder, "App")
      let place = folder.appending(path: "out/B.swift")
      let made = try Self.text(folder, "out/B.swift")
      let edited: String =
        switch edit {
        case "first line": "// my edit\n" + made
        case "last line": made + "// my edit\n"
        default: String(made.dropLast()) + " and my edit\n"
        }
      try Data(edited.utf8).write(to: place)
      try Data("let new = 1\n".utf8).write(to: folder.appending(path: "App/A.swift"))
      for writes in [true, false] {
        #expect(throws: PortRun.Failure.replacesEditedFile(place.path())) {
          try Self.run(folder, "App", writes: writes)
        }
      }
      #expect(try Self.text(folder, "out/B.swift") == edited && Self.code(folder, "out/A.swift") == Self.ported)
      try FileManager.default.removeItem(at: folder.appending(path: "App/B.swift"))
      // An edit is never removed, also by force.
      for isForced in [false, true] {
        let report = try Self.run(folder, "App", isForced: isForced)
        #expect(report.removed.isEmpty && report.kept == [place.path()])
        #expect(try Self.text(folder, "out/B.swift") == edited)
        #expect(report.lines.contains { $0.hasPrefix("\(place.path()): stays, because it was edited") })
      }
      try Data(Self.source.utf8).write(to: folder.appending(path: "App/B.swift"))
      _ = try Self.run(folder, "App", isForced: true)
      #expect(
        try Self.code(folder, "out/B.swift") == Self.ported && Self.code(folder, "out/A.swift") == "let new = 1\n")
    }
  }

  @Test("The ported file of a deleted source disappears, and that of a source outside the run stays")
  func portedFilesOfDeletedSourcesDisappear() throws {
    let files = ["App/A.swift": Self.source, "App/Sub/B.swift": Self.source, "Other/C.swift": Self.source]
    try Self.inFolder(files) { folder in
      _ = try Self.run(folder, "App")
      _ = try Self.run(folder, "Other/C.swift")
      try Data("mine\n".utf8).write(to: folder.appending(path: "out/Mine.swift"))
      try FileManager.default.removeItem(at: folder.appending(path: "App/Sub/B.swift"))
      try FileManager.default.removeItem(at: folder.appending(path: "Other/C.swift"))
      let place = folder.appending(path: "out/Sub/B.swift").path()
      #expect(try Self.run(folder, "App/A.swift").removed.isEmpty)
      let check = try Self.run(folder, "App", writes: false)
      #expect(check.removed == [place] && FileManager.default.fileExists(atPath: place))
      let report = try Self.run(folder, "App")
      #expect(report.removed == [place] && !FileManager.default.fileExists(atPath: place))
      #expect(report.lines.contains { $0.hasPrefix("\(place): removed") })
      for name in ["A", "C", "Mine"] {
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "out/\(name).swift").path()), "\(name)")
      }
    }
  }

  @Test("An edited copy within the folder of ported files stays, also by force")
  func editedCopiesStay() throws {
    try Self.inFolder(["App/A.swift": Self.source]) { folder in
      _ = try Self.run(folder, "App")
      let copy = folder.appending(path: "out/Mine.swift")
      let edited = "// my edit\n" + (try Self.text(folder, "out/A.swift"))
      try Data(edited.utf8).write(to: copy)
      let report = try Self.run(folder, "App", isForced: true)
      #expect(report.kept == [copy.path()] && report.removed.isEmpty)
      #expect(try Self.text(folder, "out/Mine.swift") == edited)
    }
  }

  @Test("Nothing is removed while a source cannot be read", arguments: ["App/Bad.swift", "App/Empty"])
  func unreadableSourcesRemoveNothing(name: String) throws {
    try Self.inFolder(["App/A.swift": Self.source, "App/B.swift": Self.source, "App/Empty/x": ""]) { folder in
      _ = try Self.run(folder, "App")
      try FileManager.default.removeItem(at: folder.appending(path: "App/B.swift"))
      let bad = folder.appending(path: "App/Bad.swift")
      if name.hasSuffix("swift") { try Data([0x61, 0x0A, 0xFF, 0x62]).write(to: bad) }
      let first = try Self.run(folder, "App", name)
      #expect(first.removed.isEmpty && first.unreadable.count == 1)
      #expect(try Self.code(folder, "out/B.swift") == Self.ported)
      if name.hasSuffix("swift") { try FileManager.default.removeItem(at: bad) }
      let report = try Self.run(folder, "App")
      #expect(report.removed == [folder.appending(path: "out/B.swift").path()] && report.isWritten)
    }
  }

  @Test("A run that only removes files has written")
  func removalIsAChange() throws {
    try Self.inFolder(["App/A.swift": Self.source, "App/B.swift": Self.source]) { folder in
      _ = try Self.run(folder, "App")
      try FileManager.default.removeItem(at: folder.appending(path: "App/B.swift"))
      let check = try Self.run(folder, "App", writes: false)
      #expect(!check.isWritten && check.lines.contains { $0.contains("B.swift: to be removed, because") })
      #expect(try Self.run(folder, "App").lines.contains { $0.contains("B.swift: removed, because") })
    }
  }

  @Test("A source whose ported file moves, as another folder joins the run, has one ported file")
  func movedFilesLeaveNoCopy() throws {
    try Self.inFolder(["App/A.swift": Self.source, "Kit/B.swift": Self.source]) { folder in
      _ = try Self.run(folder, "App")
      let report = try Self.run(folder, "App", "Kit")
      #expect(report.removed == [folder.appending(path: "out/A.swift").path()])
      #expect(try Self.code(folder, "out/App/A.swift") == Self.ported)
    }
  }

  @Test("A source that is not readable is named, and the others are ported")
  func unreadableSourcesAreNamed() throws {
    try Self.inFolder(["A.swift": Self.source, "F/x": ""]) { folder in
      try Data([0x61, 0x0A, 0xFF, 0x62]).write(to: folder.appending(path: "Bad.swift"))
      let report = try Self.run(folder, "A.swift", "Bad.swift", "Missing.swift", "F")
      #expect(
        report.unreadable.map(\.reason) == [
          "the folder has no Swift file", "byte 3 is not UTF-8; save it as UTF-8", "No such file or directory",
        ])
      #expect(report.files.count == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "out").path()) == ["A.swift"])
    }
  }

  private static let app = [
    "App/Scene.swift": "import CarPlay\nclass Scene: UIResponder, CPTemplateApplicationSceneDelegate {}\n",
    "App/Sub/App.swift":
      "import UIKit\n@main class App: UIResponder, UIApplicationDelegate { let a: UIColor?\n init(a: UIColor) {} }\n",
    "App/Sub/Plain.swift": "if #available(iOS 14, *) {}\n",
  ]

  @Test("One import of CarPlay makes all sources those of an app for CarPlay, and its delegates are registered")
  func delegatesAreRegistered() throws {
    try Self.inFolder(Self.app) { folder in
      for _ in 1...2 {
        let report = try Self.run(folder, "App")
        let place = folder.appending(path: "out/PortedSceneDelegates.swift").path()
        #expect(report.registration?.output == place && report.registration?.classes == ["Scene"])
        #expect(report.lines.contains("\(place): registers Scene"))
        #expect(report.files.flatMap(\.left).map(\.code) == ["class App"])
      }
      let text = try Self.code(folder, "out/PortedSceneDelegates.swift")
      #expect(text.contains("SceneDelegateRegistry.register(Scene.self) { Scene() }\n"))
      #expect(try Self.text(folder, "out/Sub/App.swift").hasPrefix("import UIKit\nclass App:"))
      #expect(try Self.text(folder, "out/Sub/Plain.swift").hasPrefix("import UIKit; if iOSVersionIsAtLeast(14) {}\n"))
      try Data("import CarPlay\n".utf8).write(to: folder.appending(path: "App/Scene.swift"))
      let report = try Self.run(folder, "App")
      #expect(report.removed == [folder.appending(path: "out/PortedSceneDelegates.swift").path()])
    }
  }

  @Test("A file at the place of the registration that no run has made stays, and a source there is refused")
  func registrationsReplaceNothing() throws {
    var files = Self.app
    files["out/PortedSceneDelegates.swift"] = "mine\n"
    files["App/PortedSceneDelegates.swift"] = "\n"
    try Self.inFolder(files) { folder in
      let place = folder.appending(path: "out/PortedSceneDelegates.swift").path()
      #expect(throws: PortRun.Failure.takesName(place)) { try Self.run(folder, "App") }
      try FileManager.default.removeItem(at: folder.appending(path: "App/PortedSceneDelegates.swift"))
      #expect(throws: PortRun.Failure.replacesForeignFile(place)) { try Self.run(folder, "App") }
      #expect(try Self.text(folder, "out/PortedSceneDelegates.swift") == "mine\n")
    }
  }

  @Test("Sources without an import of CarPlay are an app for CarPlay if the user says so")
  func theUserDecides() throws {
    try Self.inFolder(["A.swift": "import MediaPlayer\nclass A: NSObject, UISceneDelegate {}\n"]) { folder in
      let path = folder.appending(path: "A.swift").path()
      let other = try PortRun(sources: [path], folder: nil).run(writes: false)
      #expect(other.leftCount == 1 && other.registration == nil)
      let app = try PortRun(sources: [path], folder: nil, isCarPlay: true).run(writes: false)
      #expect(app.leftCount == 0 && app.registration?.classes == ["A"] && app.registration?.output == nil)
    }
  }

  @Test("Code behind os(iOS) is compiled on Linux if the user says so, and its other branch is not")
  func systemsAreTaken() throws {
    let source = """
      #if os(iOS) || os(macOS)
      @objc class A {}
      #elseif !os(iOS) && os(tvOS)
      @objc class B {}
      #else
      #error("Unsupported platform.")
      #endif
      """
    try Self.inFolder(["A.swift": source]) { folder in
      let path = folder.appending(path: "A.swift").path()
      let plain = try PortRun(sources: [path], folder: nil).run(writes: false)
      #expect(plain.files.flatMap(\.left).map(\.code) == ["#error(\"Unsupported platform.\")"])
      let output = folder.appending(path: "out").path()
      let taken = try PortRun(sources: [path], folder: output, isIOS: true).run(writes: true)
      #expect(taken.leftCount == 0)
      #expect(
        try Self.code(folder, "out/A.swift")
          == source.replacing("os(iOS)", with: "os(Linux)").replacing("@objc class A", with: "class A") + "\n")
    }
  }

  @Test("A report as JSON has the documented keys")
  func reportsAreJSON() throws {
    try Self.inFolder(["A.swift": "@objc class A {}\nimport CoreData\n"]) { folder in
      let data = try JSONEncoder().encode(try Self.run(folder, "A.swift", output: nil, writes: false))
      let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(Set(object.keys) == ["changes", "files", "left", "unreadable", "written"])
      let file = try #require((object["files"] as? [[String: Any]])?.first)
      let change = try #require((file["changes"] as? [[String: Any]])?.first)
      #expect(change["was"] as? String == "@objc" && change["becomes"] as? String == "")
      #expect(change["line"] as? Int == 1 && change["column"] as? Int == 1)
      let left = try #require((file["left"] as? [[String: Any]])?.first)
      #expect(left["code"] as? String == "import CoreData" && left["line"] as? Int == 2)
      #expect((left["reason"] as? String)?.isEmpty == false)
    }
  }
}
