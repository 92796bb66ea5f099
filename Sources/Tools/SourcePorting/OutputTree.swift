// swift-iap2 · Apache-2.0

import Glibc

/// A folder that takes ported files. Nothing outside it is written: links in it are not followed.
struct OutputTree: Sendable {
  let path: String

  /// The path of a file in the folder, for reports.
  func path(of file: [String]) -> String {
    (path.hasSuffix("/") ? path : path + "/") + file.joined(separator: "/")
  }

  /// Throws if a ported file may not be written, or may not be removed.
  ///
  /// - Parameters:
  ///   - text: The new text; nil if the file is to be removed.
  ///   - isForced: Whether a ported file that was edited may be replaced.
  func check(
    _ file: [String], _ text: String?, sources: Set<FileIdentity>, isForced: Bool
  ) throws(PortRun.Failure) {
    let shown = path(of: file)
    guard let bytes = try read(file, sources: sources), !bytes.elementsEqual((text ?? "").utf8) else { return }
    guard let mark = PortMark(of: bytes) else { throw .replacesForeignFile(shown) }
    guard isForced || !mark.isEdited else { throw .replacesEditedFile(shown) }
  }

  /// The paths of the ported files in the folder, each with its mark. Links are not followed, and a file that cannot be
  /// read is none of them: it is neither replaced nor removed.
  func markedFiles() -> [(path: [String], mark: PortMark)] {
    let root = SourceList.absolute(path)
    return SourceList.files(below: path).compactMap { found in
      let file = SourceList.absolute(found).dropFirst(root.count).map(String.init)
      guard let bytes = try? read(file, sources: []), let mark = PortMark(of: bytes) else { return nil }
      return (file, mark)
    }
  }

  /// Removes a file.
  func remove(_ file: [String]) throws(PortRun.Failure) {
    guard let parent = try folder(of: file, creates: false), let name = file.last else { return }
    guard unsafe unlinkat(parent.number, name, 0) == 0 || errno == ENOENT else {
      throw .system(path(of: file), errno)
    }
  }

  /// Returns the bytes of a file; nil if it does not exist.
  private func read(_ file: [String], sources: Set<FileIdentity>) throws(PortRun.Failure) -> [UInt8]? {
    let shown = path(of: file)
    guard let parent = try folder(of: file, creates: false), let name = file.last else { return nil }
    let number = unsafe openat(parent.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw .replacesForeignFile(shown)
      default: throw .system(shown, errno)
      }
    }
    let old = Descriptor(number)
    guard let status = old.status else { throw .system(shown, errno) }
    guard !sources.contains(FileIdentity(status)) else { throw .replacesSource(shown) }
    // A ported file is longer than its source by its mark, and by `Selector` and imports.
    guard status.st_mode & S_IFMT == S_IFREG, let bytes = old.read(limit: 2 * SourceFile.byteLimit) else {
      throw .replacesForeignFile(shown)
    }
    return bytes
  }

  /// Writes a file. An old one is there until the new one is complete.
  func write(_ text: String, to file: [String]) throws(PortRun.Failure) {
    let shown = path(of: file)
    guard let parent = try folder(of: file, creates: true), let name = file.last else { return }
    let partial = ".\(name).partial"
    unsafe unlinkat(parent.number, partial, 0)
    let number = unsafe openat(parent.number, partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard number >= 0 else { throw .system(shown, errno) }
    let output = Descriptor(number)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(output.number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failed(parent, partial, shown) }
      rest = rest.dropFirst(count)
    }
    guard unsafe renameat(parent.number, partial, parent.number, name) == 0 else {
      throw failed(parent, partial, shown)
    }
  }

  private func failed(_ parent: Descriptor, _ partial: String, _ shown: String) -> PortRun.Failure {
    let number = errno
    unsafe unlinkat(parent.number, partial, 0)
    return .system(shown, number)
  }

  /// Opens the folder of a file.
  ///
  /// - Returns: nil if it does not exist and is not to be created.
  private func folder(of file: [String], creates: Bool) throws(PortRun.Failure) -> Descriptor? {
    if creates { try createRoot() }
    guard var current = try opened(AT_FDCWD, path, follows: true, shown: path) else { return nil }
    var shown = path
    for name in file.dropLast() {
      shown += "/" + name
      if creates, unsafe mkdirat(current.number, name, 0o777) != 0, errno != EEXIST { throw .system(shown, errno) }
      guard let next = try opened(current.number, name, follows: false, shown: shown) else { return nil }
      current = next
    }
    return current
  }

  private func opened(
    _ parent: Int32, _ name: String, follows: Bool, shown: String
  ) throws(PortRun.Failure) -> Descriptor? {
    let number = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW))
    if number >= 0 { return Descriptor(number) }
    if errno == ENOENT { return nil }
    // A link in the folder may lead out of it.
    throw errno == ELOOP ? .replacesForeignFile(shown) : .system(shown, errno)
  }

  /// Creates the folder with its parents.
  private func createRoot() throws(PortRun.Failure) {
    var current = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      current += part + "/"
      if unsafe mkdir(current, 0o777) != 0, errno != EEXIST { throw .system(current, errno) }
    }
  }
}
