// swift-iap2 · Apache-2.0

import Foundation

/// The part of a report with which later runs are compared. It stands in the page, in a script element that no browser
/// runs.
struct RunBase: Codable, Equatable {
  struct Part: Codable, Equatable {
    var name: String
    var failure: String?
    /// The rows without their times.
    var rows: [String]
  }

  var title: String
  var parts: [Part]

  init(_ report: RunReport) {
    title = report.title
    parts = report.parts.map { part in
      Part(name: part.name, failure: part.failure, rows: part.rows.map(\.words))
    }
  }

  private static let start = "<script type=\"application/json\" id=\"iap2-run\">", end = "</script>"
  /// The largest page that is read. A page has at most 64 MB of pictures in base64, and its rows.
  static let maximumByteCount = 128 << 20

  /// The element of a page.
  var element: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      // No text can end the element.
      let json = String(decoding: try encoder.encode(self), as: UTF8.self).replacing("<", with: "\\u003c")
      return Self.start + json + Self.end
    }
  }

  /// Reads the run of a page; nil if the page has none.
  init?(page: String) {
    guard let start = page.range(of: Self.start),
      let end = page.range(of: Self.end, range: start.upperBound..<page.endIndex)
    else { return nil }
    do { self = try JSONDecoder().decode(Self.self, from: Data(page[start.upperBound..<end.lowerBound].utf8)) } catch {
      return nil
    }
  }
}

/// The differences of a run from an earlier one, whose rows are compared without their times.
struct RunComparison: Equatable {
  enum Line: Equatable {
    /// A heading, or a sentence about a part.
    case remark(String)
    case removed(String)
    case added(String)
  }

  private(set) var lines: [Line] = []

  /// The most rows of each run that are compared row by row, behind those that are equal at both ends. The time grows
  /// with their product.
  private static let maximumRows = 2000
  /// The most rows that are listed of a part.
  private static let maximumListed = 200

  init(_ run: RunBase, base: RunBase) {
    if run.title != base.title { lines.append(.remark("The base run is another one: \(base.title)")) }
    for part in run.parts {
      guard let before = base.parts.first(where: { $0.name == part.name }) else {
        lines.append(.remark("\(part.name) is new"))
        continue
      }
      compare(part, before)
    }
    for part in base.parts where !run.parts.contains(where: { $0.name == part.name }) {
      lines.append(.remark("\(part.name) was not run"))
    }
  }

  private mutating func compare(_ part: RunBase.Part, _ before: RunBase.Part) {
    switch (before.failure, part.failure) {
    case (nil, let failure?): lines.append(.remark("\(part.name) failed, and did not before: \(failure)"))
    case (let failure?, nil): lines.append(.remark("\(part.name) failed before, and does not now: \(failure)"))
    case (let old?, let new?) where old != new: lines.append(.remark("\(part.name) failed otherwise before: \(old)"))
    default: break
    }
    let start = zip(part.rows, before.rows).prefix { $0 == $1 }.count
    let rest = (new: part.rows.dropFirst(start), old: before.rows.dropFirst(start))
    let end = zip(rest.new.reversed(), rest.old.reversed()).prefix { $0 == $1 }.count
    let (new, old) = (Array(rest.new.dropLast(end)), Array(rest.old.dropLast(end)))
    guard !new.isEmpty || !old.isEmpty else { return }
    lines.append(.remark("\(part.name) differs from row \(start + 1) on: \(new.count) rows in place of \(old.count)"))
    var changes: [Line] = []
    if new.count <= Self.maximumRows, old.count <= Self.maximumRows {
      let difference = new.difference(from: old)
      changes = difference.map { change in
        switch change {
        case .remove(let place, let row, _): (place, 0, Line.removed(row))
        case .insert(let place, let row, _): (place, 1, Line.added(row))
        }
      }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    } else {
      changes = old.map { .removed($0) } + new.map { .added($0) }
    }
    lines += changes.prefix(Self.maximumListed)
    if changes.count > Self.maximumListed {
      lines.append(.remark("\(changes.count - Self.maximumListed) more rows differ"))
    }
  }
}
