// swift-iap2 · Apache-2.0

/// A conversion of sources into a folder. The sources stay as they are.
public struct PortRun: Sendable {
  /// A reason why nothing is written.
  public enum Failure: Error, Hashable, Sendable {
    /// The ported file would replace a source of the same run.
    case replacesSource(String)
    /// A file at the place of a ported one was not made by a run.
    case replacesForeignFile(String)
    /// The folder or a file in it cannot be written: path and errno.
    case system(String, Int32)
  }

  private let sources: [String]
  private let folder: OutputTree?

  /// - Parameters:
  ///   - sources: The paths of sources, and of folders with sources below them.
  ///   - folder: The folder of the ported files; nil to write none.
  public init(sources: [String], folder: String?) {
    self.sources = sources
    self.folder = folder.map { OutputTree(path: $0) }
  }

  /// Ports the sources.
  ///
  /// Every place of a ported file is checked before the first one is written. Each source keeps its path below the
  /// deepest folder that has all of them.
  ///
  /// - Parameter writes: Whether ported files are written.
  public func run(writes: Bool) throws(Failure) -> PortReport {
    let found = SourceList(sources, without: folder)
    var report = PortReport()
    report.unreadable = found.unreadable.map { PortReport.Unreadable(source: $0.path, reason: $0.problem.text) }
    var identities: Set<FileIdentity> = []
    var ported: [(path: [String], text: String)] = []
    for source in found.sources {
      do throws(SourceFile.Problem) {
        let file = try SourceFile(source.path)
        identities.insert(file.identity)
        let result = PortedSource(porting: file.text)
        let path = found.pathInFolder(source)
        report.files.append(
          PortReport.File(
            source: source.path, output: folder.map { $0.path(of: path) }, changes: result.changes,
            left: result.remainders))
        ported.append((path, OutputTree.marked(result.text)))
      } catch {
        report.unreadable.append(PortReport.Unreadable(source: source.path, reason: error.text))
      }
    }
    guard let folder else { return report }
    for file in ported { try folder.check(file.path, file.text, sources: identities) }
    guard writes else { return report }
    for file in ported { try folder.write(file.text, to: file.path) }
    report.isWritten = true
    return report
  }
}
