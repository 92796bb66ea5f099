// swift-iap2 · Apache-2.0

import Foundation
import Testing

@testable import Lab

@Suite struct LabPageTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/Tools/Lab/Page")

  @Test("The program has every file of the page, and they are small")
  func files() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
    #expect(Set(names) == Set(LabPage.files.keys))
    #expect(LabPage.files.values.reduce(0) { $0 + $1.bytes.count } < 300_000)
  }

  @Test("The policy allows no script, style or connection from elsewhere")
  func policy() {
    #expect(LabPage.policy.hasPrefix("default-src 'none'; script-src 'self' 'sha256-"))
    for word in ["unsafe", "http:", "https:", "*"] { #expect(!LabPage.policy.contains(word)) }
    let page = String(decoding: LabPage.files["index.html"]?.bytes ?? [], as: UTF8.self)
    #expect(!page.contains("style=\"") && !page.contains("onclick"))
  }

  @Test("The modules make no markup from texts")
  func noMarkup() {
    for (name, file) in LabPage.files where name.hasSuffix(".js") {
      let text = String(decoding: file.bytes, as: UTF8.self)
      for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
        #expect(!text.contains(word), "\(name) has \(word)")
      }
    }
  }

  @Test("A saved page has all files inside, and no text ends its record")
  func offline() {
    let page = LabPage.offline(record: #"{"text":"</script><script>alert(1)</script>"}"#)
    #expect(page.contains(#"id="record">{"text":"\u003c/script>\u003cscript>alert(1)\u003c/script>"}</script>"#))
    for name in LabPage.files.keys where name != "index.html" {
      #expect(!page.contains("\"./\(name)\"") && !page.contains("\"\(name)\""), "\(name)")
    }
  }
}
