// swift-iap2 · Apache-2.0

import Basics
import Foundation
import IAP2Analysis

extension RunReport {
  /// Returns the report as one HTML page without scripts that run.
  ///
  /// - Parameter base: An earlier run, from which the differences are shown; nil without one.
  func html(against base: EarlierRun?) throws -> String {
    let verdict =
      failures == 0
      ? "<p class=\"verdict pass\">passed</p>"
      : "<p class=\"verdict fail\">\(failures) of \(parts.count) failed</p>"
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="color-scheme" content="light dark">
      <title>\(Markup.escape(title))</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <h1>\(Markup.escape(title))</h1>
      \(verdict)
      <p>\(facts.map(Markup.escape).joined(separator: "<br>\n"))</p>
      \(failed)
      \(try comparison(with: base))
      \(parts.map(section).joined(separator: "\n"))
      \(ladder.map(Self.section) ?? "")
      </body>
      </html>

      """
  }

  /// Returns the differences from an earlier run in HTML, and what a later run needs for its own.
  package func comparison(with base: EarlierRun?) throws -> String {
    let run = RunBase(self)
    let section = base.map { Self.section(RunComparison(run, base: $0.run), against: $0.name) + "\n" }
    return (section ?? "") + (try run.element)
  }

  private static let style = """
    body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
    h2 { margin: 2rem 0 .5rem } table { border-collapse: collapse; width: 100% }
    td { padding: .1rem .6rem .1rem 0; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere }
    td:first-child { text-align: right; opacity: .7; font-variant-numeric: tabular-nums; white-space: pre }
    td:nth-child(2) { white-space: pre; opacity: .7 } pre { overflow-x: auto }
    .verdict { font-weight: 600 } .pass { color: light-dark(#176b2c, #7ddc94) } .fail { color: light-dark(#b3261e, #ff8f84) }
    .step td { font-weight: 600; padding-top: .4rem } .message td { color: light-dark(#0b57d0, #8ab4f8) }
    .warning td { color: light-dark(#8a5a00, #eeb35f) } .end td { color: light-dark(#b3261e, #ff8f84) }
    .detail td { opacity: .7 } .removed::before { content: "- " } .added::before { content: "+ " }
    div { overflow-x: auto }
    figure { display: inline-block; margin: .3rem .6rem .6rem 0 } figcaption { font-size: .8em; opacity: .7 }
    figure img { height: 220px; max-width: 100%; border: 1px solid #8886; border-radius: 6px }
    """

  private var failed: String {
    let failed = parts.filter { $0.failure != nil }.prefix(Self.maximumFailed)
    guard !failed.isEmpty else { return "" }
    return "<h2>What failed</h2>\n"
      + failed.map { part in
        let details = part.details.isEmpty ? "" : "<pre>\(Markup.escape(part.details.joined(separator: "\n")))</pre>"
        return
          "<p><b>\(Markup.escape(part.name))</b>: <span class=\"fail\">\(Markup.escape(part.failure ?? ""))</span></p>"
          + details
      }.joined(separator: "\n")
  }

  /// The most failures that stand above the parts.
  private static let maximumFailed = 50

  private static func section(_ comparison: RunComparison, against name: String) -> String {
    let heading = "<h2>Against \(Markup.escape(name))</h2>\n"
    guard !comparison.lines.isEmpty else { return heading + "<p>No difference, times aside.</p>" }
    return heading
      + comparison.lines.map { line in
        switch line {
        case .remark(let text): "<p>\(Markup.escape(text))</p>"
        case .removed(let text): "<div class=\"removed fail\">\(Markup.escape(text))</div>"
        case .added(let text): "<div class=\"added pass\">\(Markup.escape(text))</div>"
        }
      }.joined(separator: "\n")
  }

  private func section(_ part: Part) -> String {
    guard !part.rows.isEmpty || part.omitted > 0 else { return "" }
    let rows = part.rows.map { row in
      "<tr class=\"\(row.kind.rawValue)\"><td>\(row.time.map { Duration.seconds($0).secondsText } ?? "")</td>"
        + "<td>\(Markup.escape(row.who))</td><td>\(Markup.escape(row.text))\(figures(row))</td></tr>"
    }
    let omitted =
      part.omitted == 0 ? "" : "<p>\(part.omitted) more rows are left out: a page has \(RunRecorder.maximumRows).</p>"
    return "<h2>\(Markup.escape(part.name))</h2>\n<table>\n\(rows.joined(separator: "\n"))\n</table>\(omitted)"
  }

  private func figures(_ row: Row) -> String {
    row.pictures.map { number in
      let picture = pictures[number]
      let name = Markup.escape(picture.name)
      return "<br><figure><img alt=\"\(name)\" src=\"data:\(picture.type);base64,"
        + "\(Data(picture.bytes).base64EncodedString())\"><figcaption>\(name)</figcaption></figure>"
    }.joined()
  }

  private static func section(ladder: String) -> String {
    // An object has style and titles of its own.
    "<h2>Messages</h2>\n<div><object type=\"image/svg+xml\" data=\"data:image/svg+xml;base64,"
      + "\(Data(ladder.utf8).base64EncodedString())\">the messages of both sides</object></div>"
  }
}
