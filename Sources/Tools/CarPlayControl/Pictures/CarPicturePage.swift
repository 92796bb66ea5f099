// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation

/// A page with the pictures of several cars, for a report.
struct CarPicturePage {
  private let title: String
  private var rows: [String] = []

  init(app: String, scenario: String) { title = Self.escaped("\(app) · \(scenario)") }

  /// Adds a car with its pictures.
  mutating func add(_ car: CarChoice, _ files: [String], failure: CarFailure?) {
    let folder = car.folderName
    let figures = files.map { file in
      let name = Self.escaped(URL(filePath: file).lastPathComponent)
      let path = Self.escaped(Self.path(folder) + "/" + Self.path(URL(filePath: file).lastPathComponent))
      return "<figure><a href=\"\(path)\"><img loading=\"lazy\" src=\"\(path)\" alt=\"\(name)\"></a>"
        + "<figcaption>\(name)</figcaption></figure>"
    }
    let words = failure.map { "<p class=\"failure\">\(Self.escaped($0.description))</p>" } ?? ""
    let summary = CarProfile(rawValue: car.name).map { "<p>\(Self.escaped($0.summary))</p>" } ?? ""
    rows.append("<section><h2>\(Self.escaped(folder))</h2>\(summary)\(words)<div>\(figures.joined())</div></section>")
  }

  /// Writes the page as `index.html`.
  func write(into folder: PictureFolder) throws(CarFailure) {
    let page = """
      <!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
      <title>\(title)</title><style>
      body{font:16px system-ui,sans-serif;margin:2em}h2{margin:1.5em 0 0}p{margin:.2em 0 .6em;opacity:.75}
      div{display:flex;gap:1em;overflow-x:auto;padding-bottom:.5em}figure{margin:0}figcaption{font-size:.8em;opacity:.75}
      img{height:240px;border-radius:8px;border:1px solid #8886}.failure{color:#c0392b;opacity:1}
      </style><h1>\(title)</h1>\(rows.joined(separator: "\n"))</html>

      """
    try folder.replace(Array(page.utf8), in: "index.html")
  }

  private static func path(_ name: String) -> String {
    name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.subtracting(CharacterSet(charactersIn: "/:")))
      ?? name
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
