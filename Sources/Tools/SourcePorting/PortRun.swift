// swift-iap2 · Apache-2.0

/// A conversion of sources into a folder. The sources stay as they are.
public struct PortRun: Sendable {
  /// A reason why nothing is written.
  public enum Failure: Error, Hashable, Sendable {
    /// The ported file would replace a source of the same run.
    case replacesSource(String)
    /// A file at the place of a ported one was not made by a run.
    case replacesForeignFile(String)
    /// A ported file was edited after a run had made it, and would be replaced.
    case replacesEditedFile(String)
    /// A source has the name of the file that registers the app's delegates.
    case takesName(String)
    /// The folder or a file in it cannot be written: path and errno.
    case system(String, Int32)
  }

  private let sources: [String]
  private let folder: OutputTree?
  private let isCarPlay: Bool?
  private let isIOS: Bool
  private let isForced: Bool

  /// - Parameters:
  ///   - sources: The paths of sources, and of folders with sources below them.
  ///   - folder: The folder of the ported files; nil to write none.
  ///   - isCarPlay: Whether the sources are those of an app for CarPlay; nil if an import of CarPlay decides.
  ///   - isIOS: Whether code behind `#if os(iOS)` is compiled on Linux.
  ///   - isForced: Whether ported files that were edited are replaced.
  public init(
    sources: [String], folder: String?, isCarPlay: Bool? = nil, isIOS: Bool = false, isForced: Bool = false
  ) {
    self.sources = sources
    self.folder = folder.map { OutputTree(path: $0) }
    self.isCarPlay = isCarPlay
    self.isIOS = isIOS
    self.isForced = isForced
  }

  /// A source that was read.
  private struct Read {
    var source: SourceList.Source
    var path: [String]
    var text: SourceText
  }

  /// A file to be written.
  private struct Output {
    var path: [String]
    var text: String
    /// The source, or the folder of the sources whose delegates the file registers.
    var origin: [Substring]
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
    var read: [Read] = []
    for source in found.sources {
      do throws(SourceFile.Problem) {
        let file = try SourceFile(source.path)
        identities.insert(file.identity)
        let text = SourceText(Array(file.text.utf8))
        read.append(Read(source: source, path: found.pathInFolder(source), text: text))
      } catch {
        report.unreadable.append(PortReport.Unreadable(source: source.path, reason: error.text))
      }
    }
    let outputs = try port(read, of: found.common, &report)
    report.files += found.foreign.map { PortReport.File(foreign: $0.path, $0.problem.text) }
    guard let folder else { return report }
    let texts = outputs.map { PortMark.marked($0.text, from: origin(of: $0, in: folder)) }
    // A source that cannot be read may be there again in the next run.
    let old = report.unreadable.isEmpty ? oldFiles(found, outputs, in: folder) : (removed: [], edited: [])
    for (file, text) in zip(outputs, texts) {
      try folder.check(file.path, text, sources: identities, isForced: isForced)
    }
    for file in old.removed { try folder.check(file, nil, sources: identities, isForced: false) }
    report.removed = old.removed.map(folder.path(of:))
    report.kept = old.edited.map(folder.path(of:))
    guard writes else { return report }
    for (file, text) in zip(outputs, texts) { try folder.write(text, to: file.path) }
    for file in old.removed { try folder.remove(file) }
    report.isWritten = !outputs.isEmpty || !old.removed.isEmpty
    return report
  }

  /// The path of a file's origin, as the mark has it.
  private func origin(of file: Output, in folder: OutputTree) -> String {
    SourceList.path(of: file.origin, from: SourceList.absolute(folder.path))
  }

  /// The ported files whose sources were in a folder of this run and do not exist any more, or now have another one.
  /// Those that were edited stay: an edit has no other place.
  private func oldFiles(
    _ found: SourceList, _ outputs: [Output], in folder: OutputTree
  ) -> (removed: [[String]], edited: [[String]]) {
    let new = Set(outputs.map(\.path))
    let origins = Set(outputs.map(\.origin))
    let old = folder.markedFiles().filter { file in
      guard !new.contains(file.path), !file.mark.origin.isEmpty else { return false }
      let origin = SourceList.absolute(folder.path + "/" + file.mark.origin)
      guard found.covers(origin) else { return false }
      // The registration of delegates comes from the folder itself.
      if file.path == [DelegateRegistration.fileName] { return origin == found.common }
      return origins.contains(origin) || !SourceFile.exists(origin)
    }
    return (old.filter { !$0.mark.isEdited }.map(\.path), old.filter(\.mark.isEdited).map(\.path))
  }

  /// Ports the sources that were read, and adds the registration of their delegates.
  private func port(
    _ read: [Read], of common: [Substring], _ report: inout PortReport
  ) throws(Failure) -> [Output] {
    let context = PortContext(read.map(\.text), isCarPlay: isCarPlay, isIOS: isIOS)
    var outputs: [Output] = []
    for file in read {
      let result = PortedSource(porting: file.text, in: context)
      if result.needsOpenCombine, report.packages.isEmpty { report.packages = [OpenCombine.package] }
      report.files.append(
        PortReport.File(
          source: file.source.path, output: folder.map { $0.path(of: file.path) }, changes: result.changes,
          left: result.remainders))
      outputs.append(Output(path: file.path, text: result.text, origin: file.source.absolute))
    }
    let registration = context.registration
    for problem in registration.problems { report.files[problem.source].add(problem, in: read[problem.source].text) }
    guard !registration.registered.isEmpty else { return outputs }
    let path = [DelegateRegistration.fileName]
    let shown = folder.map { $0.path(of: path) } ?? DelegateRegistration.fileName
    guard !outputs.contains(where: { $0.path == path }) else { throw .takesName(shown) }
    report.registration = PortReport.Registration(
      output: folder == nil ? nil : shown, classes: registration.registered.map(\.name))
    return outputs + [Output(path: path, text: registration.text, origin: common)]
  }
}

extension PortReport.File {
  /// A source of another language, which has no ported file.
  fileprivate init(foreign source: String, _ reason: String) {
    let place = SourcePosition(line: 1, column: 1)
    self.init(
      source: source, output: nil, changes: [],
      left: [PortedSource.Remainder(position: place, code: "", reason: reason)])
  }

  /// Adds a class that is not registered.
  fileprivate mutating func add(_ problem: DelegateRegistration.Problem, in source: SourceText) {
    left.append(
      PortedSource.Remainder(
        position: source.position(problem.range.lowerBound), code: source.excerpt(problem.range),
        reason: problem.reason))
    left.sort { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
  }
}
