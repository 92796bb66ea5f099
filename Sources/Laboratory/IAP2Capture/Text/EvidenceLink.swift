// swift-iap2 · Apache-2.0

/// The links of generated articles to the pages of `Documentation/Protocol`.
package enum EvidenceLink {
  /// The path of the pages from an article, which stands in `Sources/LAYER/MODULE/MODULE.docc`.
  private static let pages = "../../../../Documentation/Protocol/"

  /// Returns an evidence, such as `Link.md#detect: a remark`, with a link for each page and anchor.
  package static func facts(in evidence: String) -> String {
    evidence.replacing(/[A-Z][A-Za-z]+\.md#[a-z0-9]+(?:-[a-z0-9]+)*/) { "[\($0.output)](\(pages)\($0.output))" }
  }

  /// Returns a link for the label of a source, such as `CAT`.
  package static func source(_ label: String) -> String { "[\(label)](\(pages)Sources.md#\(label.lowercased()))" }
}
