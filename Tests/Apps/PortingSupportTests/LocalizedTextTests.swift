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

  @Test("Keys have the places of C")
  func keys() {
    let value: String.LocalizationValue =
      "\(1) of \(2.5) at \("home") \(UInt(4)) \(UInt8(4)) \(Float(1)) \(7, specifier: "%03d") \(true)"
    #expect(value.key == "%lld of %lf at %@ %llu %u %f %03d %@")
    let (distance, date) = (2.5, Date(timeIntervalSince1970: 0))
    #expect(String(localized: "\(distance, specifier: "%.1f") km") == "2.5 km")
    #expect(String(localized: "\(date, format: .iso8601)") == "1970-01-01T00:00:00Z")
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
      "%lf km" = "%.1f km";
      "%lld of %lld" = "%02lld von %lld";
      """
    try Data(table.utf8).write(to: resources.appending(path: "Localizable.strings"))
    let bundle = try #require(Bundle(url: resources))
    let (a, b) = ("A", "B")
    #expect(String(localized: "\(3) songs of \(a)", bundle: bundle) == "A: 3 Lieder")
    #expect(String(localized: "few \(a) \(b)", bundle: bundle) == "nur A")
    #expect(String(localized: "many \(a)", bundle: bundle) == "A %@ %9$@ %")
    #expect(String(localized: "key", defaultValue: "\(b) value", bundle: bundle) == "B Wert")
    #expect(String(localized: "absent \(a)", bundle: bundle) == "absent A")
    #expect(String(localized: "\(2.5) km", bundle: bundle) == "2.5 km")
    #expect(String(localized: "\(3) of \(4)", bundle: bundle) == "03 von 4")
  }
}
