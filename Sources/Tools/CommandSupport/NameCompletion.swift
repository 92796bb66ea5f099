// swift-iap2 · Apache-2.0

package import ArgumentParser
import Foundation

extension CompletionKind {
  /// Completes to names.
  ///
  /// - Parameters:
  ///   - orFiles: Whether a file in YAML may stand in the place of a name.
  ///   - names: Returns the names. It is called when the shell asks.
  package static func names(orFiles: Bool = true, _ names: @escaping @Sendable () -> [String]) -> CompletionKind {
    .custom { _, _, prefix in
      (names() + (orFiles ? YAMLFiles.paths(beginningWith: prefix) : [])).filter { $0.hasPrefix(prefix) }
    }
  }

  /// Completes the last of several names with commas between.
  package static func nameList(orFiles: Bool = true, _ names: @escaping @Sendable () -> [String]) -> CompletionKind {
    .custom { _, _, prefix in
      let before = prefix.lastIndex(of: ",").map { String(prefix[...$0]) } ?? ""
      let given = Set(before.split(separator: ",").map(String.init))
      let words = names().filter { !given.contains($0) }.map { before + $0 }
      let files = orFiles && before.isEmpty ? YAMLFiles.paths(beginningWith: prefix) : []
      return (words + files).filter { $0.hasPrefix(prefix) }
    }
  }
}

/// The files that a name of a scenario, a profile or a car may be.
private enum YAMLFiles {
  /// The most entries of a folder that are read, so that a key press never waits long.
  private static let maximumCount = 10_000

  static func paths(beginningWith prefix: String) -> [String] {
    let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder) } catch {
      return []
    }
    return names.prefix(maximumCount).sorted().filter { !$0.hasPrefix(".") }.compactMap { name in
      var isFolder = ObjCBool(false)
      guard unsafe FileManager.default.fileExists(atPath: folder + name, isDirectory: &isFolder) else { return nil }
      if isFolder.boolValue { return folder + name + "/" }
      return name.hasSuffix(".yaml") || name.hasSuffix(".yml") ? folder + name : nil
    }
  }
}
