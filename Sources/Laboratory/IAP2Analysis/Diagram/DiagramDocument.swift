// swift-iap2 · Apache-2.0

package import Foundation
import IAP2
import IAP2Capture

/// A file with a diagram: an SVG picture, or an HTML page with the same picture and details on hover.
package struct DiagramDocument {
  package enum Format: String, CaseIterable {
    case svg, html

    /// The format of a file name's extension; nil for an unknown one.
    package init?(path: String) {
      switch path.split(separator: ".").last?.lowercased() {
      case "svg": self = .svg
      case "html", "htm": self = .html
      default: return nil
      }
    }
  }

  /// The name of the capture or the app, for the title.
  package let name: String
  package let diagram: SequenceDiagram
  /// The transport of each connection as text, in the order of the diagram's connections.
  package let transports: [String]
  /// The time of the capture's begin; nil if the capture has none.
  package let start: Date?
  package let time: DiagramTime

  /// Creates the document of a diagram.
  package init(
    name: String, diagram: SequenceDiagram, transports: [String], start: Date?, time: DiagramTime
  ) {
    (self.name, self.diagram, self.transports, self.start, self.time) = (name, diagram, transports, start, time)
  }

  private struct Part {
    let drawing: DiagramDrawing
    let transport: String

    var connection: SequenceDiagram.Connection { drawing.connection }
    var layout: DiagramLayout { drawing.layout }
  }

  private func parts(hasTitles: Bool) -> [Part] {
    zip(diagram.connections, transports).map {
      Part(
        drawing: DiagramDrawing(connection: $0, layout: DiagramLayout($0, time), hasTitles: hasTitles), transport: $1)
    }
  }

  /// The subject of the first connection.
  private var subject: SequenceDiagram.Subject { diagram.connections.first?.subject ?? .connection }

  /// The title. A connection inside a CarPlay session comes before its session, which is the subject.
  private var title: String {
    (diagram.connections.contains { $0.subject == .session } ? .session : subject).title
  }

  /// The layers of all connections.
  private var layers: [DiagramLayer] {
    let used = diagram.connections.isEmpty ? subject.layers : diagram.connections.flatMap(\.subject.layers)
    return DiagramLayer.allCases.filter(used.contains)
  }

  private var began: String { start.map { ", capture started \($0.formatted(.iso8601))" } ?? "" }

  /// Writes the document in pieces.
  package func write(_ format: Format, _ write: (String) throws -> Void) rethrows {
    switch format {
    case .svg: try writeSVG(write)
    case .html: try writePage(write)
    }
  }

  // MARK: SVG

  /// The height of the title and of a legend of one row, and that of a further row.
  private static let titleHeight = 86, legendRowHeight = 20
  /// The layers in a row of the legend.
  private static let legendColumns = 6
  /// The height of the line about the time axis, above the heads.
  private static let axisHeight = 26
  private static let headingLineHeight = 18
  /// The columns of a heading's line in the widest usual font, 7 pixels each.
  private static let headingColumns = 178

  private func headingLines(_ part: Part) -> [String] { Markup.lines(heading(part), columns: Self.headingColumns) }

  private func partHeight(_ part: Part) -> Int {
    headingLines(part).count * Self.headingLineHeight + Self.axisHeight
  }

  private func writeSVG(_ write: (String) throws -> Void) rethrows {
    let parts = parts(hasTitles: true)
    let width = DiagramDrawing.width
    let titleHeight = Self.titleHeight + (layers.count - 1) / Self.legendColumns * Self.legendRowHeight
    let height = parts.reduce(titleHeight) {
      $0 + partHeight($1) + DiagramDrawing.headsHeight + $1.layout.height
    }
    try write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)">
      <title>\(Markup.escape(name)): \(title)</title>
      <style>\(DiagramStyle.drawing)</style>
      <rect class="paper" width="\(width)" height="\(height)"/>
      <text class="title" x="16" y="28">\(Markup.escape(Markup.fit(name, columns: 100)))</text>
      <g transform="translate(16,46)">\(legend())</g>
      <path class="rule" d="M16 \(titleHeight - 14)H\(width - 10)"/>

      """)
    var top = titleHeight
    for part in parts {
      let lines = headingLines(part) + [DiagramWords.time(time, scale: part.layout.scale)]
      let heading = lines.enumerated().map { number, line in
        "<text x=\"16\" y=\"\(10 + number * Self.headingLineHeight)\">\(Markup.escape(line))</text>\n"
      }
      try write(
        """
        <g transform="translate(0,\(top))">
        \(heading.joined())</g>
        <g transform="translate(0,\(top + partHeight(part)))">

        """)
      try write(part.drawing.heads() + "<g transform=\"translate(0,\(DiagramDrawing.headsHeight))\">\n")
      try part.drawing.body(write)
      try write("</g></g>\n")
      top += partHeight(part) + DiagramDrawing.headsHeight + part.layout.height
    }
    try write("</svg>\n")
  }

  private func heading(_ part: Part) -> String {
    (part.connection.subject == .connection
      ? "Connection \(part.connection.number), \(part.transport)" : part.transport)
      + ": \(DiagramWords.heading(part.connection))\(began)"
      + (part.drawing.origin == 0 ? "" : ", times count from \(DecodedText.seconds(part.drawing.origin))")
  }

  private func legend() -> String {
    layers.enumerated().map { number, layer in
      """
      <g class="\(layer.rawValue)" transform="translate(\(number % Self.legendColumns * 190),\
      \(number / Self.legendColumns * Self.legendRowHeight))">\(Self.sample(layer))
      <text x="52" y="12">\(layer.title)</text></g>

      """
    }.joined()
  }

  private static func sample(_ layer: DiagramLayer) -> String {
    DiagramDrawing.arrow(layer, from: 0, to: 46, 8)
      + (layer == .damage ? "<path class=\"cross\" d=\"M18 3l10 10m0 -10l-10 10\"/>" : "")
  }

  // MARK: HTML

  private func writePage(_ write: (String) throws -> Void) rethrows {
    let legend = layers.map { layer in
      "<label><input type=\"checkbox\" value=\"\(layer.rawValue)\" checked hidden>"
        + "<svg class=\"\(layer.rawValue)\" width=\"48\" height=\"16\" aria-hidden=\"true\">"
        + "\(Self.sample(layer))</svg>\(layer.title)</label>"
    }
    try write(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
      script-src 'sha256-\(DiagramScript.digest)'">
      <meta name="viewport" content="width=device-width">
      <title>\(Markup.escape(name)): \(title)</title>
      <style>\(DiagramStyle.page)</style>
      </head>
      <body>
      <h1>\(Markup.escape(name))</h1>
      <p>Point at a step, or reach it with Tab, for its details; a click keeps them.</p>
      <div class="legend">\(legend.joined())</div>
      <p id="tools" hidden><label>Find <input id="find" type="search" size="40" placeholder="name, value or bytes">\
      </label> <output id="count"></output></p>

      """)
    for part in parts(hasTitles: false) { try writeSection(part, write) }
    try write("<script>\(DiagramScript.text)</script>\n</body>\n</html>\n")
  }

  private func writeSection(_ part: Part, _ write: (String) throws -> Void) rethrows {
    let (width, subject) = (DiagramDrawing.width, part.connection.subject)
    try write(
      """
      <section>
      <h2>\(Markup.escape(heading(part)))</h2>
      <p>\(Markup.escape(DiagramWords.time(time, scale: part.layout.scale)))</p>
      <div class="heads"><svg width="\(width)" height="\(DiagramDrawing.headsHeight)" role="img" \
      aria-label="\(subject.lane(.accessory)) on the left, \(subject.lane(.device)) on the right">\
      \(part.drawing.heads())</svg></div>
      <div class="drawing">
      <svg width="\(width)" height="\(part.layout.height)" aria-hidden="true">

      """)
    try part.drawing.body(write)
    try write("</svg>\n<ol>\n")
    for row in part.layout.rows {
      guard case .step(let number, let elapsed, _) = row.kind else { continue }
      let words = DiagramStep(
        part.connection.steps[number], of: subject, run: part.drawing.run(row, from: number))
      let height = DiagramLayout.rowHeight(part.connection.steps[number])
      try write(Self.card(words, top: row.top, height: height, elapsed: elapsed))
    }
    try write("</ol>\n</div>\n</section>\n")
  }

  private static func card(_ words: DiagramStep, top: Int, height: Int, elapsed: Double?) -> String {
    let (place, content) = words.details(elapsed: elapsed)
    return """
      <li tabindex="0" style="top:\(top)px;height:\(height)px" \
      aria-label="\(Markup.escape(words.spoken))">\
      <div class="card"><b>\(Markup.escape(words.name)) \(Markup.escape(words.suffix))</b>\
      <br>\(place.map(Markup.escape).joined(separator: "<br>"))\
      <pre>\(Markup.escape(content.joined(separator: "\n")))</pre></div></li>

      """
  }
}
