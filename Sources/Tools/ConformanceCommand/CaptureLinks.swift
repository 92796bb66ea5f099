// swift-iap2 · Apache-2.0

import Foundation
package import IAP2Conformance
import Synchronization

/// The captures of the checks of a run, to which its report links.
package final class CaptureLinks: Sendable {
  private let paths = Mutex<[String: String]>([:])

  /// Creates links to nothing.
  package init() {}

  /// Notes the capture of a check; nil if it has none.
  package func note(_ path: String?, of check: Check) {
    if let path { paths.withLock { $0[check.id] = path } }
  }

  /// Returns the addresses of the captures by the ids of their checks, relative to a report.
  package func addresses(from report: String) -> [String: String] {
    let folder = URL(filePath: report).standardizedFileURL.deletingLastPathComponent().pathComponents
    return paths.withLock { paths in
      paths.mapValues { path in
        let parts = URL(filePath: path).standardizedFileURL.pathComponents
        let shared = zip(folder, parts).prefix { $0 == $1 }.count
        let steps = Array(repeating: "..", count: folder.count - shared) + parts.dropFirst(shared)
        return steps.map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(Self.plain)) ?? $0 }
          .joined(separator: "/")
      }
    }
  }

  /// The characters that stand for themselves in a part of an address.
  private static let plain = CharacterSet(charactersIn: "-._~")
}
