// swift-iap2 · Apache-2.0

import Basics
import IAP2Analysis

extension RunReport {
  /// The report in JUnit XML, which build servers read: a test case for each part.
  var junit: String {
    let total = parts.reduce(0) { $0 + ($1.seconds ?? 0) }
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuite name=\"\(Markup.attribute(title))\" tests=\"\(parts.count)\" failures=\"\(failures)\" errors=\"0\" "
        + "skipped=\"0\" time=\"\(Duration.seconds(total).secondsText)\">",
    ]
    for part in parts {
      let start =
        "  <testcase classname=\"\(Markup.attribute(title))\" name=\"\(Markup.attribute(part.name))\" "
        + "time=\"\(Duration.seconds(part.seconds ?? 0).secondsText)\""
      guard let failure = part.failure else {
        lines.append(start + "/>")
        continue
      }
      lines.append(start + ">")
      lines.append(
        "    <failure message=\"\(Markup.attribute(failure))\">"
          + "\(Markup.escape(part.details.joined(separator: "\n")))</failure>")
      lines.append("  </testcase>")
    }
    return (lines + ["</testsuite>", ""]).joined(separator: "\n")
  }
}

extension Markup {
  /// Returns escaped text of one line.
  fileprivate static func attribute(_ text: String) -> String { escape(text.replacing("\n", with: " ")) }
}
