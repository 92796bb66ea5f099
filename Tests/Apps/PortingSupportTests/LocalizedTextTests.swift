// swift-iap2 · Apache-2.0

import Foundation
import Testing

@testable import PortingSupport

@Suite struct LocalizedTextTests {
  @Test("A text without a translation has its values")
  func untranslated() {
    let (count, name) = (3, "Ann")
    #expect(String(localized: "\(count) songs of \(name), 100%") == "3 songs of Ann, 100%")
    #expect(String(localized: "100%", comment: "All") == "100%")
    #expect(String(localized: String.LocalizationValue(name)) == "Ann")
    #expect(String(localized: "songs.count", defaultValue: "\(count) songs") == "3 songs")
  }

  /// The keys are those that Xcode writes for the same literals.
  @Test("Keys have the places of C")
  func keys() {
    let value: String.LocalizationValue = "\(1) of \(2.5) at \("home") \(UInt8(4))"
    #expect(value.key == "%lld of %lf at %@ %lld")
  }

  @Test("A translation from a table of a bundle may have another order, and lack places or have too many")
  func translated() throws {
    let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let resources = folder.appending(path: "A.bundle")
    try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
    let table = """
      "%lld songs of %@" = "%2$@: %1$lld Lieder";
      "few %@ %@" = "nur %@";
      "many %@" = "%@ %@ %9$@ %";
      "key" = "%@ Wert";
      """
    try Data(table.utf8).write(to: resources.appending(path: "Localizable.strings"))
    let bundle = try #require(Bundle(url: resources))
    let (a, b) = ("A", "B")
    #expect(String(localized: "\(3) songs of \(a)", bundle: bundle) == "A: 3 Lieder")
    #expect(String(localized: "few \(a) \(b)", bundle: bundle) == "nur A")
    #expect(String(localized: "many \(a)", bundle: bundle) == "A %@ %9$@ %")
    #expect(String(localized: "key", defaultValue: "\(b) value", bundle: bundle) == "B Wert")
    #expect(String(localized: "absent \(a)", bundle: bundle) == "absent A")
  }
}
