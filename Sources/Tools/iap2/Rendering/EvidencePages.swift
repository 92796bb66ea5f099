// swift-iap2 · Apache-2.0

/// The words that say where the printed evidence stands.
enum EvidencePages {
  static let help =
    "Evidence such as Link.md#lsp-window is a page and an anchor of Documentation/Protocol. The Debian package has the pages in /usr/share/doc/iap2/protocol."
}
